//! A window along one dimension: the elements that it covers, and how a row is padded, split into phases, and accumulated.
//!
//! The window has one *position* for each element of the result, and `size` *taps*. Invariant, as in `ops::window`: tap `k` at
//! position `y` covers element `x` where `y · stride + k · dilation - low = x · base dilation`. Read [`crate::window::nest`]
//! first.

use crate::accumulate::accumulator::{Accumulator, SLACK_ELEMENTS};
use crate::description::parts::Window;
use crate::support::slice::Element;

/// Maximum number of taps of a window that are accumulated one by one; longer windows are combined from blocks of 1,
/// 2, 4 … taps.
pub const MAX_DIRECT_WINDOW: usize = 16;

/// Minimum number of elements of a slab (the inner dimensions) for which a strided window is accumulated without splitting the
/// row into phases.
const MIN_UNSPLIT_ELEMENTS: usize = 16;

/// A dimension that a window slides along.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// The number of elements of the operand.
    pub size: usize,
    /// The number of positions of the window: the elements of the result.
    pub positions: usize,
    /// Size, stride, padding and dilations of the window.
    pub window: Window,
    /// The stride of the result, in elements.
    pub out_stride: isize,
}

impl Axis {
    /// Whether the window has one tap, which visits each element.
    pub fn is_unwindowed(&self) -> bool {
        let w = self.window;
        w.size == 1 && w.stride == 1 && w.low == 0 && w.base_dilation == 1 && self.positions == self.size
    }

    /// The elements that the window covers at a position.
    pub fn covered(&self, position: usize) -> Progression {
        let w = self.window;
        let (base, dilation) = (w.base_dilation, w.dilation);
        let start = (position * w.stride).cast_signed() - w.low;
        let at = |tap: usize| start + (tap * dilation).cast_signed();
        let covers_element = |tap: &usize| {
            let at = at(*tap);
            at >= 0 && at.cast_unsigned().is_multiple_of(base) && at.cast_unsigned() / base < self.size
        };
        // At most one of `period` consecutive taps covers an element.
        let period = base / gcd(base, dilation);
        let skipped = if start < 0 { (-start).cast_unsigned() / dilation } else { 0 };
        let Some(first) = (skipped..w.size.min(skipped + period + 1)).find(covers_element) else {
            return Progression { first: 0, count: 0, step: 1 };
        };
        let step = period * dilation / base;
        let element = at(first).cast_unsigned() / base;
        let elements_left = (self.size - 1 - element) / step + 1;
        let taps_left = (w.size - 1 - first) / period + 1;
        Progression { first: element, count: elements_left.min(taps_left), step }
    }

    /// The number of elements of the dilated and padded operand that the window reaches.
    pub fn reach(&self) -> usize {
        let last = self.positions.saturating_sub(1).saturating_mul(self.window.stride);
        last.saturating_add(self.window.size.saturating_sub(1).saturating_mul(self.window.dilation))
            .saturating_add(1)
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// An arithmetic progression of indices.
#[derive(Clone, Copy, Debug)]
pub struct Progression {
    /// The first index.
    pub first: usize,
    /// The number of indices.
    pub count: usize,
    /// The common difference.
    pub step: usize,
}

impl Progression {
    /// The first element alone.
    pub const FIRST: Self = Self { first: 0, count: 1, step: 0 };
}

/// The workspace of a row.
#[derive(Default)]
pub struct RowBuffers<T> {
    /// The row with padding and base dilation.
    pub padded: Vec<T>,
    row: Vec<T>,
    blocks: [Vec<T>; 2],
    phases: Vec<T>,
    /// A row of results.
    pub result: Vec<T>,
}

/// A window along rows of `axis.size` slabs of `inner` contiguous elements each.
pub struct RowWindow {
    axis: Axis,
    inner: usize,
    /// Elements of the padded row that windows reach.
    reach: usize,
    /// The offset of the row in the padded row.
    row_offset: usize,
    /// The elements of the row that negative padding crops at its beginning.
    cropped: usize,
    /// The remaining elements of the row.
    width: usize,
    /// For strides above 1: the number of elements of a phase (those whose index has the same remainder modulo the stride).
    phase_length: usize,
    /// The number of phases that the window covers.
    covered_phases: usize,
    /// The taps of the window in each phase, by their offsets in the split row.
    phase_taps: Vec<Progression>,
}

impl RowWindow {
    /// A window along rows of slabs of `inner` elements.
    pub fn new(axis: &Axis, inner: usize) -> Self {
        let Window { size, stride, low, dilation, .. } = axis.window;
        let (length, reach) = (axis.size * inner, axis.reach() * inner);
        let cropped = if low < 0 { low.unsigned_abs().min(axis.size) } else { 0 } * inner;
        let row_offset = (low.max(0).cast_unsigned() * inner).min(reach);
        let phase_length = axis.reach().div_ceil(stride) * inner;
        let covered_phases = stride.min((size - 1) * dilation + 1);
        let period = stride / gcd(stride, dilation);
        let taps_of_phase = |remainder: usize| {
            let tap = (0..size.min(stride)).find(|tap| tap * dilation % stride == remainder)?;
            let first = remainder * phase_length + tap * dilation / stride * inner;
            let (count, step) = ((size - 1 - tap) / period + 1, period * dilation / stride * inner);
            Some(Progression { first, count, step })
        };
        let phase_taps = if size > MAX_DIRECT_WINDOW || stride == 1 {
            Vec::new()
        } else {
            (0..covered_phases).filter_map(taps_of_phase).collect()
        };
        let width = (length - cropped).min(reach - row_offset);
        Self {
            axis: *axis,
            inner,
            reach,
            row_offset,
            cropped,
            width,
            phase_length,
            covered_phases,
            phase_taps,
        }
    }

    /// Accumulates rows of `x` element by element into one padded row, `rows.padded`.
    pub fn pad<T: Element>(
        &self,
        x: &[T],
        is_internal: bool,
        Progression { first, count, step }: Progression,
        accumulator: &Accumulator<T, T>,
        rows: &mut RowBuffers<T>,
    ) {
        let overwrite = if is_internal { accumulator.overwrite_columns } else { accumulator.begin_columns };
        let (axis, inner) = (&self.axis, self.inner);
        let length = axis.size * inner;
        let Window { low, base_dilation, .. } = axis.window;
        // At the end of the row a window may cover no element.
        let from = x.get(first * length..).unwrap_or_default();
        if rows.padded.len() != self.reach + SLACK_ELEMENTS {
            rows.padded.clear();
            rows.padded.resize(self.reach + SLACK_ELEMENTS, accumulator.identity);
        }
        if base_dilation == 1 {
            let to = &mut rows.padded[self.row_offset..self.row_offset + self.width];
            if count == 0 {
                to.fill(accumulator.identity);
            } else if self.width > 0 {
                overwrite(to, &from[self.cropped..], step * length, count);
            }
        } else {
            rows.row.clear();
            rows.row.resize(length, accumulator.identity);
            if count > 0 {
                overwrite(&mut rows.row, from, step * length, count);
            }
            for (i, slab) in rows.row.chunks_exact(inner).enumerate() {
                let at = (i * base_dilation).cast_signed() + low;
                if at >= 0 && at.cast_unsigned() * inner < self.reach {
                    let at = at.cast_unsigned() * inner;
                    rows.padded[at..at + inner].copy_from_slice(slab);
                }
            }
        }
    }

    /// Accumulates the window at each position along the padded row, into `rows.result`.
    pub fn accumulate<T: Element>(&self, accumulator: &Accumulator<T, T>, rows: &mut RowBuffers<T>) {
        let (inner, Window { size, stride, dilation, .. }) = (self.inner, self.axis.window);
        if size > MAX_DIRECT_WINDOW {
            accumulate_blocks(size, dilation * inner, self.reach, accumulator, rows);
            let [row, _] = &rows.blocks;
            for (to, from) in rows.result.chunks_exact_mut(inner).zip(row.chunks(stride * inner)) {
                to.copy_from_slice(&from[..inner]);
            }
        } else if stride == 1 {
            (accumulator.overwrite_columns)(&mut rows.result, &rows.padded, dilation * inner, size);
        } else {
            self.accumulate_phases(accumulator, rows);
        }
    }

    /// [`Self::accumulate`] of a stride above 1: the row is split into phases, each of which is accumulated as a row of stride 1.
    fn accumulate_phases<T: Element>(&self, accumulator: &Accumulator<T, T>, rows: &mut RowBuffers<T>) {
        let (stride, inner, length) = (self.axis.window.stride, self.inner, self.phase_length);
        if inner >= MIN_UNSPLIT_ELEMENTS {
            let (tap_distance, size) = (self.axis.window.dilation * inner, self.axis.window.size);
            for (position, to) in rows.result.chunks_exact_mut(inner).enumerate() {
                (accumulator.overwrite_columns)(
                    to,
                    &rows.padded[position * stride * inner..],
                    tap_distance,
                    size,
                );
            }
            return;
        }
        rows.phases.resize(length * self.covered_phases.max(2), accumulator.identity);
        if stride == 2 && inner == 1 {
            let (even, odd) = rows.phases.split_at_mut(length);
            (accumulator.deinterleave)(&rows.padded[..self.reach], even, odd);
            if self.reach % 2 == 1 {
                even[length - 1] = rows.padded[self.reach - 1];
            }
        } else {
            for (phase, to) in rows.phases.chunks_exact_mut(length).take(self.covered_phases).enumerate() {
                let slabs = rows.padded[..self.reach].chunks_exact(inner).skip(phase).step_by(stride);
                to.chunks_exact_mut(inner).zip(slabs).for_each(|(to, slab)| to.copy_from_slice(slab));
            }
        }
        for (i, Progression { first, count, step }) in self.phase_taps.iter().enumerate() {
            let accumulate = if i == 0 { accumulator.overwrite_columns } else { accumulator.columns };
            accumulate(&mut rows.result, &rows.phases[*first..], *step, *count);
        }
    }
}

/// Positions of a long window that are accumulated at a time, so that partial results stay in the cache.
const POSITIONS_PER_BLOCK: usize = 1 << 12;

/// Accumulates a long window, of `size` taps that are `tap_distance` elements apart, at every position of the padded row into
/// `rows.blocks[0]`: blocks of 1, 2, 4 … taps are doubled row by row, and those whose bits are set in `size` are accumulated.
fn accumulate_blocks<T: Element>(
    size: usize,
    tap_distance: usize,
    reach: usize,
    accumulator: &Accumulator<T, T>,
    rows: &mut RowBuffers<T>,
) {
    let overhang = (size - 1) * tap_distance;
    let positions = reach - overhang;
    let [result, next] = &mut rows.blocks;
    result.resize(positions, accumulator.identity);
    let current = &mut rows.row;
    let block_positions = POSITIONS_PER_BLOCK.max(overhang);
    for (from, result) in (0..positions).step_by(block_positions).zip(result.chunks_mut(block_positions)) {
        current.clear();
        current.extend_from_slice(&rows.padded[from..from + result.len() + overhang]);
        next.clear();
        next.resize(current.len(), accumulator.identity);
        let (mut block, mut done) = (1, 0);
        loop {
            if size & block != 0 {
                let accumulate = if done == 0 { accumulator.overwrite_columns } else { accumulator.columns };
                accumulate(result, &current[done * tap_distance..], 0, 1);
                done += block;
            }
            if done == size {
                break;
            }
            let length = current.len() - block * tap_distance;
            next.truncate(length);
            (accumulator.overwrite_columns)(next, current, block * tap_distance, 2);
            std::mem::swap(current, next);
            block *= 2;
        }
    }
}
