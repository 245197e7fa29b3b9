//! Live ranges → allocations: which values share a buffer.
//!
//! A value is live from the first step that writes it to the last that reads it; one that is read within a loop and written
//! before it is live to the end of the loop. An update in place shares the allocation of what it updates. The largest values
//! choose first, each the first allocation whose values' live ranges do not overlap its own.

use std::collections::BTreeMap;
use std::mem::{Discriminant, discriminant};

use crate::array::{Location, Storage, ValueId, has_same_strides};
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

/// The first and the last step of each value's live range.
struct LiveRanges {
    first: Vec<usize>,
    last: Vec<usize>,
}

/// Start of the live range of a value that no step writes.
const UNWRITTEN: usize = usize::MAX;

impl LiveRanges {
    fn of(lowered: &Lowered) -> Self {
        let count = lowered.storages.len();
        let (mut first, mut last) = (vec![UNWRITTEN; count], vec![0; count]);
        for (at, step) in lowered.steps.iter().enumerate() {
            for value in step.written() {
                first[value.0] = first[value.0].min(at);
                last[value.0] = last[value.0].max(at);
            }
        }
        for (at, step) in lowered.steps.iter().enumerate() {
            for ValueId(value) in step.read().chain(step.written()) {
                let around = lowered.loops.iter().filter(|(start, end)| (*start..=*end).contains(&at));
                let outside = around.filter(|(start, _)| first[value] < *start);
                let end = outside.map(|(_, end)| *end).max().unwrap_or(at);
                last[value] = last[value].max(end);
            }
        }
        if let Some(result) = &lowered.result {
            result.each_array(&mut |array| last[array.value.0] = lowered.steps.len());
        }
        Self { first, last }
    }
}

/// The steps that read each value, in order.
fn readers(lowered: &Lowered) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new(); lowered.storages.len()];
    for (at, step) in lowered.steps.iter().enumerate() {
        step.read().for_each(|value| all[value.0].push(at));
    }
    if let Some(result) = &lowered.result {
        result.each_array(&mut |array| all[array.value.0].push(lowered.steps.len()));
    }
    all
}

/// Whether an update may write into what it updates: nothing reads that afterwards.
fn is_in_place(lowered: &Lowered, live: &LiveRanges, readers: &[Vec<usize>], at: usize, step: &Step) -> bool {
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
    let around = lowered.loops.iter().filter(|(start, end)| (*start..=*end).contains(&at));
    let Some((start, end)) = around.min_by_key(|(start, end)| end - start) else { return false };
    let is_next =
        |step: &Step| matches!(step.action, Action::Swap(from, to) if from == out.value && to == data.value);
    let is_carried = lowered.steps[at..=*end].iter().any(is_next);
    is_carried
        && live.first[value] < *start
        && readers[value].iter().all(|reader| *reader <= at || reader > end)
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
    let live = LiveRanges::of(lowered);
    let readers = readers(lowered);
    let mut sets: Vec<AliasSet> = Vec::new();
    let mut set_of_value: Vec<Option<usize>> = vec![None; lowered.storages.len()];
    for (at, step) in lowered.steps.iter().enumerate() {
        if is_in_place(lowered, &live, &readers, at, step)
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

/// An allocation, and the live ranges of the alias sets in it: the last step by the first.
struct OccupiedAllocation {
    allocation: Allocation,
    kind: Option<Discriminant<Buffer>>,
    live_ranges: BTreeMap<usize, usize>,
}

impl OccupiedAllocation {
    /// Whether nothing in it is live during these steps.
    fn is_free(&self, first: usize, last: usize) -> bool {
        self.live_ranges.range(..=last).next_back().is_none_or(|(_, before)| *before < first)
    }
}

/// Assigns allocations: the largest alias sets first, each to the first allocation that is free in its live range.
pub fn assign(lowered: &Lowered) -> Assignment {
    let (sets, set_of_value) = alias_sets(lowered);
    let mut order: Vec<usize> = (0..sets.len()).collect();
    order.sort_by_key(|set| (std::cmp::Reverse(sets[*set].allocation().bytes()), sets[*set].first));
    let mut occupied: Vec<OccupiedAllocation> = Vec::new();
    let mut allocation_of_set = vec![0; sets.len()];
    for set in order {
        let AliasSet { element_type, first, last, .. } = sets[set];
        let kind = kind(element_type);
        let fits = |occupied: &OccupiedAllocation| occupied.kind == kind && occupied.is_free(first, last);
        let index = occupied.iter().position(fits).unwrap_or_else(|| {
            let allocation = sets[set].allocation();
            occupied.push(OccupiedAllocation { allocation, kind, live_ranges: BTreeMap::new() });
            occupied.len() - 1
        });
        occupied[index].live_ranges.insert(first, last);
        allocation_of_set[set] = index;
    }
    let mut assignment = Assignment {
        allocations: occupied.into_iter().map(|occupied| occupied.allocation).collect(),
        allocation_of_value: set_of_value.into_iter().map(|set| Some(allocation_of_set[set?])).collect(),
        peak_live_bytes: peak_live_bytes(&sets, lowered.steps.len()),
    };
    equalize_swapped_sizes(&lowered.steps, &mut assignment);
    assignment
}

/// Gives allocations whose buffers are swapped the larger size of both.
fn equalize_swapped_sizes(steps: &[Step], assignment: &mut Assignment) {
    let mut is_changed = true;
    while std::mem::take(&mut is_changed) {
        for step in steps {
            let Action::Swap(from, to) = step.action else { continue };
            let allocations = &assignment.allocation_of_value;
            let (Some(a), Some(b)) = (allocations[from.0], allocations[to.0]) else { continue };
            let cells = assignment.allocations[a].cells.max(assignment.allocations[b].cells);
            for allocation in [a, b] {
                is_changed |= assignment.allocations[allocation].cells < cells;
                assignment.allocations[allocation].cells = cells;
            }
        }
    }
}
