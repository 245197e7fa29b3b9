//! Runs of experiments: on one device or several, in both editions, and what is asked of them.

pub mod compared;
pub mod devices;
pub mod editions;
mod finished;
pub mod iterations;
mod leaves;
mod limits;
pub mod summary;
mod uses;

pub use finished::{FinishedRun, Range};
pub use leaves::leaves;
