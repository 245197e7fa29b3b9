//! The state of the Ops screen for an [`Experiment`]: its editing session, its link, and the review of code that came
//! with a link.
//!
//! The experiment itself, its runs and their provenance are in [`crate::experiment`], whose names are re-exported
//! here.

mod action;
mod append;
mod form_edits;
pub mod link;
pub mod next;
mod reading;
pub mod review;
pub mod session;

pub use crate::experiment::*;
