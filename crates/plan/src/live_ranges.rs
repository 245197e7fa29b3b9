//! Live ranges of values, and the loops that extend them.
//!
//! A value is live from the first step that writes it to the last that reads it. A value that is written before a loop and read
//! within it is live to the end of the loop.

use std::cmp::Reverse;

use crate::array::ValueId;
use crate::lowering::Lowered;
use crate::step::Loop;

/// Start of the live range of a value that no step writes.
const UNWRITTEN: usize = usize::MAX;

/// The loops that enclose each step.
pub struct LoopNest<'l> {
    loops: &'l [Loop],
    /// Per step, the index of the innermost loop.
    innermost: Vec<Option<usize>>,
    /// Per loop, the index of the enclosing one.
    parents: Vec<Option<usize>>,
}

impl<'l> LoopNest<'l> {
    pub fn new(loops: &'l [Loop], step_count: usize) -> Self {
        let mut order: Vec<usize> = (0..loops.len()).collect();
        order.sort_by_key(|number| (loops[*number].start, Reverse(loops[*number].end)));
        let mut starting = order.into_iter().peekable();
        let mut enclosing: Vec<usize> = Vec::new();
        let mut nest =
            Self { loops, innermost: Vec::with_capacity(step_count), parents: vec![None; loops.len()] };
        for index in 0..step_count {
            while enclosing.last().is_some_and(|number| loops[*number].end < index) {
                enclosing.pop();
            }
            while let Some(number) = starting.next_if(|number| loops[*number].start == index) {
                nest.parents[number] = enclosing.last().copied();
                enclosing.push(number);
            }
            nest.innermost.push(enclosing.last().copied());
        }
        nest
    }

    /// The innermost loop that encloses a step.
    pub fn innermost(&self, index: usize) -> Option<Loop> {
        Some(self.loops[(*self.innermost.get(index)?)?])
    }

    /// The outermost loop that encloses a step and starts after another step.
    fn outermost_after(&self, index: usize, other: usize) -> Option<Loop> {
        let chain = std::iter::successors(self.innermost[index], |number| self.parents[*number]);
        chain.map(|number| self.loops[number]).take_while(|enclosing| other < enclosing.start).last()
    }
}

/// The first and the last step of each value's live range, and the steps that read it, in order.
pub struct LiveRanges {
    pub first: Vec<usize>,
    pub last: Vec<usize>,
    readers: Vec<Vec<usize>>,
}

impl LiveRanges {
    pub fn new(lowered: &Lowered, nest: &LoopNest) -> Self {
        let count = lowered.values.len();
        let mut live =
            Self { first: vec![UNWRITTEN; count], last: vec![0; count], readers: vec![Vec::new(); count] };
        for (index, step) in lowered.steps.iter().enumerate() {
            for ValueId(value) in step.written() {
                live.first[value] = live.first[value].min(index);
            }
            step.read().for_each(|value| live.readers[value.0].push(index));
        }
        for (index, step) in lowered.steps.iter().enumerate() {
            for ValueId(value) in step.read().chain(step.written()) {
                let end =
                    nest.outermost_after(index, live.first[value]).map_or(index, |enclosing| enclosing.end);
                live.last[value] = live.last[value].max(end);
            }
        }
        if let Some(result) = &lowered.result {
            result.for_each_array(&mut |array| {
                live.last[array.value.0] = lowered.steps.len();
                live.readers[array.value.0].push(lowered.steps.len());
            });
        }
        live
    }

    /// The first step after this one that reads a value.
    pub fn next_reader(&self, value: ValueId, index: usize) -> Option<usize> {
        let readers = &self.readers[value.0];
        readers.get(readers.partition_point(|reader| *reader <= index)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_nested_by_their_steps() {
        let new_loop = |start, end| Loop { start, exit: start, end };
        // Two loops within a third, and one that starts at the same step as the loop around it.
        let loops = [new_loop(3, 5), new_loop(7, 9), new_loop(2, 11), new_loop(12, 13), new_loop(12, 15)];
        let nest = LoopNest::new(&loops, 17);
        let innermost: Vec<Option<usize>> = nest.innermost.clone();
        let (none, outer) = (None, Some(2));
        let [a, b, c, d] = [0, 1, 3, 4].map(Some);
        assert_eq!(innermost, [none, none, outer, a, a, a, outer, b, b, b, outer, outer, c, c, d, d, none]);
        assert_eq!(nest.parents, [Some(2), Some(2), None, Some(4), None]);
        assert_eq!(nest.outermost_after(4, 1).map(|enclosing| enclosing.end), Some(11));
        assert_eq!(nest.outermost_after(4, 2).map(|enclosing| enclosing.end), Some(5));
        assert!(nest.outermost_after(4, 3).is_none());
        assert!(nest.outermost_after(4, UNWRITTEN).is_none());
    }
}
