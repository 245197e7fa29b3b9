//! Live ranges → slots: which values share a buffer.
//!
//! A value lives from the first step that writes it to the last that reads it; one that is read within a loop and written before
//! it lives to the end of the loop. An update in place shares the slot of what it updates. The largest values choose first, each
//! the first slot in which nothing lives while it does.

use std::collections::BTreeMap;
use std::mem::{Discriminant, discriminant};

use crate::array::{Home, Storage, ValueId, has_same_strides};
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
fn kind(element_type: ElementType) -> Option<Discriminant<Buffer>> {
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
    // A value that the innermost loop around carries on may be overwritten after its last use in an iteration, by its own
    // successor: another's would lose it when slots are exchanged.
    let around = lowered.loops.iter().filter(|(start, end)| (*start..=*end).contains(&at));
    let Some((start, end)) = around.min_by_key(|(start, end)| end - start) else { return false };
    let is_successor = |step: &Step| matches!(step.action, Action::Exchange(from, to) if from == out.value && to == data.value);
    let is_carried = lowered.steps[at..=*end].iter().any(is_successor);
    is_carried
        && lives.first[value] < *start
        && readers[value].iter().all(|reader| *reader <= at || reader > end)
}

/// Values that share a slot in any case: an array and what it is updated to in place.
struct Unit {
    element_type: ElementType,
    cells: usize,
    first: usize,
    last: usize,
}

/// The units, and which one each value belongs to.
fn units(lowered: &Lowered) -> (Vec<Unit>, Vec<Option<usize>>) {
    let lives = Lives::of(lowered);
    let readers = readers(lowered);
    let mut units: Vec<Unit> = Vec::new();
    let mut of: Vec<Option<usize>> = vec![None; lowered.storages.len()];
    for (at, step) in lowered.steps.iter().enumerate() {
        if is_in_place(lowered, &lives, &readers, at, step)
            && let ([data, ..], [out]) = (&step.reads[..], &step.writes[..])
            && let Some(unit) = of[data.value.0]
        {
            of[out.value.0] = Some(unit);
            units[unit].last = units[unit].last.max(lives.last[out.value.0]);
        }
        for ValueId(value) in step.written() {
            let storage = &lowered.storages[value];
            if storage.home == Home::Slot && of[value].is_none() {
                of[value] = Some(units.len());
                let (first, last) = (lives.first[value], lives.last[value]);
                let Storage { element_type, cells, .. } = *storage;
                units.push(Unit { element_type, cells, first, last });
            }
        }
    }
    (units, of)
}

/// The largest sum of bytes of units that live at the same time.
fn most_alive(units: &[Unit], steps: usize) -> u64 {
    let mut changes = vec![[0_u64; 2]; steps + 2];
    for unit in units {
        let bytes = unit.slot().bytes();
        changes[unit.first][0] += bytes;
        changes[unit.last + 1][1] += bytes;
    }
    let (mut alive, mut most) = (0_u64, 0);
    for [begins, ends] in changes {
        alive = alive.saturating_sub(ends).saturating_add(begins);
        most = most.max(alive);
    }
    most
}

impl Unit {
    fn slot(&self) -> Slot {
        Slot { element_type: self.element_type, cells: self.cells }
    }
}

/// A slot, and the lives of the units in it: the last step by the first.
struct Filled {
    slot: Slot,
    kind: Option<Discriminant<Buffer>>,
    lives: BTreeMap<usize, usize>,
}

impl Filled {
    /// Whether nothing lives here during these steps.
    fn is_free(&self, first: usize, last: usize) -> bool {
        self.lives.range(..=last).next_back().is_none_or(|(_, before)| *before < first)
    }
}

/// Assigns slots: the largest units first, each to the first slot that is free for its life.
pub fn assign(lowered: &Lowered) -> Assignment {
    let (units, of) = units(lowered);
    let mut order: Vec<usize> = (0..units.len()).collect();
    order.sort_by_key(|unit| (std::cmp::Reverse(units[*unit].slot().bytes()), units[*unit].first));
    let mut filled: Vec<Filled> = Vec::new();
    let mut slot_of = vec![0; units.len()];
    for unit in order {
        let Unit { element_type, first, last, .. } = units[unit];
        let kind = kind(element_type);
        let fits = |filled: &Filled| filled.kind == kind && filled.is_free(first, last);
        let slot = filled.iter().position(fits).unwrap_or_else(|| {
            filled.push(Filled { slot: units[unit].slot(), kind, lives: BTreeMap::new() });
            filled.len() - 1
        });
        filled[slot].lives.insert(first, last);
        slot_of[unit] = slot;
    }
    let mut assignment = Assignment {
        slots: filled.into_iter().map(|filled| filled.slot).collect(),
        of: of.into_iter().map(|unit| Some(slot_of[unit?])).collect(),
        live_bytes: most_alive(&units, lowered.steps.len()),
    };
    even(&lowered.steps, &mut assignment);
    assignment
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
