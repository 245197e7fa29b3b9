//! What the Program screen shows of a module, as plain data: nothing here knows a web type or runs a program.
//!
//! - [`calls`]: call sites in both directions; [`outline`]: computations as foldable nested groups of rows.
//! - [`flow`]: operands, users and neighbourhoods of instructions, and values that cross a call.
//! - [`values`]: statistics, histograms and differences of values, and the course of a run.
//! - [`text`]: what an editor needs: highlighting, folding, explanations, completion, navigation, formatting.

pub mod calls;
pub mod flow;
pub mod outline;
mod shortened;
pub mod text;
pub mod values;
