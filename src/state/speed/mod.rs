//! The Speed screen's state: what is to be measured, its link, and what came of it.
//!
//! [`ops`] is the table of what can be measured; a [`Setup`] is one of its rows with sizes, within limits; [`task`] makes
//! it a kernel's task and HLO text, in the worker; [`results`] gathers what the worker tells; [`report`] says it as text.

pub mod link;
pub mod ops;
pub mod report;
pub mod results;
pub mod setup;
pub mod task;

pub use ops::{OPS, Op};
pub use setup::{Setup, View};
