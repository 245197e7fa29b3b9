//! The rows of a sort, chunk by chunk: where they lie cell by cell they are read and written in place, else moved to
//! memory of their own and back, many rows at once so that lines of the cache are used whole.

use super::kernel::{Context, Stop};
use super::slice::{Slice, SliceMut, bytes_of};
use super::task::Sort;
use super::transfer::move_part;
use super::view::View;

/// Rows of one array.
#[derive(Clone, Copy)]
struct Place {
    start: isize,
    step: isize,
    bytes: usize,
}

impl Place {
    fn row(self, row: usize) -> std::ops::Range<usize> {
        let start = (self.start + row.cast_signed() * self.step).cast_unsigned();
        start..start.saturating_add(self.bytes)
    }
}

/// Rows to read.
pub struct Rows<'a>(&'a [u8], Place);

/// Rows to write.
pub struct RowsMut<'a>(&'a mut [u8], Place);

impl Rows<'_> {
    /// The bytes of a row.
    pub fn row(&self, row: usize) -> &[u8] {
        self.0.get(self.1.row(row)).unwrap_or_default()
    }
}

impl RowsMut<'_> {
    /// The bytes of a row.
    pub fn row(&mut self, row: usize) -> &mut [u8] {
        self.0.get_mut(self.1.row(row)).unwrap_or_default()
    }
}

/// What is done with a number of rows of all operands.
pub type Each<'f> = dyn FnMut(usize, &[Rows], &mut [RowsMut], &mut Context) -> Result<(), Stop> + 'f;

/// Does something with all rows. Errors: those of `each`, cancelled.
pub fn each_chunk(
    task: &Sort,
    read: &[Slice],
    written: &mut [SliceMut],
    context: &mut Context,
    each: &mut Each,
) -> Result<(), Stop> {
    /// Cells of a chunk; a row that is longer is a chunk, or some are where they are near one another.
    const CELLS: usize = 1 << 15;
    const NEAR: usize = 16;
    const MOST: usize = 1 << 20;
    let Some(first) = task.operands.first().map(|first| &first.view) else { return Ok(()) };
    if first.sizes.contains(&0) {
        return Ok(());
    }
    // The rows go in the order of memory, the row itself is the last dimension.
    let mut order: Vec<usize> = (0..first.rank()).filter(|d| *d != task.dimension).collect();
    order.sort_by_key(|d| std::cmp::Reverse(first.strides[*d].unsigned_abs()));
    let near = order.pop();
    let length = first.sizes[task.dimension];
    let rows = near.map_or(1, |near| first.sizes[near]);
    let most = (CELLS / length).max(NEAR.min(MOST / length)).clamp(1, rows);
    let flat = View::row_major(&[most, length]);
    let chunk_of = |view: &View, index: &[usize], start: usize, rows: usize| {
        let step = near.map_or(0, |near| view.strides[near]);
        let offset: isize = order.iter().zip(index).map(|(d, i)| view.strides[*d] * i.cast_signed()).sum();
        let offset = offset + start.cast_signed() * step;
        View {
            offset: (view.offset.cast_signed() + offset).cast_unsigned(),
            sizes: vec![rows, length],
            strides: vec![step, view.strides[task.dimension]],
        }
    };
    let widths: Vec<usize> = task.operands.iter().map(|operand| operand.ty.bytes()).collect();
    let is_apart = |view: &View| length > 1 && view.strides[task.dimension] != 1;
    let mut memory = |view: &View, width: usize| {
        is_apart(view).then(|| context.scratch.words((most * length * width).div_ceil(4)))
    };
    let mut ins: Vec<Option<Vec<u32>>> =
        task.operands.iter().zip(&widths).map(|(operand, width)| memory(&operand.view, *width)).collect();
    let mut outs: Vec<Option<Vec<u32>>> =
        task.outs.iter().zip(&widths).map(|(view, width)| memory(view, *width)).collect();
    let mut chunk = |index: &[usize], start: usize, context: &mut Context| -> Result<(), Stop> {
        let rows = most.min(rows - start);
        let flat = View { sizes: vec![rows, length], ..flat.clone() };
        let place = |is_own: bool, view: &View, width: usize| {
            let view = if is_own { &flat } else { view };
            let width_of = width.cast_signed();
            Place {
                start: view.offset.cast_signed() * width_of,
                step: view.strides[0] * width_of,
                bytes: length * width,
            }
        };
        let mut reads = Vec::with_capacity(ins.len());
        for (k, own) in ins.iter_mut().enumerate() {
            let view = chunk_of(&task.operands[k].view, index, start, rows);
            let source = read[k].as_bytes();
            let place = place(own.is_some(), &view, widths[k]);
            reads.push(match own {
                Some(own) => {
                    move_part(widths[k], [&view, &flat], source, bytes_of(own), context)?;
                    Rows(bytes_of(own), place)
                }
                None => Rows(source, place),
            });
        }
        let views: Vec<View> = task.outs.iter().map(|view| chunk_of(view, index, start, rows)).collect();
        let mut writes = Vec::with_capacity(outs.len());
        for (k, (own, out)) in outs.iter_mut().zip(written.iter_mut()).enumerate() {
            let place = place(own.is_some(), &views[k], widths[k]);
            let bytes = match own {
                Some(own) => bytes_of(own),
                None => out.as_bytes_mut(),
            };
            writes.push(RowsMut(bytes, place));
        }
        each(rows, &reads, &mut writes, context)?;
        for (k, own) in outs.iter_mut().enumerate() {
            if let Some(own) = own {
                move_part(widths[k], [&flat, &views[k]], bytes_of(own), written[k].as_bytes_mut(), context)?;
            }
        }
        Ok(())
    };
    let mut index = vec![0; order.len()];
    let answer = loop {
        let parts = (0..rows).step_by(most).try_for_each(|start| chunk(&index, start, context));
        let next = (0..order.len()).rev().find(|i| index[*i] + 1 < first.sizes[order[*i]]);
        let (Ok(()), Some(next)) = (parts, next) else { break parts };
        index[next] += 1;
        index[next + 1..].fill(0);
    };
    ins.into_iter().chain(outs).flatten().for_each(|words| context.scratch.keep_words(words));
    answer
}
