//! The steps during which allocations are free.
//!
//! A segment tree over the starts of intervals, with the latest end below each node: an interval that contains a live range is
//! found in logarithmic time, however many allocations there are.

use std::collections::BTreeSet;

/// Intervals of steps in which allocations are free; an end is the first step after an interval, or [`usize::MAX`].
pub struct FreeIntervals {
    /// All possible starts, in order.
    starts: Vec<usize>,
    /// The latest end of the intervals below each node of the tree; the root is node 1, and the leaves are the second half.
    latest_ends: Vec<usize>,
    /// The intervals from each start: end and allocation.
    intervals: Vec<BTreeSet<(usize, usize)>>,
    #[cfg(test)]
    visited_nodes: usize,
}

impl FreeIntervals {
    /// Creates an empty set, whose intervals may start at step 0 and at these steps.
    pub fn new(starts: impl IntoIterator<Item = usize>) -> Self {
        let starts: BTreeSet<usize> = std::iter::once(0).chain(starts).collect();
        let leaves = starts.len().next_power_of_two();
        Self {
            latest_ends: vec![0; 2 * leaves],
            intervals: vec![BTreeSet::new(); starts.len()],
            starts: starts.into_iter().collect(),
            #[cfg(test)]
            visited_nodes: 0,
        }
    }

    /// Adds the remainders of an interval of an allocation, before and after the steps from `first` to `last`, which are occupied.
    pub fn insert_remainders(
        &mut self,
        (start, end): (usize, usize),
        allocation: usize,
        [first, last]: [usize; 2],
    ) {
        self.insert(start, first, allocation);
        self.insert(last + 1, end, allocation);
    }

    /// Removes and returns an interval that contains these steps, and its allocation. Best fit: the latest start, then the
    /// earliest end.
    pub fn take(&mut self, [first, last]: [usize; 2]) -> Option<((usize, usize), usize)> {
        let leaves = self.latest_ends.len() / 2;
        let mut node = leaves + self.starts.partition_point(|start| *start <= first) - 1;
        while self.latest_ends[node] <= last {
            self.visit();
            // Continue in the subtree to the left.
            node >>= node.trailing_zeros();
            if node == 1 {
                return None;
            }
            node -= 1;
        }
        while node < leaves {
            self.visit();
            node = 2 * node + 1;
            if self.latest_ends[node] <= last {
                node -= 1;
            }
        }
        let index = node - leaves;
        let (end, allocation) = *self.intervals[index].range((last + 1, 0)..).next()?;
        self.intervals[index].remove(&(end, allocation));
        self.update_ends(index);
        Some(((self.starts[index], end), allocation))
    }

    fn insert(&mut self, start: usize, end: usize, allocation: usize) {
        if start < end
            && let Ok(index) = self.starts.binary_search(&start)
        {
            self.intervals[index].insert((end, allocation));
            self.update_ends(index);
        }
    }

    /// Updates the ends of a leaf and its ancestors.
    fn update_ends(&mut self, index: usize) {
        let mut node = self.latest_ends.len() / 2 + index;
        self.latest_ends[node] = self.intervals[index].last().map_or(0, |(end, _)| *end);
        while node > 1 {
            self.visit();
            node /= 2;
            self.latest_ends[node] = self.latest_ends[2 * node].max(self.latest_ends[2 * node + 1]);
        }
    }

    #[cfg_attr(not(test), allow(clippy::unused_self, reason = "only tests count visited nodes"))]
    fn visit(&mut self) {
        #[cfg(test)]
        {
            self.visited_nodes += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_support::Random;

    const ALWAYS: (usize, usize) = (0, usize::MAX);

    /// The allocation of each live range, and the visited nodes.
    fn assigned(ranges: &[[usize; 2]]) -> (Vec<usize>, usize) {
        let mut free = FreeIntervals::new(ranges.iter().map(|[_, last]| last + 1));
        let mut count = 0;
        let assigned = ranges.iter().map(|range| {
            let (interval, allocation) = free.take(*range).unwrap_or_else(|| {
                count += 1;
                (ALWAYS, count - 1)
            });
            free.insert_remainders(interval, allocation, *range);
            allocation
        });
        let assigned = assigned.collect();
        (assigned, free.visited_nodes)
    }

    #[test]
    fn live_ranges_of_an_allocation_do_not_overlap() {
        let mut random = Random::new(3);
        for steps in [5, 20, 100] {
            let mut ranges: Vec<[usize; 2]> = (0..100)
                .map(|_| {
                    let first = random.below(steps);
                    [first, first + random.below(steps / 4 + 1)]
                })
                .collect();
            let (allocations, _) = assigned(&ranges);
            for (i, (a, [first, last])) in allocations.iter().zip(&ranges).enumerate() {
                for (b, [other_first, other_last]) in allocations.iter().zip(&ranges).skip(i + 1) {
                    assert!(a != b || last < other_first || other_last < first);
                }
            }
            // In the order of their starts, the assignment is optimal: as many allocations as are live at the same time.
            ranges.sort_unstable();
            let (allocations, _) = assigned(&ranges);
            let live = |step| ranges.iter().filter(|[first, last]| (*first..=*last).contains(&step)).count();
            assert_eq!(allocations.iter().max().map(|last| last + 1), (0..200).map(live).max());
        }
    }

    #[test]
    fn each_live_range_visits_a_logarithmic_number_of_nodes() {
        let count = 20_000;
        let all_live: Vec<[usize; 2]> = (0..count).map(|first| [first, count]).collect();
        let nested: Vec<[usize; 2]> = (0..count).map(|first| [first, 3 * count - first]).collect();
        let chain: Vec<[usize; 2]> = (0..count).map(|first| [first, first + 1]).collect();
        for (ranges, allocations) in [(all_live, count), (nested, count), (chain, 2)] {
            let (assigned, visited) = assigned(&ranges);
            assert_eq!(assigned.iter().max(), Some(&(allocations - 1)));
            assert!(visited <= 70 * count, "{visited}");
        }
    }
}
