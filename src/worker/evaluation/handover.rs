//! Transfers the values of a run from the worker to the page.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use super::job::focus;
use super::wire::{Done, Job, ValueAt, WireComputedBy};
use crate::array::literal::LiteralError;
use crate::array::{ArrayLiteral, ArrayShape, Shape, text};
use crate::bug::OrBug as _;
use crate::cause::Cause;
use crate::hlo::eval::kernel::{Build, ComputedBy, Mode};
use crate::hlo::eval::values::Values as RunValues;
use crate::hlo::{InstructionId, Module};
use crate::ops::{Data, Fallback, RandomPosition};
use crate::state::experiment::Experiment;
use crate::state::experiment::run::FinishedRun;
use crate::state::experiment::run::iterations::Iterations;

/// The buffers of arrays, sent with a frame.
pub type Memory = Vec<Vec<u8>>;

/// The wire form of what computed a value.
fn to_wire(computed_by: &ComputedBy) -> WireComputedBy {
    match computed_by {
        ComputedBy::Semantics(Fallback::Unavailable(cause)) => WireComputedBy::Unavailable(cause.code()),
        ComputedBy::Substitute(name, build, cause) => {
            WireComputedBy::Substitute(name.clone(), *build == Build::Scalar, cause.code())
        }
        ComputedBy::Semantics(reason) => WireComputedBy::Body(
            Fallback::ALL
                .iter()
                .position(|fallback| fallback == reason)
                .or_bug(0, "a fallback is not in `ALL`"),
        ),
        ComputedBy::Kernel(name, Mode::Strict, workers) => WireComputedBy::Strict(name.clone(), *workers),
        ComputedBy::Kernel(name, Mode::Fast, workers) => WireComputedBy::Fast(name.clone(), *workers),
    }
}

fn from_wire(computed_by: &WireComputedBy) -> Option<ComputedBy> {
    Some(match computed_by {
        WireComputedBy::Body(index) => ComputedBy::Semantics(Fallback::ALL.get(*index)?.clone()),
        WireComputedBy::Unavailable(code) => {
            ComputedBy::Semantics(Fallback::Unavailable(Cause::of_code(code)?))
        }
        WireComputedBy::Substitute(name, is_scalar, code) => {
            let build = if *is_scalar { Build::Scalar } else { Build::Strict };
            ComputedBy::Substitute(name.clone(), build, Cause::of_code(code)?)
        }
        WireComputedBy::Strict(name, workers) => ComputedBy::Kernel(name.clone(), Mode::Strict, *workers),
        WireComputedBy::Fast(name, workers) => ComputedBy::Kernel(name.clone(), Mode::Fast, *workers),
    })
}

/// The values to transfer.
#[derive(Default)]
struct Handover {
    /// The number of cells that may still be transferred.
    remaining_cells: i64,
    memory: Memory,
    /// Arrays that are transferred already: several values may share one.
    transferred: BTreeMap<*const ArrayLiteral, ValueAt>,
}

/// The values of a run, and the buffers of their arrays.
///
/// # Errors
/// A buffer cannot be allocated.
pub(super) fn transfer(job: &Job, finished: &FinishedRun) -> Result<(Done, Memory), LiteralError> {
    let mut handover = Handover { remaining_cells: job.max_transferred_cells, ..Handover::default() };
    Ok((handover.transfer(job, finished)?, handover.memory))
}

impl Handover {
    fn transfer(&mut self, job: &Job, finished: &FinishedRun) -> Result<Done, LiteralError> {
        let focus = focus(job);
        let mut order = vec![focus];
        if let Some(entry) = finished.module().entry_computation() {
            order.extend(entry.get(focus).into_iter().flat_map(|i| i.operands.iter()));
            order.extend(&entry.parameters);
            order.extend(entry.iter().map(|(id, _)| id));
        }
        let (mut seen, mut values, mut is_partial) = (BTreeSet::new(), Vec::new(), false);
        for id in order.into_iter().filter(|id| seen.insert(*id)) {
            let Some(value) = finished.value(id) else { continue };
            let cells = self.cells(value);
            if cells > self.remaining_cells {
                is_partial = true;
                continue;
            }
            self.remaining_cells -= cells;
            values.push((id.index(), self.value(value)?));
        }
        #[allow(clippy::cast_possible_truncation, reason = "the halves of a number")]
        let halves = |position: &RandomPosition| {
            (position.number, (position.advanced >> 64) as u64, position.advanced as u64)
        };
        let drawn = finished.random_positions().iter().map(halves).collect();
        let made = finished.computed_by().iter().map(|made| made.as_ref().map(to_wire)).collect();
        Ok(Done { steps: finished.steps, values, is_partial, drawn, made, difference: None, carried: None })
    }

    /// The cells of a value that are not transferred yet.
    fn cells(&self, value: &Data) -> i64 {
        match value {
            Data::Array(array) if self.transferred.contains_key(&Arc::as_ptr(array)) => 0,
            Data::Array(array) => array.map().slot_count(),
            Data::Tuple(elements) => elements.iter().map(|element| self.cells(element)).sum(),
            Data::Token => 0,
        }
    }

    fn value(&mut self, value: &Data) -> Result<ValueAt, LiteralError> {
        Ok(match value {
            Data::Token => ValueAt::Token,
            Data::Tuple(elements) => {
                ValueAt::Tuple(elements.iter().map(|element| self.value(element)).collect::<Result<_, _>>()?)
            }
            Data::Array(array) => {
                if let Some(transferred) = self.transferred.get(&Arc::as_ptr(array)) {
                    return Ok(transferred.clone());
                }
                let memory = self.memory.len();
                self.memory.push(array.to_raw()?);
                // Any range: without finite values nothing is coloured by it.
                let range = array.finite_range().unwrap_or((0.0, 1.0));
                let transferred = ValueAt::Array { shape: array.shape().to_string(), memory, range };
                self.transferred.insert(Arc::as_ptr(array), transferred.clone());
                transferred
            }
        })
    }
}

/// An array that a reply announces.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// Its shape.
    pub shape: ArrayShape,
    /// Its smallest and largest finite value.
    pub range: (f64, f64),
}

/// The arrays that a reply announces, by buffer index; `None` if the reply is malformed.
pub fn expected_arrays(transfer: &Done) -> Option<Vec<Expected>> {
    fn walk(value: &ValueAt, arrays: &mut BTreeMap<usize, Expected>) -> Option<()> {
        match value {
            ValueAt::Token => {}
            ValueAt::Tuple(elements) => elements.iter().try_for_each(|element| walk(element, arrays))?,
            ValueAt::Array { shape, memory, range } => {
                if !arrays.contains_key(memory) {
                    let shape = text::parse(shape).valid().and_then(Shape::as_array)?.clone();
                    arrays.insert(*memory, Expected { shape, range: *range });
                }
            }
        }
        Some(())
    }
    let mut arrays = BTreeMap::new();
    transfer.values.iter().try_for_each(|(_, value)| walk(value, &mut arrays))?;
    let is_whole = arrays.keys().copied().eq(0..arrays.len());
    is_whole.then(|| arrays.into_values().collect())
}

fn data(value: &ValueAt, arrays: &[Arc<ArrayLiteral>]) -> Option<Data> {
    Some(match value {
        ValueAt::Token => Data::Token,
        ValueAt::Tuple(elements) => {
            Data::Tuple(elements.iter().map(|element| data(element, arrays)).collect::<Option<_>>()?)
        }
        ValueAt::Array { memory, .. } => Data::Array(arrays.get(*memory)?.clone()),
    })
}

/// The finished run of a reply and its received arrays; `None` if it does not fit the module.
pub fn finished_run(
    transfer: &Done,
    arrays: &[Arc<ArrayLiteral>],
    experiment: &Experiment,
    module: &Rc<Module>,
) -> Option<FinishedRun> {
    let entry = module.entry_computation()?;
    if transfer.drawn.len() != entry.instructions.len() {
        return None;
    }
    let mut values = vec![None; entry.instructions.len()];
    for (number, value) in &transfer.values {
        *values.get_mut(*number)? = Some(data(value, arrays)?);
    }
    let random_positions = transfer.drawn.iter().map(|(number, upper, lower)| RandomPosition {
        number: *number,
        advanced: u128::from(*upper) << 64 | u128::from(*lower),
    });
    let computed_by = transfer.made.iter().map(|made| made.as_ref().and_then(from_wire)).collect();
    let values = RunValues {
        computation: module.entry?,
        values,
        random_positions: random_positions.collect(),
        computed_by,
    };
    let ranges = arrays
        .iter()
        .cloned()
        .zip(expected_arrays(transfer)?)
        .map(|(array, expected_arrays)| (array, expected_arrays.range));
    let finished = FinishedRun::from_values(experiment, module.clone(), values, transfer.steps)
        .with_ranges(ranges.collect());
    Some(if transfer.is_partial { finished.into_partial() } else { finished })
}

/// The values that the observed instruction carried, if it is a loop.
pub fn carried(transfer: &Done, observed: InstructionId) -> Option<Iterations> {
    let (_, carried) = transfer.carried.as_ref().filter(|(number, _)| *number == observed.index())?;
    // A loop that never ends has no finished run.
    Some(Iterations { states: carried.states.clone(), is_truncated: carried.is_cut, is_endless: false })
}
