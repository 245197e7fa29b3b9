//! What the Ops screen keeps of an [`Experiment`]: its editing session, its link, and the review of
//! code that came with a link.
//!
//! The experiment itself, its runs and their provenance are [`crate::experiment`], whose names are reachable here too.

mod append;
pub mod link;
pub mod review;
pub mod session;

pub use crate::experiment::*;
