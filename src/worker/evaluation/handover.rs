//! The values of a run on their way from the worker to the page.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use super::job::focus;
use super::wire::{Done, Job, MadeBy, ValueAt};
use crate::array::literal::LiteralError;
use crate::array::{ArrayLiteral, ArrayShape, Shape, text};
use crate::cause::Cause;
use crate::hlo::eval::kernel::{Build, ComputedBy, Mode};
use crate::hlo::eval::values::Values as RunValues;
use crate::hlo::{InstructionId, Module};
use crate::ops::{Data, Fallback, RandomPosition};
use crate::state::experiment::Experiment;
use crate::state::experiment::run::FinishedRun;
use crate::state::experiment::run::iterations::Iterations;

/// The memory of arrays, beside a frame.
pub type Memory = Vec<Vec<u8>>;

/// What made a value, as it crosses.
fn made_by(made: &ComputedBy) -> MadeBy {
    match made {
        ComputedBy::Body(Fallback::Unavailable(cause)) => MadeBy::Unavailable(cause.code()),
        ComputedBy::Substitute(name, build, cause) => {
            MadeBy::Substitute(name.clone(), *build == Build::Scalar, cause.code())
        }
        ComputedBy::Body(why) => {
            MadeBy::Body(Fallback::ALL.iter().position(|fallback| fallback == why).unwrap_or_default())
        }
        ComputedBy::Kernel(name, Mode::Strict, workers) => MadeBy::Strict(name.clone(), *workers),
        ComputedBy::Kernel(name, Mode::Fast, workers) => MadeBy::Fast(name.clone(), *workers),
    }
}

fn made_of(made: &MadeBy) -> Option<ComputedBy> {
    Some(match made {
        MadeBy::Body(why) => ComputedBy::Body(Fallback::ALL.get(*why)?.clone()),
        MadeBy::Unavailable(code) => ComputedBy::Body(Fallback::Unavailable(Cause::of_code(code)?)),
        MadeBy::Substitute(name, is_scalar, code) => {
            let build = if *is_scalar { Build::Scalar } else { Build::Strict };
            ComputedBy::Substitute(name.clone(), build, Cause::of_code(code)?)
        }
        MadeBy::Strict(name, workers) => ComputedBy::Kernel(name.clone(), Mode::Strict, *workers),
        MadeBy::Fast(name, workers) => ComputedBy::Kernel(name.clone(), Mode::Fast, *workers),
    })
}

/// Values that are transferred.
#[derive(Default)]
struct Handover {
    /// Cells that may still be transferred.
    left: i64,
    memory: Memory,
    /// Arrays that are transferred already: values share them.
    known: BTreeMap<*const ArrayLiteral, ValueAt>,
}

/// The values of a run, and the memory of their arrays. Errors: no memory for them.
pub(super) fn done(job: &Job, ran: &FinishedRun) -> Result<(Done, Memory), LiteralError> {
    let mut handover = Handover { left: job.max_transferred_cells, ..Handover::default() };
    Ok((handover.done(job, ran)?, handover.memory))
}

impl Handover {
    fn done(&mut self, job: &Job, ran: &FinishedRun) -> Result<Done, LiteralError> {
        let focus = focus(job);
        let mut order = vec![focus];
        if let Some(entry) = ran.module().entry_computation() {
            order.extend(entry.get(focus).into_iter().flat_map(|i| i.operands.iter()));
            order.extend(&entry.parameters);
            order.extend(entry.iter().map(|(id, _)| id));
        }
        let (mut seen, mut values, mut is_partial) = (BTreeSet::new(), Vec::new(), false);
        for id in order.into_iter().filter(|id| seen.insert(*id)) {
            let Some(value) = ran.value(id) else { continue };
            let cells = self.cells(value);
            if cells > self.left {
                is_partial = true;
                continue;
            }
            self.left -= cells;
            values.push((id.index(), self.value(value)?));
        }
        #[allow(clippy::cast_possible_truncation, reason = "the halves of a number")]
        let halves = |of: &RandomPosition| (of.number, (of.advanced >> 64) as u64, of.advanced as u64);
        let drawn = ran.drawn().iter().map(halves).collect();
        let made = ran.computed_by().iter().map(|made| made.as_ref().map(made_by)).collect();
        Ok(Done { steps: ran.steps, values, is_partial, drawn, made, difference: None, carried: None })
    }

    /// The cells of a value that are not transferred yet.
    fn cells(&self, value: &Data) -> i64 {
        match value {
            Data::Array(array) if self.known.contains_key(&Arc::as_ptr(array)) => 0,
            Data::Array(array) => array.map().cells(),
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
                if let Some(known) = self.known.get(&Arc::as_ptr(array)) {
                    return Ok(known.clone());
                }
                let memory = self.memory.len();
                self.memory.push(array.to_raw()?);
                let range = array.finite_range().unwrap_or((0.0, 1.0));
                let transferred = ValueAt::Array { shape: array.shape().to_string(), memory, range };
                self.known.insert(Arc::as_ptr(array), transferred.clone());
                transferred
            }
        })
    }
}

/// An array that is expected beside a reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// Its shape.
    pub shape: ArrayShape,
    /// Its smallest and largest finite value.
    pub range: (f64, f64),
}

/// The arrays beside a reply, by the number of their memory; `None` where the reply makes no sense.
pub fn expected(done: &Done) -> Option<Vec<Expected>> {
    fn walk(value: &ValueAt, found: &mut BTreeMap<usize, Expected>) -> Option<()> {
        match value {
            ValueAt::Token => {}
            ValueAt::Tuple(elements) => elements.iter().try_for_each(|element| walk(element, found))?,
            ValueAt::Array { shape, memory, range } => {
                if !found.contains_key(memory) {
                    let shape = text::parse(shape).valid().and_then(Shape::as_array)?.clone();
                    found.insert(*memory, Expected { shape, range: *range });
                }
            }
        }
        Some(())
    }
    let mut found = BTreeMap::new();
    done.values.iter().try_for_each(|(_, value)| walk(value, &mut found))?;
    let is_whole = found.keys().copied().eq(0..found.len());
    is_whole.then(|| found.into_values().collect())
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

/// The run of a reply whose arrays have arrived; `None` where it is not one of this module.
pub fn ran(
    done: &Done,
    arrays: &[Arc<ArrayLiteral>],
    experiment: &Experiment,
    module: &Rc<Module>,
) -> Option<FinishedRun> {
    let entry = module.entry_computation()?;
    if done.drawn.len() != entry.instructions.len() {
        return None;
    }
    let mut values = vec![None; entry.instructions.len()];
    for (number, value) in &done.values {
        *values.get_mut(*number)? = Some(data(value, arrays)?);
    }
    let drawn = done.drawn.iter().map(|(number, upper, lower)| RandomPosition {
        number: *number,
        advanced: u128::from(*upper) << 64 | u128::from(*lower),
    });
    let computed_by = done.made.iter().map(|made| made.as_ref().and_then(made_of)).collect();
    let values = RunValues { computation: module.entry?, values, drawn: drawn.collect(), computed_by };
    let ranges = arrays.iter().cloned().zip(expected(done)?).map(|(array, of)| (array, of.range));
    let ran = FinishedRun::of(experiment, module.clone(), values, done.steps).with_ranges(ranges.collect());
    Some(if done.is_partial { ran.as_partial() } else { ran })
}

/// What the observed instruction carried, where it is a loop.
pub fn carried(done: &Done, observed: InstructionId) -> Option<Iterations> {
    let (_, carried) = done.carried.as_ref().filter(|(number, _)| *number == observed.index())?;
    Some(Iterations { states: carried.states.clone(), is_cut: carried.is_cut })
}
