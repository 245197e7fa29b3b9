//! The Speed screen's state: what is to be measured, its link, and what came of it.
//!
//! [`ops`] is the table of what can be measured; a [`Setup`] is one of its rows with sizes, within limits; [`task`] makes
//! it a kernel's task and HLO text, in the worker; [`measurement`] is what is observed, [`results`] collects it, and [`report`]
//! formats it as text.

pub mod link;
pub mod measurement;
pub mod ops;
pub mod report;
pub mod results;
pub mod setup;
pub mod task;

pub use ops::{OPS, Op};
pub use setup::{Setup, View};
