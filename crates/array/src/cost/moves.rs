//! Exact count of the elements whose slot differs between two layouts of an array, in interruptible steps.

use crate::index::Indices;
use crate::{Dims, MemoryMap};
use xla_messages::bug::OrBug;

/// A count in progress. Call [`step`](Self::step) until it returns true; drop it to cancel.
#[derive(Clone, Debug)]
pub struct MoveCount {
    from: MemoryMap,
    to: MemoryMap,
    /// `differences[d][i]`: the difference of the two tables; an element stays if they sum up to 0 over its index.
    /// `None` if a layout has no tables.
    differences: Option<Vec<Vec<i64>>>,
    /// The rows along the last dimension, by their indices in the others; a scalar is a row of one element.
    rows: Indices,
    /// The number of compared elements of the current row.
    column: i64,
    done: i64,
    moved: i64,
}

impl MoveCount {
    /// Starts a count; `None` if the sizes differ.
    pub fn new(from: &MemoryMap, to: &MemoryMap) -> Option<Self> {
        if from.sizes() != to.sizes() {
            return None;
        }
        let differences = from.tables().zip(to.tables()).map(|(from, to)| {
            // The tables cover the padded sizes, which may differ; `zip` stops at the shorter one, which covers all elements.
            let dimension = |(a, b): (&Vec<i64>, &Vec<i64>)| a.iter().zip(b).map(|(a, b)| a - b).collect();
            from.iter().zip(to).map(dimension).collect()
        });
        let outer = from.sizes().split_last().map_or(&[][..], |(_, outer)| outer);
        let mut rows = Indices::row_major(outer);
        rows.advance();
        Some(Self { from: from.clone(), to: to.clone(), differences, rows, column: 0, done: 0, moved: 0 })
    }

    /// Compares the slots of up to `budget` more elements. Returns true once all are compared.
    pub fn step(&mut self, budget: i64) -> bool {
        let mut left = budget.max(0).min(self.total() - self.done);
        self.done += left;
        let row_size = self.from.sizes().last().copied();
        while left > 0
            && let Some(row) = self.rows.current()
        {
            let (count, moved) = match row_size {
                Some(size) => {
                    let count = left.min(size - self.column);
                    (count, self.moved_in_row(row, self.column, count))
                }
                // A scalar.
                None => (1, i64::from(self.from.slot(&[]) != self.to.slot(&[]))),
            };
            self.moved += moved;
            left -= count;
            self.column += count;
            if Some(self.column) == row_size {
                self.column = 0;
                self.rows.advance();
            }
        }
        self.is_finished()
    }

    /// The number of moved elements among `length` ones of the row `outer`, from column `first` on.
    fn moved_in_row(&self, outer: &[i64], first: i64, length: i64) -> i64 {
        let count = |moved: usize| i64::try_from(moved).or_bug(0, "a number of elements exceeds i64");
        let position = |index: i64| usize::try_from(index).or_bug(usize::MAX, "a negative index");
        if let Some((last, others)) = self.differences.as_ref().and_then(|d| d.split_last())
            && let Some(range) = last.get(position(first)..position(first + length))
        {
            let base: i64 = others
                .iter()
                .zip(outer)
                .map(|(d, i)| d.get(position(*i)).copied().or_bug(0, "an index outside its table"))
                .sum();
            return count(range.iter().filter(|difference| base + **difference != 0).count());
        }
        let mut index = Dims::from_slice(outer);
        let last = index.len();
        index.push(first);
        let moves = |i: &i64| {
            index[last] = *i;
            self.from.slot(&index) != self.to.slot(&index)
        };
        count((first..first + length).filter(moves).count())
    }

    /// The number of elements to compare.
    pub fn total(&self) -> i64 {
        self.from.elements()
    }

    /// The number of compared elements.
    pub fn done(&self) -> i64 {
        self.done
    }

    /// Whether all elements are compared.
    pub fn is_finished(&self) -> bool {
        self.done >= self.total()
    }

    /// The number of elements found so far whose slot differs.
    pub fn moved(&self) -> i64 {
        self.moved
    }

    /// Bytes of the moved elements in the new layout, rounded up.
    pub fn bytes_moved(&self) -> i64 {
        // No overflow: no more elements than slots, whose bits fit an i64.
        (self.moved * self.to.bits_per_slot() + 7) / 8
    }
}
