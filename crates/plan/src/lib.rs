//! Whole programs: a module is compiled once into a [`Plan`], which a [`Runner`] executes any number of times.
//!
//! A plan is a list of steps on buffers. Calls and fusions are inlined, loops and conditionals are jumps; tuples exist only while
//! a module is compiled. Broadcasts, transposes, slices and reshapes are views of another instruction's buffer where whoever reads
//! them takes strides. Live ranges decide which values share a buffer, so that the memory of a run is known before it begins.
//!
//! Which numbers a step computes is what the evaluator with kernels computes for the instruction
//! ([`xla_hlo::Evaluator::kernels`]): a kernel where one supports the task and the task is large enough, else the op's body. The
//! only difference is that kernels whose results are exact also take small tasks. So in strict mode a plan has the evaluator's
//! bits; where the order of a sum depends on the layout (reductions, windows), operands are brought into the layout of the text.
//!
//! What cannot be expressed is refused, when compiled ([`Unsupported`]) or for arguments of other shapes: the evaluator runs it.
//! That is everything with an effect, the host, other devices, dynamic shapes, tiled layouts, and XLA 2017.
//!
//! From the bottom: `array` (values while planning), `step`, `lowering` (module → steps), `live_ranges`, `free_intervals`,
//! `buffer_assignment` (live ranges → allocations), `plan`, then `meter`, `memory`, `cells`, `whole` and `runner`, which execute it.

mod array;
mod buffer_assignment;
mod cells;
mod free_intervals;
mod live_ranges;
mod lowering;
mod memory;
mod meter;
mod plan;
mod runner;
mod step;
mod whole;

pub use lowering::unsupported::{Reason, Unsupported};
pub use plan::{Options, Plan};
pub use runner::{RunError, Runner};
