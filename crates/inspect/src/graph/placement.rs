//! Positions of ordered items: each near its neighbours, without overlaps.
//!
//! A pass over the ranks moves the items of each as close as possible to the positions that their neighbours suggest. The
//! weighted sum of squared displacements is minimized exactly (isotonic regression by pooling adjacent violators), so the order
//! and the minimum gaps within a rank hold by construction. Dummies weigh more than nodes, which keeps long edges straight.

use super::layered::Layered;
use super::straighten::straighten;

/// The space between ranks, for the edges.
pub(super) const RANK_GAP_PIXELS: i32 = 40;
/// The space between adjacent nodes.
const NODE_GAP_PIXELS: f64 = 20.0;
/// The space on either side of a dummy.
const DUMMY_GAP_PIXELS: f64 = 10.0;
/// Passes that alternate down and up; one more considers neighbours in both directions.
const ALTERNATING_PASSES: usize = 6;
/// The weight of a dummy in its rank, and of an edge between two dummies; nodes and other edges have 1.
const DUMMY_WEIGHT: f64 = 6.0;
/// The weight of the position that an item has if its rank is centred. It keeps deep drawings from drifting sideways, over
/// hundreds of ranks, and hardly bends an edge.
const CENTRE_WEIGHT: f64 = 0.002;
/// The weight of an item without neighbours in the direction of a pass.
const UNLINKED_WEIGHT: f64 = 0.05;

/// Positions of items: the horizontal centre of each, and the top and bottom of each rank.
#[derive(Clone, Debug, Default)]
pub(super) struct Positions {
    pub centre_x: Vec<i32>,
    pub ranks: Vec<(i32, i32)>,
    pub width: i32,
    pub height: i32,
}

/// Rounds to whole pixels.
#[allow(clippy::cast_possible_truncation, reason = "saturates far beyond the size of any drawing")]
fn pixels(x: f64) -> i32 {
    x.round() as i32
}

/// The width of an item; `sizes` are those of the nodes.
fn item_width(sizes: &[(i32, i32)]) -> impl Fn(u32) -> f64 {
    |item: u32| sizes.get(item as usize).map_or(0.0, |(width, _)| f64::from(*width))
}

/// The positions of placed items.
fn positions(layered: &Layered, sizes: &[(i32, i32)], mut centre_x: Vec<f64>) -> Positions {
    let width = item_width(sizes);
    straighten(layered, &width, DUMMY_GAP_PIXELS, &mut centre_x);
    let left = (0..).zip(&centre_x).map(|(item, x)| x - width(item) / 2.0).fold(f64::INFINITY, f64::min);
    let centre_x: Vec<i32> = centre_x.iter().map(|x| pixels(x - left)).collect();
    let right = (0..).zip(&centre_x).map(|(item, x)| f64::from(*x) + width(item) / 2.0);
    let total_width = pixels(right.fold(0.0, f64::max).ceil());
    let mut ranks = Vec::with_capacity(layered.ranks.len());
    let mut y = 0_i32;
    for rank in &layered.ranks {
        let heights = rank.iter().filter_map(|item| sizes.get(*item as usize)).map(|(_, height)| *height);
        let bottom = y.saturating_add(heights.max().unwrap_or(0));
        ranks.push((y, bottom));
        y = bottom.saturating_add(RANK_GAP_PIXELS);
    }
    let height = ranks.last().map_or(0, |(_, bottom)| *bottom);
    Positions { centre_x, ranks, width: total_width, height }
}

/// The placement of ordered items, one pass at a time.
#[derive(Debug)]
pub(super) struct Placement {
    /// The minimum distance of each item from the first item of its rank.
    min_offset: Vec<f64>,
    /// The horizontal centre of each item if its rank is centred.
    centred: Vec<f64>,
    centre_x: Vec<f64>,
    pass: usize,
}

impl Placement {
    /// Every rank centred; `sizes` are those of the nodes.
    pub fn new(layered: &Layered, sizes: &[(i32, i32)]) -> Self {
        let width = item_width(sizes);
        let gap = |a: u32, b: u32| {
            let has_dummy = layered.is_dummy(a) || layered.is_dummy(b);
            if has_dummy { DUMMY_GAP_PIXELS } else { NODE_GAP_PIXELS }
        };
        let mut min_offset = vec![0.0; layered.rank.len()];
        let mut centred = vec![0.0; layered.rank.len()];
        for rank in &layered.ranks {
            let mut last = 0.0;
            for pair in rank.windows(2) {
                last += width(pair[0]).midpoint(width(pair[1])) + gap(pair[0], pair[1]);
                min_offset[pair[1] as usize] = last;
            }
            for item in rank {
                centred[*item as usize] = min_offset[*item as usize] - last / 2.0;
            }
        }
        Self { min_offset, centre_x: centred.clone(), centred, pass: 0 }
    }

    /// Makes a pass over the ranks; returns the positions after the last one.
    pub fn advance(&mut self, layered: &Layered, sizes: &[(i32, i32)]) -> Option<Positions> {
        if self.pass > ALTERNATING_PASSES {
            return Some(positions(layered, sizes, std::mem::take(&mut self.centre_x)));
        }
        let width = item_width(sizes);
        let (is_down, is_last) = (self.pass.is_multiple_of(2), self.pass == ALTERNATING_PASSES);
        self.pass += 1;
        let count = layered.ranks.len();
        let mut desired: Vec<(f64, f64)> = Vec::new();
        let mut blocks: Vec<Block> = Vec::new();
        for step in 0..count {
            let rank = &layered.ranks[if is_down { step } else { count - 1 - step }];
            desired.clear();
            desired.extend(rank.iter().map(|item| self.desired(layered, &width, *item, (is_down, is_last))));
            pool_adjacent_violators(rank, &desired, &self.min_offset, &mut blocks, &mut self.centre_x);
        }
        None
    }

    /// The position that the neighbours of an item in the direction of the pass suggest, and its weight.
    fn desired(
        &self,
        layered: &Layered,
        width: &impl Fn(u32) -> f64,
        item: u32,
        (is_down, is_last): (bool, bool),
    ) -> (f64, f64) {
        let (mut sum, mut weight) = (0.0, 0.0);
        let mut pull = |x: f64, by: f64| {
            sum += x * by;
            weight += by;
        };
        let port_offset = |fraction: f32, lower: u32| (f64::from(fraction) - 0.5) * width(lower);
        let strength = |other: u32| {
            let is_straight = layered.is_dummy(item) && layered.is_dummy(other);
            if is_straight { DUMMY_WEIGHT } else { 1.0 }
        };
        if is_down || is_last {
            for link in layered.above.links_of(item) {
                let link = &layered.links[*link as usize];
                let x = self.centre_x[link.upper as usize] - port_offset(link.port, item);
                pull(x, strength(link.upper));
            }
        }
        if !is_down || is_last {
            for link in layered.below.links_of(item) {
                let link = &layered.links[*link as usize];
                let x = self.centre_x[link.lower as usize] + port_offset(link.port, link.lower);
                pull(x, strength(link.lower));
            }
        }
        if weight == 0.0 {
            return (self.centre_x[item as usize], UNLINKED_WEIGHT);
        }
        let total = weight * (1.0 + CENTRE_WEIGHT);
        let sum = sum + self.centred[item as usize] * weight * CENTRE_WEIGHT;
        (sum / total, if layered.is_dummy(item) { DUMMY_WEIGHT } else { weight.sqrt() })
    }
}

/// Adjacent items that touch, and move together.
#[derive(Clone, Copy)]
struct Block {
    /// The desired position of the rank's first item, as a weighted mean.
    start: f64,
    weight: f64,
    items: usize,
}

/// Sets the positions of a rank's items as close to the desired ones as their minimum gaps allow.
fn pool_adjacent_violators(
    rank: &[u32],
    desired: &[(f64, f64)],
    min_offset: &[f64],
    blocks: &mut Vec<Block>,
    centre_x: &mut [f64],
) {
    blocks.clear();
    for (item, (x, weight)) in rank.iter().zip(desired) {
        let mut block = Block { start: x - min_offset[*item as usize], weight: *weight, items: 1 };
        while let Some(before) = blocks.pop_if(|before| before.start >= block.start) {
            let total = before.weight + block.weight;
            block = Block {
                start: (before.start * before.weight + block.start * block.weight) / total,
                weight: total,
                items: before.items + block.items,
            };
        }
        blocks.push(block);
    }
    let starts = blocks.iter().flat_map(|block| std::iter::repeat_n(block.start, block.items));
    for (item, start) in rank.iter().zip(starts) {
        centre_x[*item as usize] = start + min_offset[*item as usize];
    }
}
