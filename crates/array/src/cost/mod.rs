//! The cost of a layout: cache lines touched by walks along a dimension, slots and bytes of padding, elements that a
//! change of layout moves.
//!
//! All counts are exact. For a separable layout (one without `*`) the average over all walks along a dimension takes
//! time linear in the sum of the sizes, not in their product: the line count of a walk depends only on its start offset
//! within a line, so walks are counted by that offset. [`MoveCount`] compares two layouts in steps that can be
//! interrupted.

mod moves;

pub use moves::MoveCount;

use std::mem;

use xla_messages::compact::sort_pairs;

use super::index::Indices;
use super::{Dims, MemoryMap};

/// The cost of padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaddingWaste {
    /// Slots that contain padding.
    pub padding_slots: i64,
    /// All slots, including padding.
    pub slots: i64,
    /// Bytes in excess of those of the elements.
    pub excess_bytes: i64,
}

/// The cost of padding by tiles, tail alignment and legacy padded sizes.
pub fn padding_waste(map: &MemoryMap) -> PaddingWaste {
    // No overflow: the bits of all slots fit an i64, and there are no more elements than slots.
    let element_bytes = (map.elements() * map.bits_per_slot() + 7) / 8;
    PaddingWaste {
        padding_slots: map.padding_slots(),
        slots: map.slot_count(),
        excess_bytes: map.bytes() - element_bytes,
    }
}

/// Totals of all walks along one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walks {
    /// The number of walks: one per index of the other dimensions.
    pub walks: i64,
    /// The sum of the distinct lines of each walk.
    pub lines: i64,
    /// The minimum lines per walk: those of contiguous elements.
    pub min_lines: i64,
}

impl Walks {
    /// The mean of the distinct lines per walk; `None` without walks.
    #[allow(clippy::cast_precision_loss, reason = "a mean for display")]
    pub fn mean(self) -> Option<f64> {
        (self.walks > 0).then(|| self.lines as f64 / self.walks as f64)
    }
}

/// The cache lines of an array that is aligned to a line.
#[derive(Clone, Copy, Debug)]
pub struct CacheLines<'m> {
    map: &'m MemoryMap,
    line_bits: i64,
}

impl<'m> CacheLines<'m> {
    /// The maximum line size.
    pub const MAX_LINE_BYTES: i64 = 1 << 16;
    /// Maximum number of steps of [`average`](Self::average), each an offset counted or a slot visited; beyond, it returns `None`.
    pub const MAX_AVERAGE_STEPS: i64 = 1 << 27;

    /// Lines of this many bytes; `None` outside `1..=MAX_LINE_BYTES`.
    pub fn new(map: &'m MemoryMap, line_bytes: i64) -> Option<Self> {
        (1..=Self::MAX_LINE_BYTES).contains(&line_bytes).then_some(Self { map, line_bits: line_bytes * 8 })
    }

    /// The number of lines of the array.
    pub fn total(&self) -> i64 {
        let bits = self.map.slot_count() * self.map.bits_per_slot();
        bits / self.line_bits + i64::from(bits % self.line_bits > 0)
    }

    /// The first and the last line of a slot; `None` outside the array.
    pub fn lines_of_slot(&self, slot: i64) -> Option<(i64, i64)> {
        (0..self.map.slot_count()).contains(&slot).then(|| self.span(slot))
    }

    fn span(&self, slot: i64) -> (i64, i64) {
        let bit = slot * self.map.bits_per_slot();
        (bit / self.line_bits, (bit + self.map.bits_per_slot() - 1) / self.line_bits)
    }

    /// The maximum size of a tiled dimension for [`walk`](Self::walk), which visits each of its elements.
    pub const MAX_WALK_ELEMENTS: i64 = 1 << 22;

    /// The number of distinct lines touched by a walk along dimension `d` through the index `through`, whose coordinate
    /// `d` is ignored. `None` if there is no such dimension, if `through` is outside the padded sizes, or if the layout
    /// is tiled and the dimension exceeds [`MAX_WALK_ELEMENTS`](Self::MAX_WALK_ELEMENTS).
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
        let slots = (0..size).filter_map(|i| {
            index[d] = i;
            self.map.slot(&index)
        });
        Some(self.distinct(slots, &mut Vec::new()))
    }

    /// The number of distinct lines of `size` slots, at least one, `stride` slots apart.
    ///
    /// With a stride of at most a line, every line between the first and the last is touched. Otherwise only neighbours
    /// can share a line, and the offset of a slot within its line repeats with a period of at most `line_bits` slots.
    fn strided(&self, start: i64, stride: i64, size: i64) -> i64 {
        let step = stride * self.map.bits_per_slot();
        let (first, _) = self.span(start);
        if step <= self.line_bits {
            let (_, last) = self.span(start + (size - 1) * stride);
            return last - first + 1;
        }
        let period = self.line_bits / gcd(self.line_bits, step);
        let times = |count: i64, i: i64| (count - i + period - 1).div_euclid(period).max(0);
        let lines = (0..size.min(period)).map(|i| {
            let (first, last) = self.span(start + i * stride);
            let (next, _) = self.span(start + (i + 1) * stride);
            times(size, i) * (last - first + 1) - times(size - 1, i) * i64::from(next == last)
        });
        lines.sum()
    }

    /// The number of distinct lines of these slots. `ranges` is scratch space: ranges of lines.
    fn distinct(&self, slots: impl Iterator<Item = i64>, ranges: &mut Vec<(i64, i64)>) -> i64 {
        ranges.clear();
        let mut is_ascending = true;
        for slot in slots {
            let (first, last) = self.span(slot);
            match ranges.last_mut() {
                Some(range) if first >= range.0 && first <= range.1 + 1 => range.1 = range.1.max(last),
                before => {
                    is_ascending &= before.is_none_or(|range| first > range.1);
                    ranges.push((first, last));
                }
            }
        }
        if !is_ascending {
            *ranges = sort_pairs(mem::take(ranges));
        }
        let mut covered = -1;
        let new = |&(first, last): &(i64, i64)| {
            let lines = (last - first.max(covered + 1) + 1).max(0);
            covered = covered.max(last);
            lines
        };
        ranges.iter().map(new).sum()
    }

    /// Totals of all walks along dimension `d`. `None` if there is no such dimension, or if it would take more than
    /// [`MAX_AVERAGE_STEPS`](Self::MAX_AVERAGE_STEPS): for very long lines of narrow elements, or for a large array whose tiles have a
    /// `*`.
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
        let min_lines = bits / self.line_bits + i64::from(bits % self.line_bits > 0);
        let lines = if walks == 0 || size == 0 {
            0
        } else if self.map.is_separable() {
            self.lines_by_start(d, others)?
        } else {
            self.lines_by_walking(d)?
        };
        Some(Walks { walks, lines, min_lines })
    }

    /// Counts walks by their start offset within a line, in slots, and walks each offset once.
    fn lines_by_start(&self, d: usize, others: impl Iterator<Item = usize>) -> Option<i64> {
        let sizes = self.map.sizes();
        // Offsets within a line repeat after this many slots.
        let period = self.line_bits / gcd(self.line_bits, self.map.bits_per_slot());
        let offset_count = usize::try_from(period).ok()?;
        let mut steps = 0_i64;
        let mut starts = vec![(0_i64, 1_i64)];
        for j in others {
            let mut terms = vec![0_i64; offset_count];
            steps = steps.checked_add(sizes[j])?;
            for i in 0..sizes[j] {
                terms[usize::try_from(self.map.slot_offset(j, i) % period).ok()?] += 1;
            }
            let terms: Vec<(i64, i64)> = (0..).zip(terms).filter(|(_, count)| *count > 0).collect();
            steps = steps.checked_add(i64::try_from(starts.len().checked_mul(terms.len())?).ok()?)?;
            if steps > Self::MAX_AVERAGE_STEPS {
                return None;
            }
            let mut next = vec![0_i64; offset_count];
            for (offset, count) in &starts {
                for (term, term_count) in &terms {
                    next[usize::try_from((offset + term) % period).ok()?] += count * term_count;
                }
            }
            starts = (0..).zip(next).filter(|(_, count)| *count > 0).collect();
        }
        let walked = i64::try_from(starts.len()).ok()?.checked_mul(sizes[d])?;
        if steps.checked_add(walked)? > Self::MAX_AVERAGE_STEPS {
            return None;
        }
        let mut ranges = Vec::new();
        starts.iter().try_fold(0_i64, |sum, (offset, count)| {
            let slots = (0..sizes[d]).map(|i| offset + self.map.slot_offset(d, i));
            sum.checked_add(self.distinct(slots, &mut ranges).checked_mul(*count)?)
        })
    }

    fn lines_by_walking(&self, d: usize) -> Option<i64> {
        if self.map.elements() > Self::MAX_AVERAGE_STEPS >> 4 {
            return None;
        }
        let mut starts: Dims = self.map.sizes().iter().copied().collect();
        let size = mem::replace(&mut starts[d], 1);
        let mut indices = Indices::row_major(&starts);
        let mut ranges = Vec::new();
        let mut lines = 0_i64;
        while let Some(start) = indices.advance() {
            let mut along = Dims::from_slice(start);
            let slots = (0..size).filter_map(|i| {
                along[d] = i;
                self.map.slot(&along)
            });
            lines = lines.checked_add(self.distinct(slots, &mut ranges))?;
        }
        Some(lines)
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests;
