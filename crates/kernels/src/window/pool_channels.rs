//! Pooling of images of `f32` whose channels are adjacent: a square window of two or three taps per side, its stride up to three.
//!
//! Elements of a column of the window are combined, then columns: the order of a sum is that of [`crate::window::nest`], and of
//! [`crate::window::pool_rows`]. Columns that two adjacent positions cover are combined once. Rows outside of the image are
//! rows of the identity.
//!
//! Positions of a row are reduced with the fast pass and, if results may be wrong ([`crate::window::pool`]), immediately
//! afterwards with the exact one. Positions at the border, which cover padding, are reduced one by one.

#![allow(
    unsafe_code,
    reason = "columns are read through pointers that are bounds-checked once per row of positions"
)]

use std::ops::Range;

use crate::accumulate::operators::{Add, LaneReducer, Max, Min, Mul};
use crate::description::parts::Reducer;
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;
use crate::support::context::Context;
use crate::support::error::KernelError;
use crate::window::pool::{Exact, Fast, Pass, Pooling, ResultCheck, may_have_nan};
use crate::window::row::Axis;

/// Maximum number of elements of a row in a tile of columns: three rows of them fit the L1 cache.
const TILE_ELEMENTS: usize = 2048;

/// Whether these loops support a window along these axes.
pub fn supports(axes: &[Axis]) -> bool {
    let [outer @ .., height_axis, width_axis, channels] = axes else { return false };
    let is_small = |axis: &Axis| {
        let w = axis.window;
        matches!(w.size, 2 | 3) && matches!(w.stride, 1..=3) && w.dilation == 1 && w.base_dilation == 1
    };
    outer.iter().all(Axis::is_unwindowed)
        && is_small(height_axis)
        && is_small(width_axis)
        && height_axis.window.size == width_axis.window.size
        && height_axis.window.stride == width_axis.window.stride
        && channels.is_unwindowed()
        && channels.out_stride == 1
        && channels.size >= 4
}

/// Pools the images of an operand in row-major order, channels minor.
pub fn pool(args: Pooling<f32>, context: &mut Context) -> Result<(), KernelError> {
    match args.reducer {
        Reducer::Mul => pool_images::<Mul>(args, context),
        Reducer::Min => pool_images::<Min>(args, context),
        Reducer::Max => pool_images::<Max>(args, context),
        _ => pool_images::<Add>(args, context),
    }
}

fn pool_images<F: LaneReducer>(args: Pooling<f32>, context: &mut Context) -> Result<(), KernelError> {
    let [.., height_axis, width_axis, channels] = args.axes else { return Err(KernelError::InvalidTask) };
    let identity_row = vec![F::IDENTITY; width_axis.size * channels.size];
    let image = Image {
        height_axis,
        width_axis,
        channels: channels.size,
        identity_row: &identity_row,
        init: args.init,
    };
    args.for_each_inner_slice(3, |elements, out, out_offset| {
        image.pool::<Fast<F>, Exact<F>>(elements, out, out_offset, context)
    })
}

/// The parameters that all images share.
struct Image<'a> {
    height_axis: &'a Axis,
    width_axis: &'a Axis,
    channels: usize,
    /// A row of the identity.
    identity_row: &'a [f32],
    init: f32,
}

impl Image<'_> {
    fn pool<F: Pass, E: Pass>(
        &self,
        x: &[f32],
        out: &mut [f32],
        to: isize,
        context: &mut Context,
    ) -> Result<(), KernelError> {
        let size = self.height_axis.window.size;
        let unpadded = unpadded_positions(self.width_axis);
        let tile = (TILE_ELEMENTS / (self.width_axis.window.stride * self.channels)).clamp(4, 64);
        let border = [0..unpadded.start, unpadded.end..self.width_axis.positions];
        for positions in border.into_iter().filter(|positions| !positions.is_empty()) {
            for y in 0..self.height_axis.positions {
                let (rows, to) = (self.rows(x, y), to + y.cast_signed() * self.height_axis.out_stride);
                self.reduce_separately::<F, E>(&rows[..size], positions.clone(), out, to);
            }
            context
                .tick((positions.len() * self.channels * self.height_axis.positions * size * size) as u64)?;
        }
        for begin in unpadded.clone().step_by(tile) {
            let tile_positions = begin..unpadded.end.min(begin + tile);
            self.reduce_tile::<F, E>(x, &tile_positions, out, to);
            context.tick(
                (tile_positions.len() * self.channels * self.height_axis.positions * size * size) as u64,
            )?;
        }
        Ok(())
    }

    /// The rows of elements that row `y` of positions covers.
    fn rows<'a>(&'a self, x: &'a [f32], y: usize) -> [&'a [f32]; 3] {
        let (window, row_elements) = (self.height_axis.window, self.identity_row.len());
        let first = (y * window.stride).cast_signed() - window.low;
        std::array::from_fn(|k| {
            let image_row = usize::try_from(first + k.cast_signed()).ok();
            let image_row = image_row.filter(|i| *i < self.height_axis.size && k < window.size);
            image_row.map_or(self.identity_row, |i| &x[i * row_elements..][..row_elements])
        })
    }

    /// Reduces `positions` of each row, which cover no padding at the border.
    fn reduce_tile<F: Pass, E: Pass>(&self, x: &[f32], positions: &Range<usize>, out: &mut [f32], to: isize) {
        let (size, stride) = (self.height_axis.window.size, self.height_axis.window.stride);
        // The number of result rows, from this one on, that cover a row of elements with a NaN.
        let mut rows_to_recompute = 0usize;
        for y in 0..self.height_axis.positions {
            let rows = self.rows(x, y);
            let to = to + y.cast_signed() * self.height_axis.out_stride;
            rows_to_recompute = rows_to_recompute.saturating_sub(1);
            let mut check = ResultCheck::new::<F>();
            self.reduce_row_fast::<F>(rows, positions, out, to, &mut check);
            if F::SUMS_ELEMENTS {
                // `reduce_row_fast` only checks rows not shared with the previous result row; the first has no previous one.
                let unchecked = if y == 0 { size.saturating_sub(stride) } else { 0 };
                if check.may_have_nan() || rows[..unchecked].iter().any(|row| may_have_nan(row)) {
                    rows_to_recompute = size.div_ceil(stride);
                }
            }
            if rows_to_recompute > 0 || check.needs_exact_pass::<F>() || self.init.is_nan() {
                self.reduce_separately::<E, E>(&rows[..size], positions.clone(), out, to);
            }
        }
    }

    /// The fast pass over the positions of one row in a tile.
    fn reduce_row_fast<F: Pass>(
        &self,
        rows: [&[f32]; 3],
        positions: &Range<usize>,
        out: &mut [f32],
        to: isize,
        check: &mut ResultCheck,
    ) {
        let (size, stride, channels) =
            (self.width_axis.window.size, self.width_axis.window.stride, self.channels);
        let (out_stride, count) = (self.width_axis.out_stride, positions.len());
        let first = (positions.start * stride).strict_add_signed(-self.width_axis.window.low);
        // Bounds checks of the columns and of the positions, once per row of positions.
        let last = first + (count - 1) * stride + size;
        assert!(rows.iter().all(|row| last * channels <= row.len()) && channels >= 4);
        let to = to + positions.start.cast_signed() * out_stride;
        let ends = [to, to + (count - 1).cast_signed() * out_stride];
        assert!(ends.iter().all(|at| *at >= 0 && at.cast_unsigned() + channels <= out.len()));
        let (block, vector, block_channels): (ReducePositions, ReducePositions, usize) = match (size, stride)
        {
            (2, 1) => (reduce_positions::<F, 2, 1, 4>, reduce_positions::<F, 2, 1, 1>, 16),
            (2, 2) => (reduce_positions::<F, 2, 2, 4>, reduce_positions::<F, 2, 2, 1>, 16),
            (2, _) => (reduce_positions::<F, 2, 3, 4>, reduce_positions::<F, 2, 3, 1>, 16),
            (_, 1) => (reduce_positions::<F, 3, 1, 2>, reduce_positions::<F, 3, 1, 1>, 8),
            (_, 2) => (reduce_positions::<F, 3, 2, 4>, reduce_positions::<F, 3, 2, 1>, 16),
            _ => (reduce_positions::<F, 3, 3, 2>, reduce_positions::<F, 3, 3, 1>, 8),
        };
        let mut reduce_channels = |reduce: ReducePositions, channel: usize| {
            // SAFETY: the columns of these positions are in the rows, and the positions in the result, as was just checked;
            // `channel` is at most the number of channels minus those of one call.
            unsafe {
                let rows = rows.map(|row| row.as_ptr().add(first * channels + channel));
                let to = out.as_mut_ptr().offset(to).add(channel);
                reduce(rows, channels, (to, out_stride), count, self.init, check);
            }
        };
        let whole = channels / block_channels * block_channels;
        for channel in (0..whole).step_by(block_channels) {
            reduce_channels(block, channel);
        }
        for channel in (whole..channels).step_by(4) {
            // The last vector may overlap the previous one: the shared channels are written twice, with the same bits.
            reduce_channels(vector, channel.min(channels - 4));
        }
    }

    /// Reduces positions of a row one by one: with pass `F`, and again with `E` where the result of `F` may be wrong.
    fn reduce_separately<F: Pass, E: Pass>(
        &self,
        rows: &[&[f32]],
        positions: Range<usize>,
        out: &mut [f32],
        to: isize,
    ) {
        let window = self.width_axis.window;
        for position in positions {
            let first = (position * window.stride).cast_signed() - window.low;
            let clamp = |column: isize| column.clamp(0, self.width_axis.size.cast_signed()).cast_unsigned();
            let columns = clamp(first)..clamp(first + window.size.cast_signed());
            let to = (to + position.cast_signed() * self.width_axis.out_stride).cast_unsigned();
            let to = &mut out[to..][..self.channels];
            if self.init.is_nan() || !reduce_position::<F>(rows, &columns, to, self.init) {
                reduce_position::<E>(rows, &columns, to, self.init);
            }
        }
    }
}

/// Reduces all channels of a position over these columns of each row. Returns `false` if the result may be wrong.
#[inline(never)]
fn reduce_position<F: Pass>(rows: &[&[f32]], columns: &Range<usize>, to: &mut [f32], init: f32) -> bool {
    let (channels, init) = (to.len(), F32x4::splat(init));
    let (mut nan_sum, mut check) = (F32x4::zero(), F32x4::splat_bits(F::CHECK_INIT_BITS));
    // Bounds check of the columns, once per position.
    assert!(channels >= 4 && rows.iter().all(|row| columns.end * channels <= row.len()));
    for channel in (0..channels).step_by(4) {
        let channel = channel.min(channels - 4);
        let mut sum = F32x4::splat(F::IDENTITY);
        for column in columns.clone() {
            let mut column_sum = F32x4::splat(F::IDENTITY);
            for row in rows {
                // SAFETY: `channel + 4` is at most the number of channels, and the column is in the row.
                let elements = unsafe { F32x4::read(row.as_ptr().add(column * channels + channel)) };
                if F::SUMS_ELEMENTS {
                    nan_sum = nan_sum.add(elements);
                }
                column_sum = F::combine(column_sum, elements);
            }
            sum = F::combine(sum, column_sum);
        }
        let result = F::combine(init, sum);
        check = F::update_check(check, result);
        let result = if F::IS_EXACT { result.canonicalized() } else { result };
        // SAFETY: `channel + 4` is at most the number of channels, the length of `to`.
        unsafe { result.write(to.as_mut_ptr().add(channel)) };
    }
    F::IS_EXACT || !(nan_sum.ne(nan_sum).any() || F::needs_exact_pass(check))
}

/// The positions that cover no padding.
fn unpadded_positions(axis: &Axis) -> Range<usize> {
    let w = axis.window;
    // Negative padding crops the operand: the first position covers no padding.
    let first = usize::try_from(w.low).map_or(0, |low| low.div_ceil(w.stride));
    let last = axis.size.cast_signed() + w.low - w.size.cast_signed();
    // An operand smaller than the window has no such position.
    let end = usize::try_from(last).map_or(0, |last| last / w.stride + 1).min(axis.positions);
    first.min(end)..end
}

/// Signature of [`reduce_positions`].
type ReducePositions = unsafe fn([*const f32; 3], usize, (*mut f32, isize), usize, f32, &mut ResultCheck);

/// Reduces `V` vectors of channels at `count` positions of a row, for a window of size `K` with stride `S`. `rows` point to the
/// first column of each row; `column_stride` is in elements, and `out_stride` that of positions in the result.
///
/// # Safety
/// `(count - 1) * S + K` columns can be read from each of the first `K` rows, and `count` positions be written, of `4 * V`
/// elements each.
#[inline(never)]
unsafe fn reduce_positions<F: Pass, const K: usize, const S: usize, const V: usize>(
    rows: [*const f32; 3],
    column_stride: usize,
    (to, out_stride): (*mut f32, isize),
    count: usize,
    init: f32,
    check: &mut ResultCheck,
) {
    let (mut rows, mut to, init) = (rows, to, F32x4::splat(init));
    let ResultCheck { mut nan_sums, mut result_checks } = *check;
    // Only rows not shared with the previous result row are added to the NaN check.
    let overlap = K.saturating_sub(S);
    let reduce_column = |rows: &[*const f32; 3], j: usize, v: usize, nan_sums: &mut [F32x4; 2]| {
        // SAFETY: `j` is less than the `(count - 1) * S + K` columns that can be read from each of the first `K` rows.
        let x: [F32x4; K] =
            std::array::from_fn(|k| unsafe { F32x4::read(rows[k].add(j * column_stride).add(4 * v)) });
        if F::SUMS_ELEMENTS {
            let unshared = x[overlap + 1..].iter().fold(x[overlap], |sum, x| sum.add(*x));
            nan_sums[v % 2] = nan_sums[v % 2].add(unshared);
        }
        x[1..].iter().fold(x[0], |sum, x| F::combine(sum, *x))
    };
    // The columns that a position shares with the one before it.
    let mut shared = [[F32x4::zero(); V]; 2];
    for (j, shared) in shared[..overlap].iter_mut().enumerate() {
        for (v, shared) in shared.iter_mut().enumerate() {
            *shared = reduce_column(&rows, j, v, &mut nan_sums);
        }
    }
    for _ in 0..count {
        for v in 0..V {
            let mut sum = shared[0][v];
            let mut columns = [F32x4::zero(); K];
            for (j, column) in columns.iter_mut().enumerate() {
                *column = if j < overlap { shared[j][v] } else { reduce_column(&rows, j, v, &mut nan_sums) };
                sum = if j == 0 { *column } else { F::combine(sum, *column) };
            }
            for j in 0..overlap {
                shared[j][v] = columns[j + S];
            }
            let result = F::combine(init, sum);
            result_checks[v % 2] = F::update_check(result_checks[v % 2], result);
            // SAFETY: this is one of `count` positions that can be written.
            unsafe { result.write(to.add(4 * v)) };
        }
        rows = rows.map(|row| row.wrapping_add(S * column_stride));
        to = to.wrapping_offset(out_stride);
    }
    *check = ResultCheck { nan_sums, result_checks };
}
