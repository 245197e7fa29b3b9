//! Whole programs: a module is compiled once into a [`Plan`], which a [`Runner`] executes any number of times.
//!
//! A plan is a list of steps on buffers. Calls and fusions are inlined, loops and conditionals are jumps; tuples exist only while
//! a module is compiled. Broadcasts, transposes, slices and reshapes are views of another instruction's buffer where their users
//! support strides. Live ranges decide which values share a buffer, so the memory of a run is known before it begins.
//!
//! A step computes what the evaluator with kernels ([`xla_hlo::Evaluator::kernels`]) computes for the instruction: by a kernel if
//! one supports the task and the task is large enough, else by the op's semantics. The only difference is that exact kernels
//! compute small tasks, too. So the results of a plan are bitwise equal to those of the evaluator with strict kernels; where the
//! order of a sum depends on the layout (reductions, windows), operands are copied to the layout that the module gives them.
//!
//! Not supported are side effects, the host, other devices, dynamic shapes, tiled layouts, and XLA 2017: compiling such a module
//! fails ([`Unsupported`]), and the evaluator has to run it. A run rejects arguments of other shapes ([`RunError::Rejected`]).
//!
//! A run keeps nothing but its result. A plan can be compiled to make intermediate values observable while it runs
//! ([`Observed`]): [`Runner::capture`] copies some of them, [`Runner::run_with_statistics`] finds the first NaN and counts
//! executions.
//!
//! Several workers can execute a run together, each with a plan and arguments of its own: [`Runner::divide`], [`Runner::start`] and
//! [`Runner::resume`].
//!
//! Modules, bottom up: `array` (values at planning time), `step`, `observation`, `lowering` (module → steps), `live_ranges`,
//! `free_intervals`, `buffer_assignment` (live ranges → allocations), `plan`, then `meter`, `memory`, `per_element`, `whole`,
//! `run_statistics`, `step_state`, `division` (which steps are divided among workers), `run`, `run_state`, `runner` and `divided`, which execute
//! it, and `session` for callers in another memory.

mod array;
mod buffer_assignment;
mod divided;
mod division;
mod free_intervals;
mod live_ranges;
mod lowering;
mod memory;
mod meter;
mod observation;
mod per_element;
mod plan;
mod run;
mod run_state;
mod run_statistics;
mod runner;
mod session;
mod step;
mod step_state;
mod whole;

pub use divided::RunProgress;
pub use division::candidates::CostModel;
pub use division::divided_plan::Worker;
pub use lowering::unsupported::{Reason, Unsupported};
pub use observation::Observed;
pub use plan::{Options, Plan};
pub use run::RunError;
pub use run_statistics::{Growth, NonFiniteEvent, RunStatistics};
pub use runner::Runner;
pub use session::Session;
