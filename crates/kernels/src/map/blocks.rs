//! Applies a row function to arrays with arbitrary strides, block by block.
//!
//! Blocks are visited in the order of the result in memory: dimensions are sorted by the result's strides, and collapsed if
//! they are contiguous in every array. A contiguous block is passed to the function in place; a broadcast or strided one is
//! first copied to a row, by a plan that all blocks of a shape share. If an array is contiguous along a different dimension
//! than the result, blocks are square tiles, so that every element of a cache line is used; rows of the other arrays are passed
//! in place. So no stride, rank or size of the innermost dimension hits a slow path, and functions only need to support
//! contiguous rows.

use crate::map::row::RowFunction;
use crate::support::context::Context;
use crate::support::error::KernelError;
use crate::support::slice::{Slice, SliceMut, TypedVec};
use crate::support::view::View;
use crate::transfer::plan::{DstOffsets, Plan};

/// Maximum number of elements in a block that is contiguous in every array.
pub(super) const MAX_BLOCK_ELEMENTS: usize = 1 << 14;
/// Maximum number of elements in a block that is copied.
const MAX_COPIED_ELEMENTS: usize = 1024;
/// Maximum number of elements of a tile along the result's innermost dimension, if an array is contiguous along another
/// dimension.
const TILE_COLUMNS: usize = 128;
/// Maximum number of elements in such a tile.
const TILE_ELEMENTS: usize = 8192;
/// Minimum number of elements of a row that is passed on its own; shorter rows are combined into blocks.
const MIN_ROW_ELEMENTS: usize = 48;
/// Maximum number of elements in a block of rows over which an operand is broadcast.
const MAX_BROADCAST_ELEMENTS: usize = 2048;
/// Elements between cancellation checks.
const CANCEL_CHECK_INTERVAL_ELEMENTS: usize = 1 << 18;
/// The maximum number of arrays: three operands and the result.
pub(super) const MAX_ARRAYS: usize = 4;

/// A dimension: its size and each array's stride.
pub(super) type Dimension = (usize, [isize; MAX_ARRAYS]);

/// The layout of a block of an array in memory.
enum BlockLayout {
    /// The block is contiguous, or each of its rows if they are passed separately.
    Contiguous,
    /// A single element, broadcast over the block.
    Broadcast,
    /// Any other layout. The plan copies a block from offset 0, or for the result to offset 0.
    Strided(Option<Plan>),
}

/// Calls `f` for rows of the operands and of the result that together cover all elements. `views` are those of the operands, then
/// that of the result; all have the same sizes and were checked against their buffers. If `accepts_scalars`, a broadcast row is
/// passed as a row of one element. Fails only if cancelled.
pub fn for_each_row(
    views: &[&View],
    read: &[Slice],
    written: &mut SliceMut,
    context: &mut Context,
    accepts_scalars: bool,
    f: &RowFunction,
) -> Result<(), KernelError> {
    let Some(out) = views.last() else { return Ok(()) };
    let array_count = views.len();
    if out.sizes.contains(&0) || array_count > MAX_ARRAYS || read.len() + 1 < array_count {
        return Ok(());
    }
    let (dimensions, base) = dimensions(views);
    let extents = extents(&dimensions, array_count, accepts_scalars);
    let mut copies: Vec<Option<TypedVec>> = (0..array_count).map(|_| None).collect();
    // A dimension that the extent does not divide ends with a smaller block: blocks are visited by classes of equal shape.
    let uneven: Vec<usize> = (0..extents.len()).filter(|d| dimensions[*d].0 % extents[*d] != 0).collect();
    let mut steps = 0;
    for shape_class in 0..1usize << uneven.len() {
        let is_remainder =
            |d: usize| uneven.iter().position(|o| *o == d).is_some_and(|bit| shape_class >> bit & 1 == 1);
        let (shape, counts, mut base) = blocks_of_class(&dimensions, &extents, base, is_remainder);
        if counts.contains(&0) {
            continue;
        }
        let length: usize = shape.iter().product();
        let result_element_bytes = written.element_bytes();
        let element_bytes = |a: usize| {
            read.get(a).filter(|_| a + 1 < array_count).map_or(result_element_bytes, Slice::element_bytes)
        };
        let row_offsets = offsets_of_rows(&dimensions, &shape, array_count);
        let has_contiguous_rows =
            |a: usize| row_offsets.len() > 1 && dimensions.last().is_some_and(|(_, s)| s[a] == 1);
        let block_layout = |a: usize| match block_layout_of(
            &dimensions,
            &shape,
            a,
            element_bytes(a),
            a + 1 == array_count,
        ) {
            BlockLayout::Strided(_) if has_contiguous_rows(a) => BlockLayout::Contiguous,
            layout => layout,
        };
        let layouts: Vec<BlockLayout> = (0..array_count).map(block_layout).collect();
        for (a, (copy, layout)) in copies.iter_mut().zip(&layouts).enumerate() {
            let is_in_place = matches!(layout, BlockLayout::Contiguous)
                || accepts_scalars && matches!(layout, BlockLayout::Broadcast);
            let operand = read.get(a).filter(|_| a + 1 < array_count);
            *copy = (!is_in_place)
                .then(|| operand.map_or_else(|| written.zeroed_like(length), |s| s.zeroed_like(length)));
        }
        if row_offsets.len() == 1 && copies.iter().all(Option::is_none) {
            let lengths = lengths(&layouts, length);
            let blocks = Blocks { dimensions: &dimensions, shape: &shape, counts, lengths };
            blocks.for_each_block(base, &read[..array_count - 1], written, context, f)?;
            continue;
        }
        let mut copied_from = [isize::MIN; MAX_ARRAYS];
        let mut index = vec![0usize; counts.len()];
        loop {
            let Some((out_copy, operand_copies)) = copies.split_last_mut() else { return Ok(()) };
            for (a, copy) in operand_copies.iter_mut().enumerate() {
                // The previous block had the same elements: its copy is still valid.
                if copied_from[a] == base[a] {
                    continue;
                }
                copied_from[a] = base[a];
                let from = base[a].cast_unsigned();
                match (&layouts[a], copy) {
                    (BlockLayout::Broadcast, Some(copy)) => copy.fill_prefix(&read[a], from, length),
                    (BlockLayout::Strided(Some(plan)), Some(copy)) => {
                        let start = base[a] * read[a].element_bytes().cast_signed();
                        let (from, mut to) = (read[a].as_bytes(), copy.prefix_mut(length));
                        plan.run_at(&[start], DstOffsets::single(0), from, to.as_bytes_mut(), &mut |_| true)?;
                    }
                    _ => {}
                }
            }
            let row_length = length / row_offsets.len();
            for (i, offsets) in row_offsets.iter().enumerate() {
                let mut rows = [Slice::U8(&[]); MAX_ARRAYS];
                for (a, row) in rows.iter_mut().enumerate().take(array_count - 1) {
                    *row = match (&layouts[a], &operand_copies[a]) {
                        (_, Some(copy)) => copy.prefix(length).part(i * row_length, row_length),
                        (BlockLayout::Broadcast, _) => read[a].part(base[a].cast_unsigned(), 1),
                        _ => read[a].part((base[a] + offsets[a]).cast_unsigned(), row_length),
                    };
                }
                let (rows, to) = (&rows[..array_count - 1], base[array_count - 1] + offsets[array_count - 1]);
                match (&layouts[array_count - 1], &mut *out_copy) {
                    (BlockLayout::Strided(Some(plan)), Some(copy)) => {
                        f(rows, &mut copy.prefix_mut(length));
                        let start = to * written.element_bytes().cast_signed();
                        let (from, to) = (copy.prefix(length).as_bytes(), written.as_bytes_mut());
                        plan.run_at(&[0], DstOffsets::single(start), from, to, &mut |_| true)?;
                    }
                    _ => f(rows, &mut written.part(to.cast_unsigned(), row_length)),
                }
            }
            steps += length;
            if steps >= CANCEL_CHECK_INTERVAL_ELEMENTS {
                context.tick(std::mem::take(&mut steps) as u64)?;
            }
            if !advance(&mut index, &counts, &dimensions, &shape, &mut base) {
                break;
            }
        }
    }
    context.tick(steps as u64)
}

/// The shape of a class of blocks, their number along each dimension, and the offsets of the first one: along a remainder
/// dimension, the class has the one block that is smaller than the extent.
fn blocks_of_class(
    dimensions: &[Dimension],
    extents: &[usize],
    mut base: [isize; MAX_ARRAYS],
    is_remainder: impl Fn(usize) -> bool,
) -> (Vec<usize>, Vec<usize>, [isize; MAX_ARRAYS]) {
    let (mut shape, mut counts) = (extents.to_vec(), Vec::new());
    for (d, (size, strides)) in dimensions.iter().enumerate() {
        let whole = size / extents[d];
        counts.push(if is_remainder(d) { 1 } else { whole });
        if is_remainder(d) {
            shape[d] = size % extents[d];
            for (base, stride) in base.iter_mut().zip(strides) {
                *base += stride * (whole * extents[d]).cast_signed();
            }
        }
    }
    (shape, counts, base)
}

/// The number of elements per block in each array; the last array is the result.
fn lengths(layouts: &[BlockLayout], length: usize) -> [usize; MAX_ARRAYS] {
    let operands = layouts.len().saturating_sub(1);
    std::array::from_fn(|a| match layouts.get(a) {
        Some(BlockLayout::Broadcast) if a < operands => 1,
        _ => length,
    })
}

/// Blocks of one shape that are read and written in place.
struct Blocks<'a> {
    dimensions: &'a [Dimension],
    shape: &'a [usize],
    counts: Vec<usize>,
    /// Elements of a block in each array: one if it is broadcast.
    lengths: [usize; MAX_ARRAYS],
}

impl Blocks<'_> {
    /// Calls the function for every block, the first at `base`. For short rows the cost of this loop dominates.
    fn for_each_block(
        mut self,
        mut base: [isize; MAX_ARRAYS],
        read: &[Slice],
        written: &mut SliceMut,
        context: &mut Context,
        f: &RowFunction,
    ) -> Result<(), KernelError> {
        let last = read.len();
        // A single block is iterated once, along any dimension.
        let inner_loop_dimension = self.counts.iter().rposition(|count| *count > 1).unwrap_or(0);
        let (mut count, mut step) = (1, [0; MAX_ARRAYS]);
        if let Some(counted) = self.counts.get_mut(inner_loop_dimension) {
            count = std::mem::replace(counted, 1);
            step = self.dimensions[inner_loop_dimension]
                .1
                .map(|stride| stride * self.shape[inner_loop_dimension].cast_signed());
        }
        let length = self.lengths[last];
        let blocks_per_check = (CANCEL_CHECK_INTERVAL_ELEMENTS / length).max(1);
        let mut index = vec![0; self.counts.len()];
        let mut rows = [Slice::U8(&[]); MAX_ARRAYS];
        let mut steps = 0;
        loop {
            let mut offset = base;
            for first in (0..count).step_by(blocks_per_check) {
                for i in first..count.min(first + blocks_per_check) {
                    for (a, row) in rows[..last].iter_mut().enumerate() {
                        if i == 0 || step[a] != 0 {
                            *row = read[a].part(offset[a].cast_unsigned(), self.lengths[a]);
                        }
                    }
                    f(&rows[..last], &mut written.part(offset[last].cast_unsigned(), length));
                    for (offset, step) in offset.iter_mut().zip(step) {
                        *offset += step;
                    }
                }
                steps += blocks_per_check.min(count - first) * length;
                if steps >= CANCEL_CHECK_INTERVAL_ELEMENTS {
                    context.tick(std::mem::take(&mut steps) as u64)?;
                }
            }
            if !advance(&mut index, &self.counts, self.dimensions, self.shape, &mut base) {
                return context.tick(steps as u64);
            }
        }
    }
}

/// Advances to the next block; returns `false` after the last.
fn advance(
    index: &mut [usize],
    counts: &[usize],
    dimensions: &[Dimension],
    shape: &[usize],
    base: &mut [isize; MAX_ARRAYS],
) -> bool {
    for d in (0..counts.len()).rev() {
        index[d] += 1;
        let is_done = index[d] == counts[d];
        let block_delta = if is_done { 1 - counts[d].cast_signed() } else { 1 };
        for (base, stride) in base.iter_mut().zip(&dimensions[d].1) {
            *base += stride * block_delta * shape[d].cast_signed();
        }
        if !is_done {
            return true;
        }
        index[d] = 0;
    }
    false
}

/// The dimensions in the result's order in memory, collapsed where all arrays are contiguous, and the first slot of each array.
pub(super) fn dimensions(views: &[&View]) -> (Vec<Dimension>, [isize; MAX_ARRAYS]) {
    let last = views.len() - 1;
    let mut base = [0; MAX_ARRAYS];
    for (base, view) in base.iter_mut().zip(views) {
        *base = view.offset.cast_signed();
    }
    let mut dimensions: Vec<Dimension> = Vec::new();
    for (d, size) in views[last].sizes.iter().enumerate().filter(|(_, size)| **size != 1) {
        let mut strides = [0; MAX_ARRAYS];
        for (stride, view) in strides.iter_mut().zip(views) {
            *stride = view.strides[d];
        }
        if strides[last] < 0 {
            // Iterate in reverse: element-wise functions may visit elements in any order.
            for (base, stride) in base.iter_mut().zip(&mut strides) {
                *base += *stride * (*size - 1).cast_signed();
                *stride = -*stride;
            }
        }
        dimensions.push((*size, strides));
    }
    dimensions.sort_by_key(|(_, strides)| std::cmp::Reverse(strides[last]));
    let mut collapsed: Vec<Dimension> = Vec::new();
    for (size, strides) in dimensions {
        match collapsed.last_mut() {
            Some((outer, before)) if (0..=last).all(|a| before[a] == strides[a] * size.cast_signed()) => {
                *outer *= size;
                *before = strides;
            }
            _ => collapsed.push((size, strides)),
        }
    }
    (collapsed, base)
}

/// The size of a block along each dimension, in elements.
fn extents(dimensions: &[Dimension], array_count: usize, accepts_scalars: bool) -> Vec<usize> {
    let mut extents = vec![1; dimensions.len()];
    let Some(((size, strides), inner)) = dimensions.last().zip(dimensions.len().checked_sub(1)) else {
        return extents;
    };
    let array_strides = &strides[..array_count];
    let is_contiguous =
        strides[array_count - 1] == 1 && array_strides.iter().all(|stride| matches!(stride, 0 | 1));
    if is_contiguous && *size >= MIN_ROW_ELEMENTS {
        // If an operand is broadcast over rows, several rows are one block, for which the operand is copied once.
        if let [.., (rows, outer), _] = dimensions
            && *size < MAX_BROADCAST_ELEMENTS
        {
            let is_adjacent = |a: usize| strides[a] == 1 && outer[a] == (*size).cast_signed();
            let is_broadcast = |a: usize| strides[a] == 1 && outer[a] == 0;
            if is_adjacent(array_count - 1) && (0..array_count).all(|a| is_adjacent(a) || is_broadcast(a)) {
                extents[inner] = *size;
                extents[inner - 1] = (MAX_BROADCAST_ELEMENTS / size).min(*rows);
                return extents;
            }
        }
        extents[inner] = *size.min(&if array_strides.contains(&0) && !accepts_scalars {
            MAX_COPIED_ELEMENTS
        } else {
            MAX_BLOCK_ELEMENTS
        });
        return extents;
    }
    // The dimension along which an array has its smallest stride, if that is not the innermost one.
    let transposed_dimension = (0..array_count).filter(|a| strides[*a].unsigned_abs() > 1).find_map(|a| {
        let stride_along = |d: &usize| dimensions[*d].1[a].unsigned_abs();
        (0..inner)
            .filter(|d| stride_along(d) != 0 && stride_along(d) < strides[a].unsigned_abs())
            .min_by_key(stride_along)
    });
    if let Some(d) = transposed_dimension {
        extents[inner] = *size.min(&TILE_COLUMNS);
        // Blocks with short rows, or of a result that is not contiguous along them, are copied as a whole: up to four copies, one per
        // array, must fit the first-level cache together.
        let is_copied = *size < MIN_ROW_ELEMENTS || strides[array_count - 1] != 1;
        let tile = if is_copied { TILE_ELEMENTS / 4 } else { TILE_ELEMENTS };
        extents[d] = dimensions[d].0.min((tile / extents[inner]).max(1)).max(1);
    }
    for d in (0..dimensions.len()).rev() {
        let others = extents.iter().product::<usize>() / extents[d];
        extents[d] = dimensions[d].0.min(MAX_COPIED_ELEMENTS / others).max(extents[d]);
    }
    extents
}

/// The offset of each row of a block in each array. The whole block is one row, unless an array is contiguous along another
/// dimension and the result's rows are long.
fn offsets_of_rows(
    dimensions: &[Dimension],
    shape: &[usize],
    array_count: usize,
) -> Vec<[isize; MAX_ARRAYS]> {
    let (Some((_, strides)), [outer @ .., inner]) = (dimensions.last(), shape) else {
        return vec![[0; MAX_ARRAYS]];
    };
    let is_transposed = strides[..array_count].iter().any(|stride| !matches!(stride, 0 | 1));
    if *inner < MIN_ROW_ELEMENTS || strides[array_count - 1] != 1 || !is_transposed {
        return vec![[0; MAX_ARRAYS]];
    }
    let mut offsets = vec![[0; MAX_ARRAYS]];
    for (size, (_, strides)) in outer.iter().zip(dimensions) {
        let at = |i: usize, before: &[isize; MAX_ARRAYS]| {
            std::array::from_fn(|a| before[a] + strides[a] * i.cast_signed())
        };
        offsets = offsets.iter().flat_map(|before| (0..*size).map(move |i| at(i, before))).collect();
    }
    offsets
}

/// The layout of an array's blocks of one shape. The plan packs a block of an operand, or unpacks one of the result; `bytes` is
/// the size of an element.
fn block_layout_of(
    dimensions: &[Dimension],
    shape: &[usize],
    array: usize,
    bytes: usize,
    is_result: bool,
) -> BlockLayout {
    let (mut expected, mut is_contiguous, mut is_broadcast) = (1, true, true);
    for ((_, strides), size) in dimensions.iter().zip(shape).rev().filter(|(_, size)| **size > 1) {
        is_contiguous &= strides[array] == expected;
        is_broadcast &= strides[array] == 0;
        expected *= size.cast_signed();
    }
    if is_contiguous {
        return BlockLayout::Contiguous;
    }
    if is_broadcast {
        return BlockLayout::Broadcast;
    }
    let strides = dimensions.iter().map(|(_, strides)| strides[array]).collect();
    let strided = View { offset: 0, sizes: shape.to_vec(), strides };
    let packed = View::row_major(shape);
    BlockLayout::Strided(if is_result {
        Plan::new(bytes, &packed, &strided)
    } else {
        Plan::new(bytes, &strided, &packed)
    })
}
