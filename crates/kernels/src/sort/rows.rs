//! Iteration over the rows of a sort ([`RowNest`]), chunk by chunk. Rows that are contiguous in memory are read and written in
//! place; others are copied to a buffer and back, many rows at a time to use every element of a cache line.

use crate::sort::task::Sort;
use crate::support::context::Context;
use crate::support::error::KernelError;
use crate::support::slice::{Slice, SliceMut, bytes_of};
use crate::support::view::View;
use crate::transfer::plan::copy_view_unreported;

/// Addresses rows in a buffer; all fields in bytes.
#[derive(Clone, Copy)]
struct RowAddresses {
    /// The offset of row 0.
    start: isize,
    /// The distance from one row to the next.
    step: isize,
    /// The length of a row.
    bytes: usize,
}

impl RowAddresses {
    fn row(self, row: usize) -> std::ops::Range<usize> {
        let start = (self.start + row.cast_signed() * self.step).cast_unsigned();
        start..start.saturating_add(self.bytes)
    }
}

/// Rows to read.
pub struct Rows<'a>(&'a [u8], RowAddresses);

/// Rows to write.
pub struct RowsMut<'a>(&'a mut [u8], RowAddresses);

impl Rows<'_> {
    /// The bytes of a row; empty if it exceeds the buffer, which validated tasks exclude.
    pub fn row(&self, row: usize) -> &[u8] {
        self.0.get(self.1.row(row)).unwrap_or_default()
    }
}

impl RowsMut<'_> {
    /// The bytes of a row; empty like [`Rows::row`].
    pub fn row(&mut self, row: usize) -> &mut [u8] {
        self.0.get_mut(self.1.row(row)).unwrap_or_default()
    }
}

/// Processes a chunk: the number of its rows, and these rows of all operands and results.
pub type ProcessChunk<'f> =
    dyn FnMut(usize, &[Rows], &mut [RowsMut], &mut Context) -> Result<(), KernelError> + 'f;

/// The loop nest over the rows of a task: the dimensions other than the sorted one, major to minor in memory, collapsed where
/// they are contiguous in every array.
pub struct RowNest {
    length: usize,
    axes: Vec<Axis>,
    /// The offset and the sorted dimension's stride of each operand, then of each result, in elements.
    arrays: Vec<(usize, isize)>,
}

/// A dimension, with its stride in each array.
struct Axis {
    size: usize,
    strides: Vec<isize>,
}

impl RowNest {
    /// The loop nest of a task's rows; `None` if there are no elements.
    pub fn new(task: &Sort) -> Option<Self> {
        let views: Vec<&View> = task.operands.iter().map(|operand| &operand.view).chain(&task.outs).collect();
        let first = views.first().filter(|first| !first.sizes.contains(&0))?;
        let mut order: Vec<usize> =
            (0..first.rank()).filter(|d| *d != task.dimension && first.sizes[*d] > 1).collect();
        order.sort_by_key(|d| std::cmp::Reverse(first.strides[*d].unsigned_abs()));
        let mut axes: Vec<Axis> = Vec::with_capacity(order.len());
        for d in order {
            let size = first.sizes[d];
            let strides: Vec<isize> = views.iter().map(|view| view.strides[d]).collect();
            match axes.last_mut() {
                Some(outer)
                    if (outer.strides.iter().zip(&strides))
                        .all(|(outer, s)| *outer == s * size.cast_signed()) =>
                {
                    *outer = Axis { size: outer.size * size, strides };
                }
                _ => axes.push(Axis { size, strides }),
            }
        }
        let arrays = views.iter().map(|view| (view.offset, view.strides[task.dimension])).collect();
        Some(Self { length: first.sizes[task.dimension], axes, arrays })
    }

    /// The number of elements of a row.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The number of rows along the innermost of the other dimensions, from which chunks are taken.
    pub fn innermost_rows(&self) -> usize {
        self.axes.last().map_or(1, |innermost| innermost.size)
    }

    /// The `rows` rows from `start` on at an index of the outer dimensions, as a view of rows x elements in each array.
    fn views(&self, index: &[usize], start: usize, rows: usize) -> Vec<View> {
        let index = || index.iter().chain([&start]);
        let view = |(k, (offset, stride)): (usize, &(usize, isize))| {
            let offset_in_nest: isize =
                self.axes.iter().zip(index()).map(|(axis, i)| axis.strides[k] * i.cast_signed()).sum();
            View {
                offset: offset.wrapping_add_signed(offset_in_nest),
                sizes: vec![rows, self.length],
                // Without another dimension there is one row, and no stride is used.
                strides: vec![self.axes.last().map_or(0, |innermost| innermost.strides[k]), *stride],
            }
        };
        self.arrays.iter().enumerate().map(view).collect()
    }

    /// Calls `each` with the views of at most `max_rows` rows at a time, for all rows. Errors: those of `each`.
    pub fn for_each_chunk(
        &self,
        max_rows: usize,
        each: &mut dyn FnMut(&[View]) -> Result<(), KernelError>,
    ) -> Result<(), KernelError> {
        let outer = &self.axes[..self.axes.len().saturating_sub(1)];
        let mut index = vec![0; outer.len()];
        loop {
            for start in (0..self.innermost_rows()).step_by(max_rows) {
                each(&self.views(&index, start, max_rows.min(self.innermost_rows() - start)))?;
            }
            let Some(next) = (0..outer.len()).rev().find(|i| index[*i] + 1 < outer[*i].size) else {
                return Ok(());
            };
            index[next] += 1;
            index[next + 1..].fill(0);
        }
    }
}

/// Calls `each` for all rows, chunk by chunk. Errors: those of `each`, cancelled.
pub fn for_each_chunk(
    (task, row_nest): (&Sort, &RowNest),
    read: &[Slice],
    written: &mut [SliceMut],
    context: &mut Context,
    each: &mut ProcessChunk,
) -> Result<(), KernelError> {
    /// Elements of a chunk of short rows.
    const CHUNK_ELEMENTS: usize = 1 << 15;
    /// Rows of a chunk of longer rows, as far as [`MAX_CHUNK_ELEMENTS`] allows: a cache line that is copied holds elements of
    /// several.
    const MIN_CHUNK_ROWS: usize = 16;
    /// Maximum number of elements of a chunk of several rows.
    const MAX_CHUNK_ELEMENTS: usize = 1 << 20;
    let length = row_nest.length;
    let max_rows = (CHUNK_ELEMENTS / length)
        .max(MIN_CHUNK_ROWS.min(MAX_CHUNK_ELEMENTS / length))
        .clamp(1, row_nest.innermost_rows());
    let widths: Vec<usize> = task.operands.iter().map(|operand| operand.ty.bytes()).collect();
    let is_strided = |view: &View| length > 1 && view.strides[task.dimension] != 1;
    let mut copy_buffer = |view: &View, width: usize| {
        is_strided(view).then(|| context.scratch.words((max_rows * length * width).div_ceil(4)))
    };
    let mut operand_copies: Vec<Option<Vec<u32>>> = task
        .operands
        .iter()
        .zip(&widths)
        .map(|(operand, width)| copy_buffer(&operand.view, *width))
        .collect();
    let mut result_copies: Vec<Option<Vec<u32>>> =
        task.outs.iter().zip(&widths).map(|(view, width)| copy_buffer(view, *width)).collect();
    let outcome = row_nest.for_each_chunk(max_rows, &mut |views| {
        let rows = views[0].sizes[0];
        let packed = View::row_major(&[rows, length]);
        let row_addresses = |is_copied: bool, view: &View, width: usize| {
            let view = if is_copied { &packed } else { view };
            let signed_width = width.cast_signed();
            RowAddresses {
                start: view.offset.cast_signed() * signed_width,
                step: view.strides[0] * signed_width,
                bytes: length * width,
            }
        };
        let (from, to) = views.split_at(operand_copies.len());
        let mut reads = Vec::with_capacity(operand_copies.len());
        for (k, copy) in operand_copies.iter_mut().enumerate() {
            let source = read[k].as_bytes();
            let addresses = row_addresses(copy.is_some(), &from[k], widths[k]);
            reads.push(match copy {
                Some(copy) => {
                    copy_view_unreported(widths[k], [&from[k], &packed], source, bytes_of(copy), context)?;
                    Rows(bytes_of(copy), addresses)
                }
                None => Rows(source, addresses),
            });
        }
        let mut writes = Vec::with_capacity(result_copies.len());
        for (k, (copy, out)) in result_copies.iter_mut().zip(written.iter_mut()).enumerate() {
            let addresses = row_addresses(copy.is_some(), &to[k], widths[k]);
            let bytes = match copy {
                Some(copy) => bytes_of(copy),
                None => out.as_bytes_mut(),
            };
            writes.push(RowsMut(bytes, addresses));
        }
        each(rows, &reads, &mut writes, context)?;
        for (k, copy) in result_copies.iter_mut().enumerate() {
            if let Some(copy) = copy {
                copy_view_unreported(
                    widths[k],
                    [&packed, &to[k]],
                    bytes_of(copy),
                    written[k].as_bytes_mut(),
                    context,
                )?;
            }
        }
        Ok(())
    });
    operand_copies
        .into_iter()
        .chain(result_copies)
        .flatten()
        .for_each(|words| context.scratch.recycle_words(words));
    outcome
}
