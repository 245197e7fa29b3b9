//! Runs of experiments, on one or several devices and in both editions, and queries about them.

pub mod comparison;
pub mod devices;
pub mod editions;
mod finished;
pub mod iterations;
mod leaves;
mod limits;
pub mod summary;
mod uses;

pub use finished::FinishedRun;
pub use leaves::leaves;
pub use uses::UsedArrays;
