//! What the Program screen shows of a module, as plain data: nothing here knows a web type or runs a program.
//!
//! - [`calls`]: call sites in both directions; [`outline`]: computations as foldable nested groups of rows.
//! - [`flow`]: operands, users and neighbourhoods of instructions, and values that cross a call.
//! - [`search`]: instructions by name, opcode, shape, metadata and attributes.
//! - [`graph`]: layered drawings of computations and neighbourhoods, queried by the visible window.

pub mod calls;
pub mod flow;
pub mod graph;
pub mod outline;
pub mod search;
mod shortened;

pub mod compare;
pub mod cut;
pub mod values;
//! - [`lens`]: costs in operations and bytes.

pub mod lens;

pub mod text;
