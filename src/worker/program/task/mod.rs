//! Tasks on programs other than the one that is shown: each reads its texts, runs them, and keeps nothing. Independent of
//! workers.
//!
//! - [`perform`]: any task; [`values`]: the values of two programs compared; [`cutting`]: instructions as a program of their
//!   own; [`shrinking`]: a program reduced while it has a property; [`exporting`]: a program with its values as a file.
//! - [`recording`]: a run whose values are recorded; [`environment`]: what a task needs of its worker.

pub mod cutting;
pub mod environment;
pub mod exporting;
pub mod perform;
pub mod recording;
pub mod shrinking;
pub mod values;

#[cfg(test)]
mod tests;
