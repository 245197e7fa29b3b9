//! How many elements change their slot from one layout of an array to another: exact, in steps.

use crate::index::Indices;
use crate::{Dims, MemoryMap};
use xla_messages::bug::OrBug;

/// A count in progress. Call [`step`](Self::step) until it says it is finished; drop it to cancel.
#[derive(Clone, Debug)]
pub struct MoveCount {
    from: MemoryMap,
    to: MemoryMap,
    /// For each dimension and index the difference of the two slots; its sum over the dimensions is 0 where an
    /// element stays. `None` where a layout has no tables.
    differences: Option<Vec<Vec<i64>>>,
    /// The rows along the last dimension, by their indices in the others; a scalar is one row of one element.
    rows: Indices,
    /// The elements of the current row that were compared.
    column: i64,
    done: i64,
    moved: i64,
}

impl MoveCount {
    /// Starts to count; `None` where the two are not layouts of the same sizes.
    pub fn new(from: &MemoryMap, to: &MemoryMap) -> Option<Self> {
        if from.sizes() != to.sizes() {
            return None;
        }
        let differences = from.tables().zip(to.tables()).map(|(from, to)| {
            // The tables reach the padded sizes, which may differ; zip ends with the shorter one, and both have the
            // elements.
            let dimension = |(a, b): (&Vec<i64>, &Vec<i64>)| a.iter().zip(b).map(|(a, b)| a - b).collect();
            from.iter().zip(to).map(dimension).collect()
        });
        let outer = from.sizes().split_last().map_or(&[][..], |(_, outer)| outer);
        let mut rows = Indices::row_major(outer);
        rows.advance();
        Some(Self { from: from.clone(), to: to.clone(), differences, rows, column: 0, done: 0, moved: 0 })
    }

    /// Compares the slots of `budget` more elements. True when finished.
    pub fn step(&mut self, budget: i64) -> bool {
        let mut left = budget.max(0).min(self.total() - self.done);
        self.done += left;
        let row_size = self.from.sizes().last().copied();
        while left > 0
            && let Some(row) = self.rows.current()
        {
            let count = left.min(row_size.unwrap_or(1) - self.column);
            self.moved += match row_size {
                Some(_) => self.moved_in_row(row, self.column, count),
                None => i64::from(self.from.slot(&[]) != self.to.slot(&[])),
            };
            left -= count;
            self.column += count;
            if Some(self.column) == row_size {
                self.column = 0;
                self.rows.advance();
            }
        }
        self.is_finished()
    }

    /// Elements that move among `row` ones along the last dimension, from `first` on.
    fn moved_in_row(&self, outer: &[i64], first: i64, row: i64) -> i64 {
        let count = |moved: usize| i64::try_from(moved).unwrap_or(i64::MAX);
        let at = |index: i64| usize::try_from(index).unwrap_or(usize::MAX);
        if let Some((last, others)) = self.differences.as_ref().and_then(|d| d.split_last())
            && let Some(range) = last.get(at(first)..at(first + row))
        {
            let base: i64 = others
                .iter()
                .zip(outer)
                .map(|(d, e)| d.get(at(*e)).copied().or_bug(0, "an index outside its table"))
                .sum();
            return count(range.iter().filter(|difference| base + **difference != 0).count());
        }
        let mut index = Dims::from_slice(outer);
        let last = index.len();
        index.push(first);
        let moves = |e: &i64| {
            index[last] = *e;
            self.from.slot(&index) != self.to.slot(&index)
        };
        count((first..first + row).filter(moves).count())
    }

    /// Elements to look at.
    pub fn total(&self) -> i64 {
        self.from.elements()
    }

    /// Elements looked at so far.
    pub fn done(&self) -> i64 {
        self.done
    }

    /// Whether all were looked at.
    pub fn is_finished(&self) -> bool {
        self.done >= self.total()
    }

    /// Elements found so far that change their slot.
    pub fn moved(&self) -> i64 {
        self.moved
    }

    /// Bytes of those elements, as the new layout stores them, rounded up.
    pub fn bytes_moved(&self) -> i64 {
        // No more elements than cells, whose bits fit.
        (self.moved * self.to.bits_per_slot() + 7) / 8
    }
}
