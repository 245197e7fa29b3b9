//! Evaluation: module and arguments → values, within a budget; and a cell → the cells it was computed from.
//!
//! - [`evaluator`]: runs a module on one device; [`devices`]: on several.
//! - [`outcome`] and [`values`]: the results of a run, or its error.
//! - [`tracer`]: the provenance of cells of an outcome.
//! - [`kernel`]: kernels, which compute large instructions; [`host`]: the embedder's queues and functions.
//! - [`meter`] and [`budget`]: limits on steps and memory, and the observer of a run; [`random`]: its random numbers.
//!
//! Internally, an `interpreter` runs a `program` on a `device`; devices exchange data in a `rendezvous`.

mod annotations;
pub mod budget;
mod device;
pub mod devices;
pub mod evaluator;
pub mod host;
mod interpreter;
pub mod kernel;
mod memory;
pub mod meter;
pub mod outcome;
mod program;
pub mod random;
pub mod regions;
mod rendezvous;
mod top_k;
pub mod tracer;
pub mod values;
mod waiting;

pub use device::RecordedAnswers;
pub use waiting::Path as CallPath;
