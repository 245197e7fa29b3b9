//! The state of the Ops screen for an [`Experiment`]: its editing session, its link, and the review of code that came
//! with a link.
//!
//! The experiment itself, its runs and their provenance are in [`crate::experiment`], whose names are re-exported
//! here.

mod append;
pub mod link;
pub mod review;
pub mod session;

pub use crate::experiment::*;
