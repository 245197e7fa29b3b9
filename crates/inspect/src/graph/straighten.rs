//! Straightens long edges after the placement: dummies of one value that can have the same position get it.

use super::layered::Layered;

/// Moves dummies between their neighbours, so that each edge has as few bends as the adjacent nodes allow. `gap` is the
/// space that a dummy keeps.
pub(super) fn straighten(layered: &Layered, width: &impl Fn(u32) -> f64, gap: f64, centre_x: &mut [f64]) {
    let mut neighbours = vec![(None, None); layered.rank.len()];
    for rank in &layered.ranks {
        for pair in rank.windows(2) {
            neighbours[pair[0] as usize].1 = Some(pair[1]);
            neighbours[pair[1] as usize].0 = Some(pair[0]);
        }
    }
    // The dummies of a node are contiguous, from top to bottom.
    let first = layered.rank.len() - layered.source.len();
    let mut dummy = first;
    for chain in layered.source.chunk_by(|a, b| a == b) {
        let end = dummy + chain.len();
        while dummy < end {
            dummy = straighten_run(layered, width, gap, &neighbours, dummy..end, centre_x);
        }
    }
}

/// Moves the longest run of dummies from the start of `chain` that can be straight; returns its end.
fn straighten_run(
    layered: &Layered,
    width: &impl Fn(u32) -> f64,
    gap: f64,
    neighbours: &[(Option<u32>, Option<u32>)],
    chain: std::ops::Range<usize>,
    centre_x: &mut [f64],
) -> usize {
    let bounds = |dummy: usize, centre_x: &[f64]| {
        let (left, right) = neighbours[dummy];
        let low = left.map(|item| centre_x[item as usize] + width(item) / 2.0 + gap);
        let high = right.map(|item| centre_x[item as usize] - width(item) / 2.0 - gap);
        (low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY))
    };
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    let mut end = chain.start;
    while end < chain.end {
        let (next_low, next_high) = bounds(end, centre_x);
        let (next_low, next_high) = (low.max(next_low), high.min(next_high));
        if next_low > next_high {
            break;
        }
        (low, high) = (next_low, next_high);
        end += 1;
    }
    if end == chain.start {
        // No room for rounding errors: it stays.
        return end + 1;
    }
    // Aligned with the item above, else with the port of the item below, else at the average position of the run.
    let above = layered.above.links_of(crate::calls::index32(chain.start)).first();
    let above = above.map(|link| centre_x[layered.links[*link as usize].upper as usize]);
    let below = layered.below.links_of(crate::calls::index32(end - 1)).first().map(|link| {
        let link = &layered.links[*link as usize];
        centre_x[link.lower as usize] + (f64::from(link.port) - 0.5) * width(link.lower)
    });
    let run = &mut centre_x[chain.start..end];
    let mut sum = 0.0;
    let mut count = 0.0;
    for x in run.iter() {
        sum += x;
        count += 1.0;
    }
    let fits = |x: &f64| (low..=high).contains(x);
    let x = above.filter(fits).or(below.filter(fits)).unwrap_or((sum / count).clamp(low, high));
    run.fill(x);
    end
}
