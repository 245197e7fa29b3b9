//! Live ranges → allocations: which values share a buffer.
//!
//! An in-place update shares the allocation of the value it updates. Values are assigned in order of decreasing size, each to an
//! allocation that is free in its live range ([`live_ranges`](crate::live_ranges), [`free_intervals`](crate::free_intervals)).

use std::mem::{Discriminant, discriminant};

use crate::array::{Location, ValueId, ValueInfo, has_same_strides};
use crate::free_intervals::FreeIntervals;
use crate::live_ranges::{LiveRanges, LoopNest};
use crate::lowering::Lowered;
use crate::step::{Action, Loop, Step};
use xla_array::literal::Buffer;
use xla_array::{ElementType, Value};

/// A buffer shared by values whose live ranges do not overlap.
#[derive(Clone, Copy, Debug)]
pub struct Allocation {
    pub element_type: ElementType,
    pub elements: usize,
}

impl Allocation {
    /// Its size in bytes.
    pub fn bytes(self) -> u64 {
        Buffer::bytes_per_entry(self.element_type).saturating_mul(self.elements as u64)
    }
}

/// The allocations of a plan, and which one each value has.
#[derive(Debug, Default)]
pub struct Assignment {
    pub allocations: Vec<Allocation>,
    /// The index of each value's allocation; `None` for values that have none.
    pub allocation_of_value: Vec<Option<usize>>,
    /// The maximum sum of the bytes of values that are live at the same time.
    pub peak_live_bytes: u64,
}

/// The kind of buffer that stores an element type.
fn buffer_kind(element_type: ElementType) -> Option<Discriminant<Buffer>> {
    let empty = Buffer::filled(element_type, 0, Value::from_bits(element_type, 0));
    empty.ok().map(|buffer| discriminant(&buffer))
}

/// Finds the steps that write into the buffer of the value that they update or copy.
struct InPlaceUpdates<'l> {
    lowered: &'l Lowered,
    nest: LoopNest<'l>,
    live: LiveRanges,
    /// Per value, the end of its chain of in-place updates: the last step that uses the buffer, and the loop state
    /// whose next value the buffer becomes at that step, if any.
    chain_ends: Vec<(usize, Option<ValueId>)>,
    /// Per value of a loop's state, the step that replaces it by the next state.
    state_swaps: Vec<Option<usize>>,
}

impl<'l> InPlaceUpdates<'l> {
    fn find(lowered: &'l Lowered) -> Self {
        let nest = LoopNest::new(&lowered.loops, lowered.steps.len());
        let live = LiveRanges::new(lowered, &nest);
        let chain_ends = live.last.iter().map(|last| (*last, None)).collect();
        let state_swaps = vec![None; lowered.values.len()];
        let mut this = Self { lowered, nest, live, chain_ends, state_swaps };
        for (index, step) in lowered.steps.iter().enumerate().rev() {
            if let Action::Swap(from, to) = step.action {
                this.chain_ends[from.0] = (index, Some(to));
                this.state_swaps[to.0].get_or_insert(index);
            } else if let Some([from, to]) = this.alias_candidate(step)
                && this.live.last[from.0] == index
            {
                this.chain_ends[from.0] = this.chain_ends[to.0];
            }
        }
        this
    }

    /// The value that a step updates or copies, and the result, if they could share a buffer: they have the same strides, and no
    /// other operand of the step is a view of that value.
    fn alias_candidate(&self, step: &Step) -> Option<[ValueId; 2]> {
        let is_update = matches!(step.action, Action::Update { .. } | Action::Initialize { .. });
        let ([data, rest @ ..], [out], true) = (&step.reads[..], &step.writes[..], is_update) else {
            return None;
        };
        let info = &self.lowered.values[data.value.0];
        let can_alias = info.location == Location::Allocated
            && data.is_whole(info)
            && has_same_strides(&data.view, &out.view)
            && rest.iter().all(|array| array.value != data.value);
        can_alias.then_some([data.value, out.value])
    }

    /// If a step can run in place: the value whose buffer it overwrites, which nothing reads afterwards, and its
    /// result.
    fn alias(&self, index: usize, step: &Step) -> Option<[ValueId; 2]> {
        let [from, to] = self.alias_candidate(step)?;
        (self.live.last[from.0] == index || self.is_dead_state(from, to, index)).then_some([from, to])
    }

    /// Whether a step may update a value of a loop's state in place: nothing reads the value in the rest of the iteration, and
    /// the update either becomes the next state or is dead when another value does. The step must be in the loop's body: the
    /// loop can exit after its condition with the state as the result.
    fn is_dead_state(&self, state: ValueId, update: ValueId, index: usize) -> bool {
        let Some(Loop { start, exit, end }) = self.nest.innermost(index) else { return false };
        let Some(swap) = self.state_swaps[state.0] else { return false };
        let (last, successor) = self.chain_ends[update.0];
        self.live.first[state.0] < start
            && exit < index
            && (index..=end).contains(&swap)
            && self.live.next_reader(state, index).is_none_or(|reader| reader > end)
            && (last < swap || last == swap && successor == Some(state))
    }
}

/// Values that must share an allocation: an array and the results of its in-place updates.
struct AliasSet {
    element_type: ElementType,
    elements: usize,
    first: usize,
    last: usize,
}

impl AliasSet {
    fn allocation(&self) -> Allocation {
        Allocation { element_type: self.element_type, elements: self.elements }
    }
}

/// The alias sets, and which one each value belongs to.
fn alias_sets(lowered: &Lowered) -> (Vec<AliasSet>, Vec<Option<usize>>) {
    let in_place = InPlaceUpdates::find(lowered);
    let live = &in_place.live;
    let mut sets: Vec<AliasSet> = Vec::new();
    let mut set_of_value: Vec<Option<usize>> = vec![None; lowered.values.len()];
    for (index, step) in lowered.steps.iter().enumerate() {
        if let Some([from, to]) = in_place.alias(index, step)
            && let Some(set) = set_of_value[from.0]
        {
            set_of_value[to.0] = Some(set);
            sets[set].last = sets[set].last.max(live.last[to.0]);
        }
        for ValueId(value) in step.written() {
            let info = &lowered.values[value];
            if info.location == Location::Allocated && set_of_value[value].is_none() {
                set_of_value[value] = Some(sets.len());
                let (first, last) = (live.first[value], live.last[value]);
                let ValueInfo { element_type, elements, .. } = *info;
                sets.push(AliasSet { element_type, elements, first, last });
            }
        }
    }
    (sets, set_of_value)
}

/// The maximum sum of the bytes of alias sets that are live at the same time.
fn peak_live_bytes(sets: &[AliasSet], steps: usize) -> u64 {
    let mut changes = vec![[0_u64; 2]; steps + 2];
    for set in sets {
        let bytes = set.allocation().bytes();
        for (index, change) in [(set.first, 0), (set.last + 1, 1)] {
            let sum = &mut changes[index][change];
            *sum = sum.saturating_add(bytes);
        }
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
        let kind = buffer_kind(sets[set].element_type);
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
            free.insert_remainders(interval, allocation, steps);
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

/// Gives allocations whose buffers are swapped, directly or transitively, the same size: their maximum.
fn equalize_swapped_sizes(steps: &[Step], assignment: &mut Assignment) {
    let mut neighbors: Vec<Vec<usize>> = vec![Vec::new(); assignment.allocations.len()];
    for step in steps {
        let Action::Swap(from, to) = step.action else { continue };
        let allocations = &assignment.allocation_of_value;
        if let (Some(a), Some(b)) = (allocations[from.0], allocations[to.0]) {
            neighbors[a].push(b);
            neighbors[b].push(a);
        }
    }
    let mut is_visited = vec![false; neighbors.len()];
    for first in 0..neighbors.len() {
        if std::mem::replace(&mut is_visited[first], true) {
            continue;
        }
        let (mut component, mut visited) = (vec![first], 0);
        while let Some(allocation) = component.get(visited).copied() {
            visited += 1;
            for next in &neighbors[allocation] {
                if !std::mem::replace(&mut is_visited[*next], true) {
                    component.push(*next);
                }
            }
        }
        let elements = component.iter().map(|allocation| assignment.allocations[*allocation].elements).max();
        for allocation in &component {
            assignment.allocations[*allocation].elements = elements.unwrap_or(0);
        }
    }
}
