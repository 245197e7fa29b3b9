//! Live ranges → allocations: which values share a buffer.
//!
//! An update in place shares the allocation of what it updates. The largest values choose first, each an allocation that is free
//! in its live range ([`live_ranges`](crate::live_ranges), [`free_intervals`](crate::free_intervals)).

use std::mem::{Discriminant, discriminant};

use crate::array::{Location, Storage, ValueId, has_same_strides};
use crate::free_intervals::FreeIntervals;
use crate::live_ranges::{LiveRanges, LoopNest};
use crate::lowering::Lowered;
use crate::step::{Action, Step};
use xla_array::literal::Buffer;
use xla_array::{ElementType, Value};

/// A buffer shared by values whose live ranges do not overlap.
#[derive(Clone, Copy, Debug)]
pub struct Allocation {
    pub element_type: ElementType,
    pub cells: usize,
}

impl Allocation {
    /// Its size in bytes.
    pub fn bytes(self) -> u64 {
        Buffer::bytes_per_entry(self.element_type).saturating_mul(self.cells as u64)
    }
}

/// The allocations of a plan, and which one each value has.
#[derive(Debug, Default)]
pub struct Assignment {
    pub allocations: Vec<Allocation>,
    /// The index of each value's allocation; `None` for values that have none.
    pub allocation_of_value: Vec<Option<usize>>,
    /// The maximum sum of the bytes of values that are live at once.
    pub peak_live_bytes: u64,
}

/// The kind of buffer that stores an element type.
fn kind(element_type: ElementType) -> Option<Discriminant<Buffer>> {
    let none = Buffer::filled(element_type, 0, Value::from_bits(element_type, 0));
    none.ok().map(|buffer| discriminant(&buffer))
}

/// Whether an update may write into what it updates: nothing reads that afterwards.
fn is_in_place(
    lowered: &Lowered,
    nest: &LoopNest,
    live: &LiveRanges,
    successors: &[Option<(usize, ValueId)>],
    at: usize,
    step: &Step,
) -> bool {
    let (Action::Update { .. }, [data, rest @ ..], [out]) = (&step.action, &step.reads[..], &step.writes[..])
    else {
        return false;
    };
    let storage = &lowered.storages[data.value.0];
    let is_same = storage.location == Location::Allocated
        && data.is_whole(storage)
        && has_same_strides(&data.view, &out.view)
        && rest.iter().all(|array| array.value != data.value);
    let value = data.value.0;
    if !is_same {
        return false;
    }
    if live.last[value] == at {
        return true;
    }
    // A loop-carried value may be updated in place after its last use in an iteration, but only by its own next value: any
    // other update would be lost when the buffers are swapped.
    let Some(around) = nest.innermost(at) else { return false };
    let is_carried = successors[out.value.0].is_some_and(|(swap, to)| to == data.value && swap <= around.end);
    is_carried
        && live.first[value] < around.start
        && live.next_reader(data.value, at).is_none_or(|reader| reader > around.end)
}

/// The step that passes each value on by swapping buffers, and the value that gets its buffer.
fn successors(lowered: &Lowered) -> Vec<Option<(usize, ValueId)>> {
    let mut successors = vec![None; lowered.storages.len()];
    for (at, step) in lowered.steps.iter().enumerate() {
        if let Action::Swap(from, to) = step.action {
            successors[from.0] = Some((at, to));
        }
    }
    successors
}

/// Values that share an allocation in any case: an array and what it is updated to in place.
struct AliasSet {
    element_type: ElementType,
    cells: usize,
    first: usize,
    last: usize,
}

impl AliasSet {
    fn allocation(&self) -> Allocation {
        Allocation { element_type: self.element_type, cells: self.cells }
    }
}

/// The alias sets, and which one each value belongs to.
fn alias_sets(lowered: &Lowered) -> (Vec<AliasSet>, Vec<Option<usize>>) {
    let nest = LoopNest::of(&lowered.loops, lowered.steps.len());
    let live = LiveRanges::of(lowered, &nest);
    let successors = successors(lowered);
    let mut sets: Vec<AliasSet> = Vec::new();
    let mut set_of_value: Vec<Option<usize>> = vec![None; lowered.storages.len()];
    for (at, step) in lowered.steps.iter().enumerate() {
        if is_in_place(lowered, &nest, &live, &successors, at, step)
            && let ([data, ..], [out]) = (&step.reads[..], &step.writes[..])
            && let Some(set) = set_of_value[data.value.0]
        {
            set_of_value[out.value.0] = Some(set);
            sets[set].last = sets[set].last.max(live.last[out.value.0]);
        }
        for ValueId(value) in step.written() {
            let storage = &lowered.storages[value];
            if storage.location == Location::Allocated && set_of_value[value].is_none() {
                set_of_value[value] = Some(sets.len());
                let (first, last) = (live.first[value], live.last[value]);
                let Storage { element_type, cells, .. } = *storage;
                sets.push(AliasSet { element_type, cells, first, last });
            }
        }
    }
    (sets, set_of_value)
}

/// The maximum sum of the bytes of alias sets that are live at once.
fn peak_live_bytes(sets: &[AliasSet], steps: usize) -> u64 {
    let mut changes = vec![[0_u64; 2]; steps + 2];
    for set in sets {
        let bytes = set.allocation().bytes();
        changes[set.first][0] += bytes;
        changes[set.last + 1][1] += bytes;
    }
    let (mut live, mut peak) = (0_u64, 0);
    for [begins, ends] in changes {
        live = live.saturating_sub(ends).saturating_add(begins);
        peak = peak.max(live);
    }
    peak
}

/// Assigns allocations: the largest alias sets first, each to an allocation that is free in its live range.
pub fn assign(lowered: &Lowered) -> Assignment {
    let (sets, set_of_value) = alias_sets(lowered);
    let mut order: Vec<usize> = (0..sets.len()).collect();
    order.sort_by_key(|set| (std::cmp::Reverse(sets[*set].allocation().bytes()), sets[*set].first));
    let mut by_kind: Vec<(Option<Discriminant<Buffer>>, Vec<usize>)> = Vec::new();
    for set in order {
        let kind = kind(sets[set].element_type);
        match by_kind.iter_mut().find(|(other, _)| *other == kind) {
            Some((_, sets)) => sets.push(set),
            None => by_kind.push((kind, vec![set])),
        }
    }
    let mut allocations = Vec::new();
    let mut allocation_of_set = vec![0; sets.len()];
    for (_, order) in by_kind {
        let mut free = FreeIntervals::new(order.iter().map(|set| sets[*set].last + 1));
        for set in order {
            let steps = [sets[set].first, sets[set].last];
            let (interval, allocation) = free.take(steps).unwrap_or_else(|| {
                allocations.push(sets[set].allocation());
                ((0, usize::MAX), allocations.len() - 1)
            });
            free.occupy(interval, allocation, steps);
            allocation_of_set[set] = allocation;
        }
    }
    let mut assignment = Assignment {
        allocations,
        allocation_of_value: set_of_value.into_iter().map(|set| Some(allocation_of_set[set?])).collect(),
        peak_live_bytes: peak_live_bytes(&sets, lowered.steps.len()),
    };
    equalize_swapped_sizes(&lowered.steps, &mut assignment);
    assignment
}

/// Gives allocations whose buffers are swapped, directly or by way of others, the largest size of all.
fn equalize_swapped_sizes(steps: &[Step], assignment: &mut Assignment) {
    let mut neighbors: Vec<Vec<usize>> = vec![Vec::new(); assignment.allocations.len()];
    for step in steps {
        let Action::Swap(from, to) = step.action else { continue };
        let of = &assignment.allocation_of_value;
        if let (Some(a), Some(b)) = (of[from.0], of[to.0]) {
            neighbors[a].push(b);
            neighbors[b].push(a);
        }
    }
    let mut is_visited = vec![false; neighbors.len()];
    for first in 0..neighbors.len() {
        if std::mem::replace(&mut is_visited[first], true) {
            continue;
        }
        let (mut together, mut visited) = (vec![first], 0);
        while let Some(allocation) = together.get(visited).copied() {
            visited += 1;
            for next in &neighbors[allocation] {
                if !std::mem::replace(&mut is_visited[*next], true) {
                    together.push(*next);
                }
            }
        }
        let cells = together.iter().map(|allocation| assignment.allocations[*allocation].cells).max();
        together.iter().for_each(|a| assignment.allocations[*a].cells = cells.unwrap_or(0));
    }
}
