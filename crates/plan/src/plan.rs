//! A compiled module.

use std::sync::Arc;

use xla_array::{ArrayLiteral, Literal, Shape};
use xla_hlo::Module;

use crate::array::{Array, Location, Node, Storage, ValueId};
use crate::buffer_assignment::{Allocation, assign};
use crate::lowering::unsupported::{Reason, Unsupported};
use crate::lowering::{Lowered, Lowering};
use crate::step::{Action, Origin, Step};

pub use crate::lowering::Options;

/// The buffer of a value in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BufferId {
    Argument(usize),
    Constant(usize),
    Precomputed(usize),
    Allocation(usize),
}

/// A module compiled for any number of runs. It does not refer to the module.
pub struct Plan {
    pub(crate) storages: Vec<Storage>,
    pub(crate) buffer_ids: Vec<BufferId>,
    pub(crate) allocations: Vec<Allocation>,
    pub(crate) precomputed: Vec<Allocation>,
    pub(crate) precomputed_steps: Vec<Step>,
    pub(crate) steps: Vec<Step>,
    /// Arrays, which the module may share.
    pub(crate) constants: Vec<Arc<Literal>>,
    pub(crate) result: Node,
    pub(crate) parameters: Vec<Shape>,
    /// How many of the first arguments are the same in every run.
    pub(crate) constant_parameters: usize,
    peak_live_bytes: u64,
}

impl Plan {
    /// Compiles a module that has been parsed or built without errors.
    ///
    /// # Errors
    ///
    /// What a plan does not express.
    pub fn compile(module: &Module, options: Options) -> Result<Self, Unsupported> {
        let lowered = Lowering::run(module, options)?;
        let assignment = assign(&lowered);
        let invalid = Unsupported { at: None, reason: Reason::Invalid };
        let Lowered {
            storages, precomputed_steps, steps, constants, precomputed, result, parameters, ..
        } = lowered;
        let buffer_id = |(storage, allocation): (&Storage, &Option<usize>)| {
            Ok(match storage.location {
                Location::Argument(number) => BufferId::Argument(number),
                Location::Constant(number) => BufferId::Constant(number),
                Location::Precomputed(number) => BufferId::Precomputed(number),
                // A value that no step writes is not read either.
                Location::Allocated => BufferId::Allocation(allocation.unwrap_or(usize::MAX)),
            })
        };
        let ids = storages.iter().zip(&assignment.allocation_of_value).map(buffer_id);
        let buffer_ids = ids.collect::<Result<_, Unsupported>>()?;
        let allocation_of = |value: &ValueId| {
            let Storage { element_type, cells, .. } = storages[value.0];
            Allocation { element_type, cells }
        };
        let precomputed = precomputed.iter().map(allocation_of).collect();
        Ok(Self {
            constants,
            buffer_ids,
            allocations: assignment.allocations,
            precomputed,
            storages,
            precomputed_steps,
            steps,
            result: result.ok_or(invalid)?,
            parameters,
            constant_parameters: options.constant_parameters,
            peak_live_bytes: assignment.peak_live_bytes,
        })
    }

    /// The bytes of the buffers of a run, including constants, without arguments and scratch memory of kernels.
    pub fn bytes(&self) -> u64 {
        let allocations = self.allocations.iter().map(|allocation| allocation.bytes());
        allocations.fold(self.kept_bytes(), u64::saturating_add)
    }

    /// The bytes of constants and precomputed values.
    fn kept_bytes(&self) -> u64 {
        let constants = self.constants.iter().filter_map(|literal| literal.as_array());
        let constants = constants.map(ArrayLiteral::held_bytes);
        let precomputed = self.precomputed.iter().map(|allocation| allocation.bytes());
        constants.chain(precomputed).fold(0, u64::saturating_add)
    }

    /// The bytes of the result, which is a copy.
    pub fn result_bytes(&self) -> u64 {
        let mut bytes = 0_u64;
        self.result.each_array(&mut |array| {
            let Storage { element_type, .. } = *self.storage(array);
            let cells = array.view.elements();
            bytes = bytes.saturating_add(Allocation { element_type, cells }.bytes());
        });
        bytes
    }

    /// The maximum sum of the bytes of values that are live at once, without arguments and precomputed values: the lower bound
    /// of any assignment of buffers.
    pub fn peak_live_bytes(&self) -> u64 {
        self.peak_live_bytes
    }

    /// The number of steps, and of those that run once for all runs.
    pub fn step_counts(&self) -> (usize, usize) {
        (self.steps.len(), self.precomputed_steps.len())
    }

    /// What a step does, and the sizes of its result, to name it where runs are measured.
    pub fn step_name(&self, step: usize) -> String {
        let Some(Step { action, reads, writes, .. }) = self.steps.get(step) else { return String::new() };
        let what = match action {
            Action::Kernel { kernel, task } => format!("{} {}", task.name(), kernel.name),
            Action::Slice { .. } | Action::Update { .. } => "dynamic slice".to_owned(),
            Action::Initialize { .. } => "state of a loop".to_owned(),
            Action::Cells(_) | Action::TupleCells(_) => "body".to_owned(),
            Action::Whole { opcode, .. } => format!("body of {opcode}"),
            Action::Swap(..) | Action::JumpUnless(_) | Action::Jump(_) | Action::Switch(_) => {
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
        let mut is_counted = vec![false; self.allocations.len()];
        let mut all = self.kept_bytes();
        let mut origins = self.steps.iter().map(|step| {
            for value in step.written() {
                if let BufferId::Allocation(allocation) = self.buffer_ids[value.0]
                    && let Some(counted) = is_counted.get_mut(allocation)
                    && !std::mem::replace(counted, true)
                {
                    all = all.saturating_add(self.allocations[allocation].bytes());
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
