//! A compiled module.

use std::sync::Arc;

use xla_array::{ArrayLiteral, Literal, Shape};
use xla_hlo::Module;

use crate::array::{Array, Location, ValueId, ValueInfo, ValueTree};
use crate::buffer_assignment::{Allocation, assign};
use crate::lowering::unsupported::{Reason, Unsupported};
use crate::lowering::{Lowered, Lowering};
use crate::observation::{Observed, ObservedInstruction};
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

/// A module compiled for any number of runs. It does not borrow from the module.
pub struct Plan {
    pub(crate) values: Vec<ValueInfo>,
    pub(crate) buffer_ids: Vec<BufferId>,
    pub(crate) allocations: Vec<Allocation>,
    pub(crate) precomputed: Vec<Allocation>,
    pub(crate) precomputed_steps: Vec<Step>,
    pub(crate) steps: Vec<Step>,
    /// Array literals, possibly shared with the module.
    pub(crate) constants: Vec<Arc<Literal>>,
    pub(crate) result: ValueTree,
    pub(crate) parameters: Vec<Shape>,
    /// The instructions whose values a run can observe.
    pub(crate) observed: Vec<ObservedInstruction>,
    /// The number of leading arguments that are the same in every run.
    pub(crate) constant_parameters: usize,
    peak_live_bytes: u64,
}

impl Plan {
    /// Compiles a module that has been parsed or built without errors.
    ///
    /// # Errors
    ///
    /// [`Unsupported`] if the module has a feature that plans do not support.
    pub fn compile(module: &Module, options: Options) -> Result<Self, Unsupported> {
        Self::compile_observed(module, options, Observed::Nothing)
    }

    /// Like [`Self::compile`], with values that a run can observe ([`Runner::capture`](crate::Runner::capture),
    /// [`Runner::run_with_statistics`](crate::Runner::run_with_statistics)). Instructions that the result does not need are
    /// computed only if they are observed by name.
    ///
    /// # Errors
    ///
    /// Those of [`Self::compile`].
    pub fn compile_observed(
        module: &Module,
        options: Options,
        observed: Observed,
    ) -> Result<Self, Unsupported> {
        let lowered = Lowering::run(module, options, observed)?;
        let assignment = assign(&lowered);
        let invalid = Unsupported { at: None, reason: Reason::Invalid };
        let Lowered {
            values,
            precomputed_steps,
            steps,
            constants,
            precomputed,
            result,
            parameters,
            observed,
            ..
        } = lowered;
        let buffer_id = |(info, allocation): (&ValueInfo, &Option<usize>)| match info.location {
            Location::Argument(number) => BufferId::Argument(number),
            Location::Constant(number) => BufferId::Constant(number),
            Location::Precomputed(number) => BufferId::Precomputed(number),
            // A value that no step writes has no allocation, and no step reads it.
            Location::Allocated => BufferId::Allocation(allocation.unwrap_or(usize::MAX)),
        };
        let buffer_ids = values.iter().zip(&assignment.allocation_of_value).map(buffer_id).collect();
        let allocation_of = |value: &ValueId| {
            let ValueInfo { element_type, elements, .. } = values[value.0];
            Allocation { element_type, elements }
        };
        let precomputed = precomputed.iter().map(allocation_of).collect();
        Ok(Self {
            constants,
            buffer_ids,
            allocations: assignment.allocations,
            precomputed,
            values,
            precomputed_steps,
            steps,
            result: result.ok_or(invalid)?,
            parameters,
            observed,
            constant_parameters: options.constant_parameters,
            peak_live_bytes: assignment.peak_live_bytes,
        })
    }

    /// The bytes of the buffers of a run, including constants, without arguments and scratch memory of kernels.
    pub fn bytes(&self) -> u64 {
        let allocations = self.allocations.iter().map(|allocation| allocation.bytes());
        allocations.fold(self.retained_bytes(), u64::saturating_add)
    }

    /// The bytes of constants and precomputed values, which are retained between runs.
    fn retained_bytes(&self) -> u64 {
        let constants = self.constants.iter().filter_map(|literal| literal.as_array());
        let constants = constants.map(ArrayLiteral::held_bytes);
        let precomputed = self.precomputed.iter().map(|allocation| allocation.bytes());
        constants.chain(precomputed).fold(0, u64::saturating_add)
    }

    /// The bytes of the result, which is copied out of the buffers.
    pub fn result_bytes(&self) -> u64 {
        let mut bytes = 0_u64;
        self.result.for_each_array(&mut |array| {
            let ValueInfo { element_type, .. } = *self.value_info(array);
            let elements = array.view.elements();
            bytes = bytes.saturating_add(Allocation { element_type, elements }.bytes());
        });
        bytes
    }

    /// The maximum sum of the bytes of values that are live at the same time, without arguments and precomputed values: the
    /// lower bound of any assignment of buffers.
    pub fn peak_live_bytes(&self) -> u64 {
        self.peak_live_bytes
    }

    /// The number of steps of every run, and of steps that run only once.
    pub fn step_counts(&self) -> (usize, usize) {
        (self.steps.len(), self.precomputed_steps.len())
    }

    /// A description of a step for profiles: what it does, and the shapes of its operands and results.
    pub fn step_name(&self, step: usize) -> String {
        let Some(Step { action, reads, writes, .. }) = self.steps.get(step) else { return String::new() };
        let description = match action {
            Action::Kernel { kernel, task } => format!("{} {}", task.name(), kernel.name),
            Action::Slice { .. } | Action::Update { .. } => "dynamic slice".to_owned(),
            Action::Initialize { .. } => "initial state of a loop".to_owned(),
            Action::PerElement(_) | Action::PerElementTuple(_) => "interpreted per element".to_owned(),
            Action::Eager { opcode, .. } => format!("interpreted {opcode}"),
            Action::Observe(_) => "observation".to_owned(),
            Action::Swap(..) | Action::JumpUnless(_) | Action::Jump(_) | Action::Switch(_) => {
                "control flow".to_owned()
            }
        };
        let shape = |array: &Array| array.shape.human_string();
        let reads: Vec<String> = reads.iter().map(shape).collect();
        let writes: Vec<String> = writes.iter().map(shape).collect();
        format!("{description}: {} → {}", reads.join(" "), writes.join(" "))
    }

    /// The origin of the first step whose buffers make the total exceed this many bytes.
    pub(crate) fn first_step_beyond(&self, bytes: u64) -> Option<Origin> {
        let mut is_counted = vec![false; self.allocations.len()];
        let mut total = self.retained_bytes();
        let mut origins = self.steps.iter().map(|step| {
            for value in step.written() {
                if let BufferId::Allocation(allocation) = self.buffer_ids[value.0]
                    && let Some(counted) = is_counted.get_mut(allocation)
                    && !std::mem::replace(counted, true)
                {
                    total = total.saturating_add(self.allocations[allocation].bytes());
                }
            }
            (total > bytes, step.origin)
        });
        origins.find(|(is_beyond, _)| *is_beyond).map(|(_, origin)| origin)
    }

    pub(crate) fn value_info(&self, array: &Array) -> &ValueInfo {
        &self.values[array.value.0]
    }
}
