//! The state of the Speed screen: a setup to measure, its link, and the results.
//!
//! [`ops`] is the table of benchmark ops; a [`Setup`] is one of them with sizes, within limits; [`task`] converts it
//! to a kernel's task and to HLO text, in the worker; [`measurement`] has the observations, [`results`] collects
//! them, [`spread`] decides when cases differ, [`report`] formats them as text, and [`example`] has results to show
//! before the first measurement.

pub mod example;
pub mod link;
pub mod measurement;
pub mod ops;
pub mod report;
pub mod results;
pub mod setup;
pub mod spread;
pub mod task;

pub use ops::{OPS, Op};
pub use setup::{Setup, View};
