//! The transfer of a run's values from the worker to the page: both directions of the wire form.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use super::job::focus;
use super::wire::{Done, Job, WireComputedBy, WireValue};
use crate::array::literal::LiteralError;
use crate::array::value::ValueRange;
use crate::array::{ArrayLiteral, ArrayShape, Shape, text};
use crate::bug::OrBug as _;
use crate::cause::Cause;
use crate::hlo::eval::kernel::{Build, ComputedBy, Mode};
use crate::hlo::eval::values::Values as RunValues;
use crate::hlo::{InstructionId, Module};
use crate::ops::{Data, Fallback, RandomPosition};
use crate::state::experiment::Experiment;
use crate::state::experiment::run::FinishedRun;
use crate::state::experiment::run::iterations::LoopRecord;

/// The bytes of the transferred arrays, which the channel sends with the reply's frame.
pub type ArrayBytes = Vec<Vec<u8>>;

/// The wire form of what computed a value.
fn to_wire(computed_by: &ComputedBy) -> WireComputedBy {
    match computed_by {
        ComputedBy::Reference(Fallback::Unavailable(cause)) => WireComputedBy::Unavailable(cause.code()),
        ComputedBy::Substitute { kernel: name, build, cause } => {
            WireComputedBy::Substitute(name.clone(), *build == Build::Scalar, cause.code())
        }
        ComputedBy::Reference(reason) => WireComputedBy::Reference(
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
        WireComputedBy::Reference(index) => ComputedBy::Reference(Fallback::ALL.get(*index)?.clone()),
        WireComputedBy::Unavailable(code) => {
            ComputedBy::Reference(Fallback::Unavailable(Cause::of_code(code)?))
        }
        WireComputedBy::Substitute(name, is_scalar, code) => {
            let build = if *is_scalar { Build::Scalar } else { Build::Simd };
            ComputedBy::Substitute { kernel: name.clone(), build, cause: Cause::of_code(code)? }
        }
        WireComputedBy::Strict(name, worker_count) => {
            ComputedBy::Kernel(name.clone(), Mode::Strict, *worker_count)
        }
        WireComputedBy::Fast(name, worker_count) => {
            ComputedBy::Kernel(name.clone(), Mode::Fast, *worker_count)
        }
    })
}

/// A transfer under construction.
#[derive(Default)]
struct Transfer {
    /// The number of slots, padding included, that may still be transferred.
    remaining_slots: i64,
    arrays: ArrayBytes,
    /// Arrays that are transferred already: several values may share one.
    transferred: BTreeMap<*const ArrayLiteral, WireValue>,
}

/// Packs the values of a run for the reply, and the buffers of their arrays.
///
/// # Errors
/// A buffer cannot be allocated.
pub(super) fn transfer(job: &Job, finished: &FinishedRun) -> Result<(Done, ArrayBytes), LiteralError> {
    let mut transfer = Transfer { remaining_slots: job.max_transferred_cells, ..Transfer::default() };
    Ok((transfer.add_run(job, finished)?, transfer.arrays))
}

impl Transfer {
    fn add_run(&mut self, job: &Job, finished: &FinishedRun) -> Result<Done, LiteralError> {
        let focus = focus(job);
        // The budget is used for the observed instruction and its operands first.
        let mut by_priority = vec![focus];
        if let Some(entry) = finished.module().entry_computation() {
            by_priority.extend(entry.get(focus).into_iter().flat_map(|i| i.operands.iter()));
            by_priority.extend(&entry.parameters);
            by_priority.extend(entry.iter().map(|(id, _)| id));
        }
        let (mut visited, mut values, mut is_partial) = (BTreeSet::new(), Vec::new(), false);
        for id in by_priority.into_iter().filter(|id| visited.insert(*id)) {
            let Some(value) = finished.value(id) else { continue };
            let slots = self.untransferred_slots(value);
            if slots > self.remaining_slots {
                is_partial = true;
                continue;
            }
            self.remaining_slots -= slots;
            values.push((id.index(), self.add_value(value)?));
        }
        #[allow(clippy::cast_possible_truncation, reason = "the halves of a number")]
        let halves = |position: &RandomPosition| {
            let advance = position.state_advance;
            (position.rng_count, (advance >> 64) as u64, advance as u64)
        };
        let random_positions = finished.random_positions().iter().map(halves).collect();
        let computed_by = finished.computed_by().iter().map(|by| by.as_ref().map(to_wire)).collect();
        Ok(Done {
            steps: finished.steps,
            values,
            is_partial,
            random_positions,
            computed_by,
            // The caller adds them.
            difference: None,
            iterations: None,
        })
    }

    /// The slots of a value that are not transferred yet.
    fn untransferred_slots(&self, value: &Data) -> i64 {
        match value {
            Data::Array(array) if self.transferred.contains_key(&Arc::as_ptr(array)) => 0,
            Data::Array(array) => array.memory_map().slot_count(),
            Data::Tuple(elements) => elements.iter().map(|element| self.untransferred_slots(element)).sum(),
            Data::Token => 0,
        }
    }

    fn add_value(&mut self, value: &Data) -> Result<WireValue, LiteralError> {
        Ok(match value {
            Data::Token => WireValue::Token,
            Data::Tuple(elements) => WireValue::Tuple(
                elements.iter().map(|element| self.add_value(element)).collect::<Result<_, _>>()?,
            ),
            Data::Array(array) => {
                if let Some(transferred) = self.transferred.get(&Arc::as_ptr(array)) {
                    return Ok(transferred.clone());
                }
                let buffer = self.arrays.len();
                self.arrays.push(array.to_raw()?);
                let ValueRange { finite, non_finite } = array.value_range();
                let transferred =
                    WireValue::Array { shape: array.shape().to_string(), buffer, finite, non_finite };
                self.transferred.insert(Arc::as_ptr(array), transferred.clone());
                transferred
            }
        })
    }
}

/// An array that a reply announces.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedArray {
    /// The expected shape of the array.
    pub shape: ArrayShape,
    /// The range of its values.
    pub range: ValueRange,
}

/// The arrays that a reply announces, by buffer index; `None` if the reply is malformed.
pub fn expected_arrays(done: &Done) -> Option<Vec<ExpectedArray>> {
    fn walk(value: &WireValue, arrays: &mut BTreeMap<usize, ExpectedArray>) -> Option<()> {
        match value {
            WireValue::Token => {}
            WireValue::Tuple(elements) => elements.iter().try_for_each(|element| walk(element, arrays))?,
            WireValue::Array { shape, buffer, finite, non_finite } => {
                if !arrays.contains_key(buffer) {
                    let shape = text::parse(shape).valid().and_then(Shape::as_array)?.clone();
                    let range = ValueRange { finite: *finite, non_finite: *non_finite };
                    arrays.insert(*buffer, ExpectedArray { shape, range });
                }
            }
        }
        Some(())
    }
    let mut arrays = BTreeMap::new();
    done.values.iter().try_for_each(|(_, value)| walk(value, &mut arrays))?;
    let has_every_buffer = arrays.keys().copied().eq(0..arrays.len());
    has_every_buffer.then(|| arrays.into_values().collect())
}

fn data_from_wire(value: &WireValue, arrays: &[Arc<ArrayLiteral>]) -> Option<Data> {
    Some(match value {
        WireValue::Token => Data::Token,
        WireValue::Tuple(elements) => Data::Tuple(
            elements.iter().map(|element| data_from_wire(element, arrays)).collect::<Option<_>>()?,
        ),
        WireValue::Array { buffer, .. } => Data::Array(arrays.get(*buffer)?.clone()),
    })
}

/// The finished run of a reply and its received arrays; `None` if it does not fit the module.
pub fn finished_run(
    done: &Done,
    arrays: &[Arc<ArrayLiteral>],
    experiment: &Experiment,
    module: &Rc<Module>,
) -> Option<FinishedRun> {
    let entry = module.entry_computation()?;
    if done.random_positions.len() != entry.instructions.len() {
        return None;
    }
    let mut values = vec![None; entry.instructions.len()];
    for (index, value) in &done.values {
        *values.get_mut(*index)? = Some(data_from_wire(value, arrays)?);
    }
    let random_positions = done.random_positions.iter().map(|(rng_count, upper, lower)| RandomPosition {
        rng_count: *rng_count,
        state_advance: u128::from(*upper) << 64 | u128::from(*lower),
    });
    let computed_by = done.computed_by.iter().map(|by| by.as_ref().and_then(from_wire)).collect();
    let values = RunValues {
        computation: module.entry?,
        values,
        random_positions: random_positions.collect(),
        computed_by,
    };
    let ranges =
        arrays.iter().cloned().zip(expected_arrays(done)?).map(|(array, expected)| (array, expected.range));
    let finished = FinishedRun::from_values(experiment, module.clone(), values, done.steps)
        .with_ranges(ranges.collect());
    Some(if done.is_partial { finished.marked_partial() } else { finished })
}

/// The iterations of the observed instruction, if it is a loop.
pub fn loop_iterations(done: &Done, observed: InstructionId) -> Option<LoopRecord> {
    let (_, iterations) = done.iterations.as_ref().filter(|(index, _)| *index == observed.index())?;
    // A loop that never ends has no finished run.
    Some(LoopRecord {
        states: iterations.states.clone(),
        is_truncated: iterations.is_truncated,
        is_infinite: false,
    })
}
