//! What a layout costs: cache lines touched by walks, slots and bytes lost to padding, elements that a change of
//! layout moves.
//!
//! All counts are exact. Where slots are a sum of one term a dimension (every layout without `*`) the average over
//! all walks along a dimension takes time of the order of the sizes' sum, not their product: a walk's line count
//! depends only on where in a line it starts, so walks are counted by that place. [`MoveCount`] compares two layouts in
//! steps that can be interrupted.

mod moves;

pub use moves::MoveCount;

use super::index::Indices;
use super::{Dims, MemoryMap};

/// Slots and bytes that hold no element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waste {
    /// Slots of padding.
    pub cells: i64,
    /// All slots.
    pub of_cells: i64,
    /// Bytes more than the elements alone take.
    pub bytes: i64,
}

/// What padding takes, whatever made it.
pub fn padding_waste(map: &MemoryMap) -> Waste {
    // The bits of all cells fit an i64, and there are no more elements than cells.
    let elements = (map.elements() * map.bits_per_slot() + 7) / 8;
    Waste { cells: map.padding_slots(), of_cells: map.slot_count(), bytes: map.bytes() - elements }
}

/// All walks along one dimension together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walks {
    /// How many there are: one for each index of the other dimensions.
    pub walks: i64,
    /// The distinct lines of each walk, summed up.
    pub lines: i64,
    /// The fewest lines a walk of that many elements could touch.
    pub fewest: i64,
}

impl Walks {
    /// Distinct lines of a walk on average; `None` where there is no walk.
    #[allow(clippy::cast_precision_loss, reason = "a mean to show")]
    pub fn mean(self) -> Option<f64> {
        (self.walks > 0).then(|| self.lines as f64 / self.walks as f64)
    }
}

/// The cache lines of an array's memory, which begins at the start of a line.
#[derive(Clone, Copy, Debug)]
pub struct CacheLines<'m> {
    map: &'m MemoryMap,
    line_bits: i64,
}

impl<'m> CacheLines<'m> {
    /// The longest line, in bytes.
    pub const MAX_LINE_BYTES: i64 = 1 << 16;
    /// The most steps [`average`](Self::average) takes before it gives up.
    pub const MAX_STEPS: i64 = 1 << 27;

    /// Lines of this many bytes; `None` outside `1..=MAX_LINE_BYTES`.
    pub fn new(map: &'m MemoryMap, line_bytes: i64) -> Option<Self> {
        (1..=Self::MAX_LINE_BYTES).contains(&line_bytes).then_some(Self { map, line_bits: line_bytes * 8 })
    }

    /// The number of lines the array takes.
    pub fn total(&self) -> i64 {
        let bits = self.map.slot_count() * self.map.bits_per_slot();
        bits / self.line_bits + i64::from(bits % self.line_bits > 0)
    }

    /// The lines a slot lies in, the first and the last; `None` outside the array.
    pub fn of_slot(&self, slot: i64) -> Option<(i64, i64)> {
        (0..self.map.slot_count()).contains(&slot).then(|| self.span(slot))
    }

    fn span(&self, slot: i64) -> (i64, i64) {
        let bit = slot * self.map.bits_per_slot();
        (bit / self.line_bits, (bit + self.map.bits_per_slot() - 1) / self.line_bits)
    }

    /// The most elements of a tiled dimension that [`walk`](Self::walk) counts one by one.
    pub const MAX_WALK_ELEMENTS: i64 = 1 << 22;

    /// The distinct lines that hold the elements met walking along dimension `d`, the other indices being those of
    /// `through`, whose entry `d` does not count. `None` where there is no such dimension, where `through` lies outside
    /// the padded sizes, and where a tiled dimension has more than [`MAX_WALK_ELEMENTS`](Self::MAX_WALK_ELEMENTS).
    pub fn walk(&self, d: usize, through: &[i64]) -> Option<i64> {
        let size = *self.map.sizes().get(d)?;
        let mut index: Dims = through.iter().copied().collect();
        *index.get_mut(d)? = 0;
        if size == 0 {
            return (index.len() == self.map.rank()).then_some(0);
        }
        let start = self.map.slot(&index)?;
        if let Some(strides) = self.map.strides() {
            return Some(self.strided(start, strides[d], size));
        }
        if size > Self::MAX_WALK_ELEMENTS {
            return None;
        }
        let slots = (0..size).filter_map(|e| {
            index[d] = e;
            self.map.slot(&index)
        });
        Some(self.distinct(slots, &mut Vec::new()))
    }

    /// The number of distinct lines of `size` slots, at least one, that are `stride` slots apart.
    ///
    /// Where a step is no longer than a line, no line between the first and the last is left out. Otherwise only
    /// neighbours can share one, and where in its line an element starts repeats with a period of at most `line_bits`.
    fn strided(&self, start: i64, stride: i64, size: i64) -> i64 {
        let step = stride * self.map.bits_per_slot();
        let (first, _) = self.span(start);
        if step <= self.line_bits {
            let (_, last) = self.span(start + (size - 1) * stride);
            return last - first + 1;
        }
        let period = self.line_bits / gcd(self.line_bits, step);
        let times = |count: i64, e: i64| (count - e + period - 1).div_euclid(period).max(0);
        let lines = (0..size.min(period)).map(|e| {
            let (first, last) = self.span(start + e * stride);
            let (next, _) = self.span(start + (e + 1) * stride);
            times(size, e) * (last - first + 1) - times(size - 1, e) * i64::from(next == last)
        });
        lines.sum()
    }

    /// The number of distinct lines of these slots. `runs` is scratch space.
    fn distinct(&self, slots: impl Iterator<Item = i64>, runs: &mut Vec<(i64, i64)>) -> i64 {
        runs.clear();
        let mut ascending = true;
        for slot in slots {
            let (first, last) = self.span(slot);
            match runs.last_mut() {
                Some(run) if first >= run.0 && first <= run.1 + 1 => run.1 = run.1.max(last),
                before => {
                    ascending &= before.is_none_or(|run| first > run.1);
                    runs.push((first, last));
                }
            }
        }
        if !ascending {
            runs.sort_unstable();
        }
        let mut covered = -1;
        let new = |&(first, last): &(i64, i64)| {
            let lines = (last - first.max(covered + 1) + 1).max(0);
            covered = covered.max(last);
            lines
        };
        runs.iter().map(new).sum()
    }

    /// All walks along dimension `d` over the elements. `None` where there is no such dimension, or where it would
    /// take more than [`MAX_STEPS`](Self::MAX_STEPS): very long lines of narrow cells, or an array of more elements
    /// than that whose tiles have a `*`.
    pub fn average(&self, d: usize) -> Option<Walks> {
        let sizes = self.map.sizes();
        let size = *sizes.get(d)?;
        let others = (0..sizes.len()).filter(|j| *j != d);
        let walks = if others.clone().any(|j| sizes[j] == 0) {
            0
        } else {
            others.clone().try_fold(1_i64, |product, j| product.checked_mul(sizes[j]))?
        };
        let bits = size.checked_mul(self.map.bits_per_slot())?;
        let fewest = bits / self.line_bits + i64::from(bits % self.line_bits > 0);
        let lines = if walks == 0 || size == 0 {
            0
        } else if self.map.is_separable() {
            self.lines_by_start(d, others)?
        } else {
            self.lines_by_walking(d)?
        };
        Some(Walks { walks, lines, fewest })
    }

    /// Walks counted by the place in a line at which they start, each place walked once.
    fn lines_by_start(&self, d: usize, others: impl Iterator<Item = usize>) -> Option<i64> {
        let sizes = self.map.sizes();
        // So many slots on, a cell lies at the same place in a line.
        let period = self.line_bits / gcd(self.line_bits, self.map.bits_per_slot());
        let places = usize::try_from(period).ok()?;
        let mut steps = 0_i64;
        let mut starts = vec![(0_i64, 1_i64)];
        for j in others {
            let mut terms = vec![0_i64; places];
            steps = steps.checked_add(sizes[j])?;
            for e in 0..sizes[j] {
                terms[usize::try_from(self.map.slot_offset(j, e) % period).ok()?] += 1;
            }
            let terms: Vec<(i64, i64)> = (0..).zip(terms).filter(|(_, count)| *count > 0).collect();
            steps = steps.checked_add(i64::try_from(starts.len().checked_mul(terms.len())?).ok()?)?;
            if steps > Self::MAX_STEPS {
                return None;
            }
            let mut next = vec![0_i64; places];
            for (place, count) in &starts {
                for (term, more) in &terms {
                    next[usize::try_from((place + term) % period).ok()?] += count * more;
                }
            }
            starts = (0..).zip(next).filter(|(_, count)| *count > 0).collect();
        }
        let walked = i64::try_from(starts.len()).ok()?.checked_mul(sizes[d])?;
        if steps.checked_add(walked)? > Self::MAX_STEPS {
            return None;
        }
        let mut runs = Vec::new();
        starts.iter().try_fold(0_i64, |sum, (place, count)| {
            let lines = self.distinct((0..sizes[d]).map(|e| place + self.map.slot_offset(d, e)), &mut runs);
            sum.checked_add(lines.checked_mul(*count)?)
        })
    }

    fn lines_by_walking(&self, d: usize) -> Option<i64> {
        if self.map.elements() > Self::MAX_STEPS >> 4 {
            return None;
        }
        let mut starts: Dims = self.map.sizes().iter().copied().collect();
        let size = std::mem::replace(&mut starts[d], 1);
        let mut indices = Indices::row_major(&starts);
        let mut runs = Vec::new();
        let mut lines = 0_i64;
        while let Some(start) = indices.advance() {
            let mut along = Dims::from_slice(start);
            let slots = (0..size).filter_map(|e| {
                along[d] = e;
                self.map.slot(&along)
            });
            lines = lines.checked_add(self.distinct(slots, &mut runs))?;
        }
        Some(lines)
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests;
