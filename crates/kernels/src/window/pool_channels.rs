//! Pooling of images of `f32` whose channels are adjacent: a square window of two or three cells, its stride up to three.
//!
//! Cells of a column of the window are combined, then columns: the order of a sum is that of [`crate::window::nest`], and of
//! [`crate::window::pool_rows`]. Columns that two neighbouring positions cover are combined once. Rows outside of the image are
//! rows of the identity.
//!
//! Positions of a row are reduced with the quick pass, and where results may be wrong ([`crate::window::pool`]) immediately again
//! with the exact one. Positions at the sides, which cover padding, are reduced one by one.

#![allow(
    unsafe_code,
    reason = "columns are read through pointers whose bounds are proved once for a row of positions"
)]

use std::ops::Range;

use crate::accumulate::operators::{Add, LaneReducer, Max, Min, Mul};
use crate::description::parts::Reducer;
use crate::ground::context::Context;
use crate::ground::stop::Stop;
use crate::simd::best::Best;
use crate::simd::lanes::Lanes;
use crate::window::pool::{Exact, Pass, Pool, Quick, Seen, has_nan};
use crate::window::row::Axis;

/// Maximum cells of a row in a tile of columns: three rows of them fit the L1 cache.
const TILE_CELLS: usize = 2048;

/// Whether these loops support a window along these axes.
pub fn supports(axes: &[Axis]) -> bool {
    let [outer @ .., high, wide, channels] = axes else { return false };
    let is_small = |axis: &Axis| {
        let w = axis.window;
        matches!(w.size, 2 | 3) && matches!(w.stride, 1..=3) && w.dilation == 1 && w.base_dilation == 1
    };
    outer.iter().all(Axis::is_plain)
        && is_small(high)
        && is_small(wide)
        && high.window.size == wide.window.size
        && high.window.stride == wide.window.stride
        && channels.is_plain()
        && channels.to == 1
        && channels.size >= 4
}

/// Pools the images of an operand in row-major order, channels minor.
pub fn pool(of: Pool<f32>, context: &mut Context) -> Result<(), Stop> {
    match of.fold {
        Reducer::Mul => images::<Mul>(of, context),
        Reducer::Min => images::<Min>(of, context),
        Reducer::Max => images::<Max>(of, context),
        _ => images::<Add>(of, context),
    }
}

fn images<F: LaneReducer>(of: Pool<f32>, context: &mut Context) -> Result<(), Stop> {
    let [.., high, wide, channels] = of.axes else { return Err(Stop::InvalidTask) };
    let none = vec![F::IDENTITY; wide.size * channels.size];
    let image = Image { high, wide, channels: channels.size, none: &none, init: of.init };
    of.each(3, |cells, out, to| image.pool::<Quick<F>, Exact<F>>(cells, out, to, context))
}

/// The parameters that all images share.
struct Image<'a> {
    high: &'a Axis,
    wide: &'a Axis,
    channels: usize,
    /// A row of the identity.
    none: &'a [f32],
    init: f32,
}

impl Image<'_> {
    fn pool<F: Pass, X: Pass>(
        &self,
        x: &[f32],
        out: &mut [f32],
        to: isize,
        context: &mut Context,
    ) -> Result<(), Stop> {
        let size = self.high.window.size;
        let inside = inside(self.wide);
        let tile = (TILE_CELLS / (self.wide.window.stride * self.channels)).clamp(4, 64);
        let sides = [0..inside.start, inside.end..self.wide.positions];
        for side in sides.into_iter().filter(|side| !side.is_empty()) {
            for y in 0..self.high.positions {
                let (rows, to) = (self.rows(x, y), to + y.cast_signed() * self.high.to);
                self.each::<F, X>(&rows[..size], side.clone(), out, to);
            }
            context.tick((side.len() * self.channels * self.high.positions * size * size) as u64)?;
        }
        for begin in inside.clone().step_by(tile) {
            let some = begin..inside.end.min(begin + tile);
            self.tile::<F, X>(x, &some, out, to);
            context.tick((some.len() * self.channels * self.high.positions * size * size) as u64)?;
        }
        Ok(())
    }

    /// The rows of cells that row `y` of positions covers.
    fn rows<'a>(&'a self, x: &'a [f32], y: usize) -> [&'a [f32]; 3] {
        let (window, row) = (self.high.window, self.none.len());
        let first = (y * window.stride).cast_signed() - window.low;
        std::array::from_fn(|k| {
            let at = usize::try_from(first + k.cast_signed()).ok();
            let at = at.filter(|at| *at < self.high.size && k < window.size);
            at.map_or(self.none, |at| &x[at * row..][..row])
        })
    }

    /// Reduces `positions` of each row, which cover no padding at the sides.
    fn tile<F: Pass, X: Pass>(&self, x: &[f32], positions: &Range<usize>, out: &mut [f32], to: isize) {
        let (size, stride) = (self.high.window.size, self.high.window.stride);
        // How many result rows, from this one on, cover a row of cells with a NaN.
        let mut doubtful_rows = 0usize;
        for y in 0..self.high.positions {
            let rows = self.rows(x, y);
            let to = to + y.cast_signed() * self.high.to;
            doubtful_rows = doubtful_rows.saturating_sub(1);
            let mut seen = Seen::new::<F>();
            self.quick::<F>(rows, positions, out, to, &mut seen);
            if F::IS_CHECKED {
                // `quick` sums the rows of cells that the result row before does not cover; the first one has none before.
                let before = if y == 0 { size.saturating_sub(stride) } else { 0 };
                if seen.has_nan() || rows[..before].iter().any(|row| has_nan(row)) {
                    doubtful_rows = size.div_ceil(stride);
                }
            }
            if doubtful_rows > 0 || seen.is_doubtful::<F>() || self.init.is_nan() {
                self.each::<X, X>(&rows[..size], positions.clone(), out, to);
            }
        }
    }

    /// The quick pass over the positions of one row in a tile.
    fn quick<F: Pass>(
        &self,
        rows: [&[f32]; 3],
        inside: &Range<usize>,
        out: &mut [f32],
        to: isize,
        seen: &mut Seen,
    ) {
        let (size, stride, channels) = (self.wide.window.size, self.wide.window.stride, self.channels);
        let (step, count) = (self.wide.to, inside.len());
        let first = (inside.start * stride).strict_add_signed(-self.wide.window.low);
        // The bounds are checked here, once: of the columns, and of the positions.
        let last = first + (count - 1) * stride + size;
        assert!(rows.iter().all(|row| last * channels <= row.len()) && channels >= 4);
        let to = to + inside.start.cast_signed() * step;
        let ends = [to, to + (count - 1).cast_signed() * step];
        assert!(ends.iter().all(|at| *at >= 0 && at.cast_unsigned() + channels <= out.len()));
        let (many, one, wide): (Positions, Positions, usize) = match (size, stride) {
            (2, 1) => (positions::<F, 2, 1, 4>, positions::<F, 2, 1, 1>, 16),
            (2, 2) => (positions::<F, 2, 2, 4>, positions::<F, 2, 2, 1>, 16),
            (2, _) => (positions::<F, 2, 3, 4>, positions::<F, 2, 3, 1>, 16),
            (_, 1) => (positions::<F, 3, 1, 2>, positions::<F, 3, 1, 1>, 8),
            (_, 2) => (positions::<F, 3, 2, 4>, positions::<F, 3, 2, 1>, 16),
            _ => (positions::<F, 3, 3, 2>, positions::<F, 3, 3, 1>, 8),
        };
        let mut some = |of: Positions, channel: usize| {
            // SAFETY: the columns of these positions are in the rows, and the positions in the result, as was just checked;
            // `channel` is at most the number of channels less those that are done at once.
            unsafe {
                let rows = rows.map(|row| row.as_ptr().add(first * channels + channel));
                let to = out.as_mut_ptr().offset(to).add(channel);
                of(rows, channels, (to, step), count, self.init, seen);
            }
        };
        let whole = channels / wide * wide;
        for channel in (0..whole).step_by(wide) {
            some(many, channel);
        }
        for channel in (whole..channels).step_by(4) {
            // The last may overlap the one before: those channels are written twice, with the same bits.
            some(one, channel.min(channels - 4));
        }
    }

    /// Reduces positions of a row one by one: by pass `F`, and where the result may be wrong by `X`.
    fn each<F: Pass, X: Pass>(&self, rows: &[&[f32]], positions: Range<usize>, out: &mut [f32], to: isize) {
        let window = self.wide.window;
        for position in positions {
            let first = (position * window.stride).cast_signed() - window.low;
            let at = |column: isize| column.clamp(0, self.wide.size.cast_signed()).cast_unsigned();
            let columns = at(first)..at(first + window.size.cast_signed());
            let to = (to + position.cast_signed() * self.wide.to).cast_unsigned();
            let to = &mut out[to..][..self.channels];
            if self.init.is_nan() || !one_position::<F>(rows, &columns, to, self.init) {
                one_position::<X>(rows, &columns, to, self.init);
            }
        }
    }
}

/// Reduces all channels of a position over these columns of each row. Returns `false` where the result may be wrong.
#[inline(never)]
fn one_position<F: Pass>(rows: &[&[f32]], columns: &Range<usize>, to: &mut [f32], init: f32) -> bool {
    let (channels, init) = (to.len(), Best::splat(init));
    let (mut seen, mut kept) = (Best::zero(), Best::splat_bits(F::KEPT));
    // The bounds are checked here, once.
    assert!(channels >= 4 && rows.iter().all(|row| columns.end * channels <= row.len()));
    for channel in (0..channels).step_by(4) {
        let channel = channel.min(channels - 4);
        let mut all = Best::splat(F::START);
        for column in columns.clone() {
            let mut sum = Best::splat(F::START);
            for row in rows {
                // SAFETY: `channel + 4` is at most the number of channels, and the column is in the row.
                let cells = unsafe { Best::read(row.as_ptr().add(column * channels + channel)) };
                if F::IS_CHECKED {
                    seen = seen.add(cells);
                }
                sum = F::join(sum, cells);
            }
            all = F::join(all, sum);
        }
        let result = F::join(init, all);
        kept = F::keep(kept, result);
        let result = if F::IS_EXACT { result.canonicalized() } else { result };
        // SAFETY: `channel + 4` is at most the number of channels, the length of `to`.
        unsafe { result.write(to.as_mut_ptr().add(channel)) };
    }
    F::IS_EXACT || !(seen.ne(seen).any() || F::is_doubtful(kept))
}

/// The positions that cover no padding.
fn inside(axis: &Axis) -> Range<usize> {
    let w = axis.window;
    // Negative padding crops: the first position covers none.
    let first = usize::try_from(w.low).map_or(0, |low| low.div_ceil(w.stride));
    let last = axis.size.cast_signed() + w.low - w.size.cast_signed();
    // An operand smaller than the window has no such position.
    let end = usize::try_from(last).map_or(0, |last| last / w.stride + 1).min(axis.positions);
    first.min(end)..end
}

/// [`positions`].
type Positions = unsafe fn([*const f32; 3], usize, (*mut f32, isize), usize, f32, &mut Seen);

/// Reduces `V` vectors of channels at `count` positions of a row, for a window of size `K` with stride `S`. `rows` point to the
/// first column of each row; columns are `cell` cells apart, positions in the result `step`.
///
/// # Safety
/// `(count - 1) * S + K` columns can be read from each of the first `K` rows, and `count` positions be written, of `4 * V` cells
/// each.
#[inline(never)]
unsafe fn positions<F: Pass, const K: usize, const S: usize, const V: usize>(
    rows: [*const f32; 3],
    cell: usize,
    (to, step): (*mut f32, isize),
    count: usize,
    init: f32,
    seen: &mut Seen,
) {
    let (mut rows, mut to, init) = (rows, to, Best::splat(init));
    let (mut cells, mut results) = (seen.cells, seen.results);
    // The rows from this one on are not covered by the result row before: they are summed.
    let old = K.saturating_sub(S);
    let column = |rows: &[*const f32; 3], j: usize, v: usize, cells: &mut [Best; 2]| {
        // SAFETY: `j` is less than the `(count - 1) * S + K` columns that can be read from each of the first `K` rows.
        let x: [Best; K] = std::array::from_fn(|k| unsafe { Best::read(rows[k].add(j * cell).add(4 * v)) });
        if F::IS_CHECKED {
            let new = x[old + 1..].iter().fold(x[old], |sum, x| sum.add(*x));
            cells[v % 2] = cells[v % 2].add(new);
        }
        x[1..].iter().fold(x[0], |all, x| F::join(all, *x))
    };
    // The columns that a position shares with the one before it.
    let mut kept = [[Best::zero(); V]; 2];
    for (j, kept) in kept[..old].iter_mut().enumerate() {
        for (v, kept) in kept.iter_mut().enumerate() {
            *kept = column(&rows, j, v, &mut cells);
        }
    }
    for _ in 0..count {
        for v in 0..V {
            let mut all = kept[0][v];
            let mut columns = [Best::zero(); K];
            for (j, column_here) in columns.iter_mut().enumerate() {
                *column_here = if j < old { kept[j][v] } else { column(&rows, j, v, &mut cells) };
                all = if j == 0 { *column_here } else { F::join(all, *column_here) };
            }
            for j in 0..old {
                kept[j][v] = columns[j + S];
            }
            let result = F::join(init, all);
            results[v % 2] = F::keep(results[v % 2], result);
            // SAFETY: this is one of `count` positions that can be written.
            unsafe { result.write(to.add(4 * v)) };
        }
        rows = rows.map(|row| row.wrapping_add(S * cell));
        to = to.wrapping_offset(step);
    }
    *seen = Seen { cells, results };
}
