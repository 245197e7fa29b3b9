//! Evaluation: module and arguments → values, within a budget, and a cell → the cells it came from.
//!
//! - [`mod@evaluate`]: the reference evaluator; [`values`]: what it computes, or why it cannot.
//! - [`kernel`]: kernels, which take over large instructions.
//! - [`host`]: queues and functions that the embedder provides; [`replicas`]: several devices in lockstep.
//! - [`meter`] and [`budget`]: limits of steps and of memory, and the observer of a run.
//! - [`trace`]: provenance.

mod bounded;
pub mod budget;
mod cells;
pub mod evaluate;
pub mod host;
pub mod kernel;
mod meetings;
mod memory;
pub mod meter;
mod outside;
mod regions;
pub mod replicas;
mod top_k;
pub mod trace;
pub mod values;

pub use outside::Answers;
