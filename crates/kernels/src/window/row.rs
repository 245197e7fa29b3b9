//! A window along one dimension: the elements that it covers, and how a row is padded, split by phases and accumulated.
//!
//! Invariant, as in `ops::window`: cell `k` at place `y` lies on element `x` where `y · stride + k · dilation - low = x · base
//! dilation`. Read [`crate::window::nest`] first.

use crate::accumulate::accumulator::{Accumulator, SLACK_CELLS};
use crate::description::parts::Window;
use crate::ground::slice::Cell;

/// The most cells of a window that are accumulated one by one; longer windows are accumulated in blocks of powers of two.
pub const MAX_DIRECT_WINDOW: usize = 16;

/// Minimum cells per element to accumulate in place, whatever the stride.
const MIN_CELLS_IN_PLACE: usize = 16;

/// A dimension that a window slides along.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// Elements.
    pub size: usize,
    /// Places of the window.
    pub places: usize,
    /// How it slides.
    pub window: Window,
    /// From one place to the next in the result.
    pub to: isize,
}

impl Axis {
    /// Whether the window is one cell that visits each element.
    pub fn is_plain(&self) -> bool {
        let w = self.window;
        w.size == 1 && w.stride == 1 && w.low == 0 && w.base_dilation == 1 && self.places == self.size
    }

    /// The elements that the window covers at a place.
    pub fn taps(&self, place: usize) -> Taps {
        let w = self.window;
        let (base, dilation) = (w.base_dilation, w.dilation);
        let start = (place * w.stride).cast_signed() - w.low;
        let at = |cell: usize| start + (cell * dilation).cast_signed();
        let is_on = |cell: &usize| {
            let at = at(*cell);
            at >= 0 && at.cast_unsigned().is_multiple_of(base) && at.cast_unsigned() / base < self.size
        };
        // At most one of `period` consecutive cells lies on an element.
        let period = base / divisor(base, dilation);
        let skipped = if start < 0 { (-start).cast_unsigned() / dilation } else { 0 };
        let Some(first) = (skipped..w.size.min(skipped + period + 1)).find(is_on) else { return (0, 0, 1) };
        let step = period * dilation / base;
        let element = at(first).cast_unsigned() / base;
        let by_size = (self.size - 1 - element) / step + 1;
        (element, by_size.min((w.size - 1 - first) / period + 1), step)
    }

    /// Cells of the dilated and padded base that windows reach.
    pub fn reach(&self) -> usize {
        let last = self.places.saturating_sub(1).saturating_mul(self.window.stride);
        last.saturating_add(self.window.size.saturating_sub(1).saturating_mul(self.window.dilation))
            .saturating_add(1)
    }
}

fn divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// Elements that a window lies on: the first, how many, and from one to the next.
pub type Taps = (usize, usize, usize);

/// Memory for rows.
#[derive(Default)]
pub struct Rows<T> {
    /// A row as the window sees it, with padding and holes.
    pub padded: Vec<T>,
    row: Vec<T>,
    blocks: [Vec<T>; 2],
    phases: Vec<T>,
    /// A row of results.
    pub result: Vec<T>,
}

/// A window along rows of `axis.size` elements of `inner` cells.
pub struct Along {
    axis: Axis,
    inner: usize,
    /// Cells of a row with its padding, as far as windows reach.
    reach: usize,
    /// The offset of the elements' cells in it, the cells that are cropped before them, and those that are left.
    begin: usize,
    skipped: usize,
    width: usize,
    /// Where the stride is above 1: cells of each phase (remainder by the stride), how many phases the window covers, and of
    /// each the window's first cell, the distance to the next, and how many there are.
    phase: usize,
    used: usize,
    folds: Vec<Taps>,
}

impl Along {
    /// Of rows whose elements have so many cells.
    pub fn new(axis: &Axis, inner: usize) -> Self {
        let Window { size, stride, low, dilation, .. } = axis.window;
        let (length, reach) = (axis.size * inner, axis.reach() * inner);
        let skipped = if low < 0 { low.unsigned_abs().min(axis.size) } else { 0 } * inner;
        let begin = (low.max(0).cast_unsigned() * inner).min(reach);
        let phase = axis.reach().div_ceil(stride) * inner;
        let used = stride.min((size - 1) * dilation + 1);
        let period = stride / divisor(stride, dilation);
        let fold = |rest: usize| {
            let cell = (0..size.min(stride)).find(|cell| cell * dilation % stride == rest)?;
            let at = rest * phase + cell * dilation / stride * inner;
            Some((at, period * dilation / stride * inner, (size - 1 - cell) / period + 1))
        };
        let folds = if size > MAX_DIRECT_WINDOW || stride == 1 {
            Vec::new()
        } else {
            (0..used).filter_map(fold).collect()
        };
        let width = (length - skipped).min(reach - begin);
        Self { axis: *axis, inner, reach, begin, skipped, width, phase, used, folds }
    }

    /// Accumulates rows of `x` into one, with its padding: into `rows.padded`.
    pub fn pad<T: Cell>(
        &self,
        x: &[T],
        is_inner: bool,
        (first, count, step): Taps,
        accumulator: &Accumulator<T, T>,
        rows: &mut Rows<T>,
    ) {
        let enter = if is_inner { accumulator.fresh } else { accumulator.enter };
        let (axis, inner) = (&self.axis, self.inner);
        let length = axis.size * inner;
        let Window { low, base_dilation, .. } = axis.window;
        let from = x.get(first * length..).unwrap_or_default();
        if rows.padded.len() != self.reach + SLACK_CELLS {
            rows.padded.clear();
            rows.padded.resize(self.reach + SLACK_CELLS, accumulator.start);
        }
        if base_dilation == 1 {
            let to = &mut rows.padded[self.begin..self.begin + self.width];
            if count == 0 {
                to.fill(accumulator.start);
            } else if self.width > 0 {
                enter(to, &from[self.skipped..], step * length, count);
            }
        } else {
            rows.row.clear();
            rows.row.resize(length, accumulator.start);
            if count > 0 {
                enter(&mut rows.row, from, step * length, count);
            }
            for (element, cells) in rows.row.chunks_exact(inner).enumerate() {
                let at = (element * base_dilation).cast_signed() + low;
                if at >= 0 && at.cast_unsigned() * inner < self.reach {
                    let at = at.cast_unsigned() * inner;
                    rows.padded[at..at + inner].copy_from_slice(cells);
                }
            }
        }
    }

    /// Accumulates along the padded row, into `rows.result`.
    pub fn fold<T: Cell>(&self, accumulator: &Accumulator<T, T>, rows: &mut Rows<T>) {
        let (inner, Window { size, stride, dilation, .. }) = (self.inner, self.axis.window);
        if size > MAX_DIRECT_WINDOW {
            blocks(size, dilation * inner, self.reach, accumulator, rows);
            let [row, _] = &rows.blocks;
            for (to, from) in rows.result.chunks_exact_mut(inner).zip(row.chunks(stride * inner)) {
                to.copy_from_slice(&from[..inner]);
            }
        } else if stride == 1 {
            (accumulator.fresh)(&mut rows.result, &rows.padded, dilation * inner, size);
        } else {
            self.phases(accumulator, rows);
        }
    }

    /// Places that are `stride` apart: the row is split into phases, each of which is accumulated as a row of stride 1.
    fn phases<T: Cell>(&self, accumulator: &Accumulator<T, T>, rows: &mut Rows<T>) {
        let (stride, inner, length) = (self.axis.window.stride, self.inner, self.phase);
        if inner >= MIN_CELLS_IN_PLACE {
            let (apart, size) = (self.axis.window.dilation * inner, self.axis.window.size);
            for (place, to) in rows.result.chunks_exact_mut(inner).enumerate() {
                (accumulator.fresh)(to, &rows.padded[place * stride * inner..], apart, size);
            }
            return;
        }
        rows.phases.resize(length * self.used.max(2), accumulator.start);
        if stride == 2 && inner == 1 {
            let (even, odd) = rows.phases.split_at_mut(length);
            (accumulator.split)(&rows.padded[..self.reach], even, odd);
            if self.reach % 2 == 1 {
                even[length - 1] = rows.padded[self.reach - 1];
            }
        } else {
            for (phase, to) in rows.phases.chunks_exact_mut(length).take(self.used).enumerate() {
                let cells = rows.padded[..self.reach].chunks_exact(inner).skip(phase).step_by(stride);
                to.chunks_exact_mut(inner).zip(cells).for_each(|(to, cells)| to.copy_from_slice(cells));
            }
        }
        for (i, (at, step, count)) in self.folds.iter().enumerate() {
            let fold = if i == 0 { accumulator.fresh } else { accumulator.columns };
            fold(&mut rows.result, &rows.phases[*at..], *step, *count);
        }
    }
}

/// Places that are accumulated together where windows are long, so that partial results stay in the cache.
const PLACES_PER_BLOCK: usize = 1 << 12;

/// Accumulates `size` cells, `apart` from one to the next, at every place of the padded row into `rows.blocks[0]`.
fn blocks<T: Cell>(
    size: usize,
    apart: usize,
    reach: usize,
    accumulator: &Accumulator<T, T>,
    rows: &mut Rows<T>,
) {
    let beyond = (size - 1) * apart;
    let places = reach - beyond;
    let [result, next] = &mut rows.blocks;
    result.resize(places, accumulator.start);
    let current = &mut rows.row;
    let most = PLACES_PER_BLOCK.max(beyond);
    for (from, result) in (0..places).step_by(most).zip(result.chunks_mut(most)) {
        current.clear();
        current.extend_from_slice(&rows.padded[from..from + result.len() + beyond]);
        next.clear();
        next.resize(current.len(), accumulator.start);
        let (mut block, mut done) = (1, 0);
        loop {
            if size & block != 0 {
                let fold = if done == 0 { accumulator.fresh } else { accumulator.columns };
                fold(result, &current[done * apart..], 0, 1);
                done += block;
            }
            if done == size {
                break;
            }
            let length = current.len() - block * apart;
            next.truncate(length);
            (accumulator.fresh)(next, current, block * apart, 2);
            std::mem::swap(current, next);
            block *= 2;
        }
    }
}
