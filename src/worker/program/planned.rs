//! Large programs run as plans, in a WebAssembly module of their own: the interface of that module, and which programs are large.
//! Independent of workers.
//!
//! A plan overwrites the values of a run. Only statistics of them are kept; a value that is shown is recomputed, by a
//! plan that ends with it.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use super::wire::InstructionKey;
use super::workload::flops;
use crate::array::{ArrayLiteral, Shape};
use crate::hlo::{InstructionId, Limits, Module};
use crate::inspect::flow::value_bytes;
use crate::inspect::performance::cost::{Costs, Iterations};
use crate::ops::{ComputationId, Data};
use crate::plan::RunStatistics;

/// Minimum FLOPs of a program that runs as a plan: smaller ones take the evaluator a few tens of milliseconds, and it keeps all
/// their values.
const MIN_PLANNED_FLOPS: u64 = 1 << 26;

/// Minimum bytes of the values of a program that runs as a plan.
const MIN_PLANNED_BYTES: u64 = 64 << 20;

/// Why a plan did not run or has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanFailure {
    /// The program, the arguments or an op is not supported, or the module crashed: the evaluator has to run the program.
    Rejected,
    /// The instruction whose buffer exceeds the limit on bytes, if it is known.
    Bytes(Option<(ComputationId, InstructionId)>),
    /// The instruction that exceeds the limit on steps.
    Steps(Option<(ComputationId, InstructionId)>),
}

/// Observes the progress of a run: the steps done, and the running instruction of the entry computation.
pub type PlanObserver = Rc<dyn Fn(u64, InstructionId)>;

/// A complete run.
pub struct PlanResult {
    /// The result of the program.
    pub result: Data,
    /// Statistics of its values.
    pub statistics: RunStatistics,
    /// The number of workers that have executed it.
    pub workers: usize,
}

/// A run in progress, which may wait for other workers.
pub type StatisticsRun<'a> = Pin<Box<dyn Future<Output = Result<PlanResult, PlanFailure>> + 'a>>;

/// A program compiled to plans, with its arguments.
pub trait Planned {
    /// Writes the array with this number of the arguments, counting the arrays of tuples one by one.
    ///
    /// # Errors
    ///
    /// The program has no such array, or there is no memory for it.
    fn write_argument(&self, number: usize, array: &ArrayLiteral) -> Result<(), PlanFailure>;

    /// Runs the program once: the result, of this shape, and statistics of its values. Other workers may take part.
    ///
    /// # Errors
    ///
    /// Those of the run.
    fn run_with_statistics<'a>(&'a self, result: &'a Shape, limits: Limits) -> StatisticsRun<'a>;

    /// The values of instructions of one computation, each given with its shape, in their execution with this number, from 0.
    /// `None` for those that were executed less often.
    ///
    /// # Errors
    ///
    /// Those of the run.
    fn values(
        &self,
        instructions: &[(InstructionKey, Shape)],
        execution: u64,
        limits: Limits,
    ) -> Result<Vec<Option<Data>>, PlanFailure>;
}

/// Compiles HLO text with a seed of random numbers; `None` if plans do not support the program.
pub type OpenPlan = Rc<dyn Fn(&str, u32, PlanObserver) -> Option<Box<dyn Planned>>>;

/// Loads the module that compiles plans; `None` if it is not available.
pub type LoadPlans<'a> = &'a dyn Fn() -> Pin<Box<dyn Future<Output = Option<OpenPlan>>>>;

/// Whether a program should run as a plan: it is large, and draws no random numbers that depend on the order of execution.
pub fn is_planned(module: &Module) -> bool {
    // These ops advance a global generator, so that their numbers depend on all of them that ran before; a plan runs only those
    // that are needed.
    let mut instructions = module.computations.iter().flat_map(|computation| &computation.instructions);
    if instructions.any(|i| matches!(i.opcode.as_str(), "rng" | "rng-get-and-update-state")) {
        return false;
    }
    let entry = module.entry_computation();
    let sizes = entry.into_iter().flat_map(|entry| &entry.instructions).map(|i| value_bytes(&i.shape));
    let bytes = sizes.map(|size| size.unwrap_or(u64::MAX)).fold(0, u64::saturating_add);
    bytes >= MIN_PLANNED_BYTES || flops(Costs::of(module, Iterations::Known).total()) >= MIN_PLANNED_FLOPS
}
