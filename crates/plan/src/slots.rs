//! Live ranges → slots: which values share a buffer.
//!
//! A value lives from the first step that writes it to the last that reads it; one that is read within a loop and written before
//! it lives to the end of the loop. Steps are visited in order. A new value takes the free slot that fits best, or makes the
//! largest free one longer. An update in place takes the slot of what it updates.

use std::mem::discriminant;

use crate::array::{Home, ValueId, has_same_strides};
use crate::lowering::Lowered;
use crate::step::{Action, Step};
use xla_array::literal::Buffer;
use xla_array::{ElementType, Value};

/// A buffer that values share.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    pub element_type: ElementType,
    pub cells: usize,
}

impl Slot {
    /// Its size in bytes.
    pub fn bytes(self) -> u64 {
        Buffer::bytes_per_entry(self.element_type).saturating_mul(self.cells as u64)
    }
}

/// Which slot each value has.
#[derive(Debug, Default)]
pub struct Assignment {
    pub slots: Vec<Slot>,
    /// Of each value; `None` for values that have no slot.
    pub of: Vec<Option<usize>>,
    /// The largest sum of the bytes of values alive at once.
    pub live_bytes: u64,
}

/// The kind of buffer that stores an element type.
fn kind(element_type: ElementType) -> Option<std::mem::Discriminant<Buffer>> {
    let none = Buffer::filled(element_type, 0, Value::from_bits(element_type, 0));
    none.ok().map(|buffer| discriminant(&buffer))
}

/// The first and the last step of each value's life.
struct Lives {
    first: Vec<usize>,
    last: Vec<usize>,
}

/// The end of a life that never begins.
const NEVER: usize = usize::MAX;

impl Lives {
    fn of(lowered: &Lowered) -> Self {
        let count = lowered.storages.len();
        let (mut first, mut last) = (vec![NEVER; count], vec![0; count]);
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
fn is_in_place(lowered: &Lowered, lives: &Lives, readers: &[Vec<usize>], at: usize, step: &Step) -> bool {
    let (Action::Update { .. }, [data, rest @ ..], [out]) = (&step.action, &step.reads[..], &step.writes[..])
    else {
        return false;
    };
    let storage = &lowered.storages[data.value.0];
    let is_same = storage.home == Home::Slot
        && data.is_whole(storage)
        && has_same_strides(&data.view, &out.view)
        && rest.iter().all(|array| array.value != data.value);
    let value = data.value.0;
    if !is_same {
        return false;
    }
    if lives.last[value] == at {
        return true;
    }
    // A value that the innermost loop around carries on may be overwritten after its last use in an iteration.
    let around = lowered.loops.iter().filter(|(start, end)| (*start..=*end).contains(&at));
    let Some((start, end)) = around.min_by_key(|(start, end)| end - start) else { return false };
    let is_carried = lowered.steps[at..=*end]
        .iter()
        .any(|step| matches!(step.action, Action::Exchange(_, to) if to == data.value));
    is_carried
        && lives.first[value] < *start
        && readers[value].iter().all(|reader| *reader <= at || reader > end)
}

/// Assigns slots.
pub fn assign(lowered: &Lowered) -> Assignment {
    let lives = Lives::of(lowered);
    let readers = readers(lowered);
    let mut assignment = Assignment { of: vec![None; lowered.storages.len()], ..Assignment::default() };
    let mut ending: Vec<Vec<usize>> = vec![Vec::new(); lowered.steps.len() + 1];
    let mut free: Vec<usize> = Vec::new();
    let mut live = 0;
    // Values that share the slot of another, which frees it.
    let mut guests = vec![false; lowered.storages.len()];
    let bytes = |value: usize| {
        let storage = &lowered.storages[value];
        Slot { element_type: storage.element_type, cells: storage.cells }.bytes()
    };
    for (at, step) in lowered.steps.iter().enumerate() {
        let mut updated = None;
        if is_in_place(lowered, &lives, &readers, at, step)
            && let ([data, ..], [out]) = (&step.reads[..], &step.writes[..])
        {
            let (from, to) = (data.value.0, out.value.0);
            assignment.of[to] = assignment.of[from];
            if lives.last[from] == at {
                // The slot is handed on, or the place of a guest.
                guests[to] = std::mem::replace(&mut guests[from], true);
                if !guests[to] {
                    updated = Some(from);
                    live += bytes(to);
                }
            } else {
                guests[to] = true;
            }
            ending[lives.last[to]].push(to);
        }
        for ValueId(value) in step.written() {
            if lowered.storages[value].home != Home::Slot || assignment.of[value].is_some() {
                continue;
            }
            assignment.of[value] = Some(take(&mut assignment.slots, &mut free, lowered, value));
            live += bytes(value);
            ending[lives.last[value]].push(value);
        }
        if let Some(from) = updated {
            live -= bytes(from);
        }
        assignment.live_bytes = assignment.live_bytes.max(live);
        for value in std::mem::take(&mut ending[at]) {
            if !guests[value] {
                live -= bytes(value);
                free.extend(assignment.of[value]);
            }
        }
    }
    even(&lowered.steps, &mut assignment);
    assignment
}

/// A slot for a value: the smallest free one that is long enough, else the longest, made longer, else a new one.
fn take(slots: &mut Vec<Slot>, free: &mut Vec<usize>, lowered: &Lowered, value: usize) -> usize {
    let storage = &lowered.storages[value];
    let of_kind = |slot: &usize| kind(slots[*slot].element_type) == kind(storage.element_type);
    let candidates: Vec<usize> = free.iter().copied().filter(of_kind).collect();
    let fitting = candidates.iter().filter(|slot| slots[**slot].cells >= storage.cells);
    let best = fitting.min_by_key(|slot| slots[**slot].cells);
    let best = best.or_else(|| candidates.iter().max_by_key(|slot| slots[**slot].cells)).copied();
    if let Some(slot) = best {
        free.retain(|other| *other != slot);
        slots[slot].cells = slots[slot].cells.max(storage.cells);
        return slot;
    }
    slots.push(Slot { element_type: storage.element_type, cells: storage.cells });
    slots.len() - 1
}

/// Makes slots whose buffers are exchanged equally long.
fn even(steps: &[Step], assignment: &mut Assignment) {
    let mut is_changed = true;
    while std::mem::take(&mut is_changed) {
        for step in steps {
            let Action::Exchange(from, to) = step.action else { continue };
            let (Some(a), Some(b)) = (assignment.of[from.0], assignment.of[to.0]) else { continue };
            let cells = assignment.slots[a].cells.max(assignment.slots[b].cells);
            for slot in [a, b] {
                is_changed |= assignment.slots[slot].cells < cells;
                assignment.slots[slot].cells = cells;
            }
        }
    }
}
