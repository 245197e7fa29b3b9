//! A compiled module.

use xla_array::{ArrayLiteral, Literal, Shape};
use xla_hlo::Module;

use crate::array::{Array, Home, Node, Storage, ValueId};
use crate::lowering::refusal::{Refusal, Why};
use crate::lowering::{Lowered, Lowering};
use crate::slots::{Slot, assign};
use crate::step::{Action, Origin, Step};

pub use crate::lowering::Options;

/// Where the cells of a value are in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Argument(usize),
    Constant(usize),
    Kept(usize),
    Slot(usize),
}

/// A module compiled for any number of runs. It does not refer to the module.
pub struct Plan {
    pub(crate) storages: Vec<Storage>,
    pub(crate) places: Vec<Place>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) kept: Vec<Slot>,
    pub(crate) kept_steps: Vec<Step>,
    pub(crate) steps: Vec<Step>,
    pub(crate) constants: Vec<ArrayLiteral>,
    pub(crate) result: Node,
    pub(crate) parameters: Vec<Shape>,
    /// How many of the first arguments are the same in every run.
    pub(crate) constant_parameters: usize,
    live_bytes: u64,
}

impl Plan {
    /// Compiles a module that has been parsed or built without errors.
    ///
    /// # Errors
    ///
    /// What a plan does not express.
    pub fn compile(module: &Module, options: Options) -> Result<Self, Refusal> {
        let lowered = Lowering::run(module, options)?;
        let assignment = assign(&lowered);
        let invalid = Refusal { at: None, why: Why::Invalid };
        let Lowered { storages, kept_steps, steps, constants, kept, result, parameters, .. } = lowered;
        let place = |(storage, slot): (&Storage, &Option<usize>)| {
            Ok(match storage.home {
                Home::Argument(number) => Place::Argument(number),
                Home::Constant(number) => Place::Constant(number),
                Home::Kept(number) => Place::Kept(number),
                // A value that no step writes is not read either.
                Home::Slot => Place::Slot(slot.unwrap_or(usize::MAX)),
            })
        };
        let places = storages.iter().zip(&assignment.of).map(place).collect::<Result<_, Refusal>>()?;
        let slot_of = |value: &ValueId| {
            let Storage { element_type, cells, .. } = storages[value.0];
            Slot { element_type, cells }
        };
        let kept = kept.iter().map(slot_of).collect();
        let arrays = constants.into_iter().map(|literal| match literal {
            Literal::Array(array) => Ok(array),
            _ => Err(invalid),
        });
        Ok(Self {
            constants: arrays.collect::<Result<_, _>>()?,
            places,
            slots: assignment.slots,
            kept,
            storages,
            kept_steps,
            steps,
            result: result.ok_or(invalid)?,
            parameters,
            constant_parameters: options.constant_parameters,
            live_bytes: assignment.live_bytes,
        })
    }

    /// The bytes of the buffers of a run, without arguments and scratch memory of kernels.
    pub fn bytes(&self) -> u64 {
        self.slots.iter().chain(&self.kept).map(|slot| slot.bytes()).fold(0, u64::saturating_add)
    }

    /// The bytes of the result, which is a copy.
    pub fn result_bytes(&self) -> u64 {
        let mut bytes = 0_u64;
        self.result.each_array(&mut |array| {
            let Storage { element_type, .. } = *self.storage(array);
            let cells = array.view.elements();
            bytes = bytes.saturating_add(Slot { element_type, cells }.bytes());
        });
        bytes
    }

    /// The largest sum of the bytes of values that are alive at once, without arguments and what is computed once: what no
    /// assignment of buffers can go below.
    pub fn live_bytes(&self) -> u64 {
        self.live_bytes
    }

    /// The number of steps, and of those that run once for all runs.
    pub fn step_counts(&self) -> (usize, usize) {
        (self.steps.len(), self.kept_steps.len())
    }

    /// What a step does, and the sizes of its result, to name it where runs are measured.
    pub fn step_name(&self, step: usize) -> String {
        let Some(Step { action, reads, writes, .. }) = self.steps.get(step) else { return String::new() };
        let what = match action {
            Action::Kernel { kernel, task } => format!("{} {}", task.name(), kernel.name),
            Action::Slice { .. } | Action::Update { .. } => "dynamic slice".to_owned(),
            Action::Cells(_) | Action::TupleCells(_) => "body".to_owned(),
            Action::Whole { opcode, .. } => format!("body of {opcode}"),
            Action::Exchange(..) | Action::JumpUnless(_) | Action::Jump(_) | Action::Switch(_) => {
                "control".to_owned()
            }
        };
        let sizes = |array: &Array| array.shape.human_string();
        let reads: Vec<String> = reads.iter().map(sizes).collect();
        let writes: Vec<String> = writes.iter().map(sizes).collect();
        format!("{what}: {} → {}", reads.join(" "), writes.join(" "))
    }

    /// The instruction with which the buffers exceed this many bytes.
    pub(crate) fn first_beyond(&self, bytes: u64) -> Option<Origin> {
        let mut is_counted = vec![false; self.slots.len()];
        let mut all = self.kept.iter().map(|slot| slot.bytes()).fold(0, u64::saturating_add);
        let mut origins = self.steps.iter().map(|step| {
            for value in step.written() {
                if let Place::Slot(slot) = self.places[value.0]
                    && let Some(counted) = is_counted.get_mut(slot)
                    && !std::mem::replace(counted, true)
                {
                    all = all.saturating_add(self.slots[slot].bytes());
                }
            }
            (all > bytes, step.origin)
        });
        origins.find(|(is_beyond, _)| *is_beyond).map(|(_, origin)| origin)
    }

    pub(crate) fn storage(&self, array: &Array) -> &Storage {
        &self.storages[array.value.0]
    }
}
