//! The order of the items within their ranks: sweeps that sort each rank by the barycentres of its items' neighbours, and
//! keep the order with the fewest crossings.

use super::layered::Layered;

/// The number of sweeps, alternately down and up, by the maximum number of items.
const SWEEPS: [(usize, usize); 4] = [(2_000, 24), (20_000, 10), (100_000, 6), (usize::MAX, 4)];
/// Consecutive sweeps without an improvement after which the search ends.
const MAX_FUTILE_SWEEPS: usize = 4;

/// The ordering of the items of each rank, one sweep at a time.
#[derive(Debug)]
pub(super) struct Ordering {
    /// The position of each item within its rank.
    position: Vec<u32>,
    /// The fewest crossings so far, and the order that has them.
    best: (u64, Vec<Vec<u32>>),
    /// The number of sweeps without an improvement.
    futile: usize,
    sweep: usize,
    sweeps: usize,
}

impl Ordering {
    /// The ordering that the ranks have.
    pub fn new(layered: &Layered) -> Self {
        let items = layered.rank.len();
        let sweeps = SWEEPS.iter().find(|(max, _)| items <= *max).map_or(0, |(_, sweeps)| *sweeps);
        let mut position = vec![0_u32; items];
        layered.ranks.iter().for_each(|rank| set_positions(rank, &mut position));
        let best = (crossings(layered, &position), layered.ranks.clone());
        Self { position, best, futile: 0, sweep: 0, sweeps }
    }

    /// Sweeps once; returns whether the ordering is finished, and the ranks have the best order.
    pub fn advance(&mut self, layered: &mut Layered) -> bool {
        if self.sweep == self.sweeps || self.best.0 == 0 || self.futile == MAX_FUTILE_SWEEPS {
            layered.ranks = std::mem::take(&mut self.best.1);
            return true;
        }
        sweep_once(layered, &mut self.position, self.sweep.is_multiple_of(2));
        let count = crossings(layered, &self.position);
        // The first two sweeps establish an order, even if they do not reduce the crossings.
        if count < self.best.0 || self.sweep < 2 && count == self.best.0 {
            self.best = (count, layered.ranks.clone());
            self.futile = 0;
        } else {
            self.futile += 1;
        }
        self.sweep += 1;
        false
    }
}

fn set_positions(rank: &[u32], position: &mut [u32]) {
    for (index, item) in (0..).zip(rank) {
        position[*item as usize] = index;
    }
}

/// Sorts each rank by the mean position of its items' neighbours in the rank before it, downwards or upwards.
fn sweep_once(layered: &mut Layered, position: &mut [u32], is_down: bool) {
    let count = layered.ranks.len();
    let mut keyed: Vec<(f64, u32)> = Vec::new();
    for step in 1..count {
        let rank = if is_down { step } else { count - 1 - step };
        keyed.clear();
        for item in &layered.ranks[rank] {
            let links = if is_down { layered.above.links_of(*item) } else { layered.below.links_of(*item) };
            let (mut sum, mut weight) = (0.0, 0.0);
            for link in links {
                let link = &layered.links[*link as usize];
                // Seen from above, the operands of one user are in their order.
                sum += if is_down {
                    f64::from(position[link.upper as usize])
                } else {
                    f64::from(position[link.lower as usize]) + f64::from(link.port) - 0.5
                };
                weight += 1.0;
            }
            let key = if links.is_empty() { f64::from(position[*item as usize]) } else { sum / weight };
            keyed.push((key, *item));
        }
        // Stable, so that equal items keep their order.
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (slot, (_, item)) in layered.ranks[rank].iter_mut().zip(&keyed) {
            *slot = *item;
        }
        set_positions(&layered.ranks[rank], position);
    }
}

/// The number of pairs of links that cross, by counting inversions with a Fenwick tree.
fn crossings(layered: &Layered, position: &[u32]) -> u64 {
    let mut total = 0_u64;
    let mut ends: Vec<(u32, u32)> = Vec::new();
    let mut tree: Vec<u32> = Vec::new();
    for rank in 0..layered.ranks.len().saturating_sub(1) {
        ends.clear();
        let links = layered.links_below(rank).iter();
        ends.extend(links.map(|link| (position[link.upper as usize], position[link.lower as usize])));
        ends.sort_unstable();
        let size = layered.ranks[rank + 1].len();
        tree.clear();
        tree.resize(size + 1, 0);
        // The links before this one in the upper rank that end further right cross it.
        for (before, (_, lower)) in (0_u64..).zip(&ends) {
            let mut not_right = 0_u64;
            let mut node = *lower as usize + 1;
            while node > 0 {
                not_right += u64::from(tree[node]);
                node &= node - 1;
            }
            total += before - not_right;
            let mut node = *lower as usize + 1;
            while node <= size {
                tree[node] += 1;
                node += node & node.wrapping_neg();
            }
        }
    }
    total
}
