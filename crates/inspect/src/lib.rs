//! Analyses of a module for the Program screen, as plain data: nothing here knows a web type or runs a program.
//!
//! - [`calls`]: call sites in both directions; [`outline`]: computations as foldable nested groups of rows.
//! - [`flow`]: operands, users and neighbourhoods of instructions, and values that cross a call.
//! - [`search`]: instructions by name, opcode, shape, metadata and attributes.
//! - [`graph`]: layered drawings of computations and neighbourhoods, queried by the visible window.
//! - [`performance`]: costs in operations and bytes, data movement and its causes, padding, and memory over time.
//! - [`start_indices`]: parameters that are start indices of slices, and what is in bounds.
//! - [`source`]: source locations of instructions, and groups by them.
//! - [`report`]: memory reports that were pasted, and layouts that waste less.
//! - [`values`]: statistics, histograms and differences of values, and the first NaN of a run.
//! - [`compare`]: differences of two modules, by structure and by values.
//! - [`cut`]: a selection of instructions as a separate program.
//! - [`text`]: HLO text in an editor: highlighting, folding, explanations, completion, navigation, formatting.

pub mod calls;
pub mod compare;
pub mod cut;
pub mod flow;
pub mod graph;
mod instruction_at;
pub mod outline;
pub mod performance;
pub mod report;
pub mod search;
mod shortened;
pub mod source;
pub mod start_indices;
pub mod text;
pub mod values;
