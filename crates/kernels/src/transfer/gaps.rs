//! Finds the elements of a result that no part of a copy covers, in the order of memory: they are filled.

use crate::support::view::View;

/// Iterates the contiguous runs of elements of an injective view, in the order of memory.
struct Runs {
    /// Size and absolute stride of each dimension, major to minor.
    dims: Vec<(usize, usize)>,
    index: Vec<usize>,
    /// The elements of a run.
    length: usize,
    /// The first element of the next run; `None` at the end.
    start: Option<usize>,
}

impl Runs {
    fn new(view: &View) -> Self {
        let mut dims: Vec<(usize, usize)> = (view.sizes.iter().zip(&view.strides))
            .filter(|(size, _)| **size != 1)
            .map(|(size, stride)| (*size, stride.unsigned_abs()))
            .collect();
        let reversed = view.sizes.iter().zip(&view.strides).filter(|(_, stride)| **stride < 0);
        let reach_below: usize =
            reversed.map(|(size, stride)| size.saturating_sub(1) * stride.unsigned_abs()).sum();
        let start = (!view.sizes.contains(&0)).then(|| view.offset.saturating_sub(reach_below));
        dims.sort_by_key(|(_, stride)| std::cmp::Reverse(*stride));
        let mut length = 1;
        while let Some((size, _)) = dims.pop_if(|(_, stride)| *stride == length) {
            length *= size;
        }
        Self { index: vec![0; dims.len()], dims, length, start }
    }
}

impl Iterator for Runs {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        let start = self.start?;
        let mut next = start;
        self.start = None;
        for (index, (size, stride)) in self.index.iter_mut().zip(&self.dims).rev() {
            *index += 1;
            if *index < *size {
                self.start = Some(next + stride);
                break;
            }
            *index = 0;
            next -= stride * (size - 1);
        }
        Some((start, start + self.length))
    }
}

/// Calls `fill` with ranges that include every element of a buffer outside of all parts. With many parts or short runs the ranges
/// include elements of parts, too: parts must be copied afterwards.
pub fn gaps(parts: &[&View], length: usize, mut fill: impl FnMut(std::ops::Range<usize>)) {
    /// Maximum number of parts for exact gaps.
    const MAX_PARTS: usize = 8;
    /// Minimum length of runs for exact gaps.
    const MIN_RUN_ELEMENTS: usize = 16;
    let mut runs: Vec<_> = parts.iter().map(|view| Runs::new(view)).collect();
    if runs.len() > MAX_PARTS || runs.iter().any(|runs| runs.length < MIN_RUN_ELEMENTS) {
        return fill(0..length);
    }
    if let [runs] = runs.as_mut_slice() {
        let mut covered_end = 0;
        for (start, end) in runs {
            if start > covered_end {
                fill(covered_end..start);
            }
            covered_end = end;
        }
        if covered_end < length {
            fill(covered_end..length);
        }
        return;
    }
    let mut next_runs: Vec<_> = runs.iter_mut().map(Iterator::next).collect();
    let mut covered_end = 0;
    loop {
        let first = next_runs.iter().enumerate().filter_map(|(i, run)| run.map(|run| (run, i))).min();
        let Some(((start, end), i)) = first else { break };
        if start > covered_end {
            fill(covered_end..start);
        }
        covered_end = covered_end.max(end);
        next_runs[i] = runs[i].next();
    }
    if covered_end < length {
        fill(covered_end..length);
    }
}
