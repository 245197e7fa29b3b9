//! HLO text → module and diagnostics. Never fails: errors are reported, and parsing resumes at the next instruction.
//!
//! A recursive-descent parser over [`Lexer`](super::lexer::Lexer). Opcodes, operands and attributes come from the ops'
//! [`OpMeta`](xla_ops::OpMeta); the parser knows no op. Its parts:
//!
//! - `state`: the parser and its reports.
//! - `entry`: the functions that parse a whole text; `steps`: parses a bounded part of the source at a time.
//! - `header` (module header and tables), `headerless` (text without one), `computation`, `instruction`, `operand`,
//!   `attribute` (values), `quoted` (strings): the grammar, top down.
//! - `annotation`, `sharding`: the syntax of values that are stored as text.
//! - `shape`: the extent of a shape in the source.
//! - `form`: builder forms in an instruction; `lower` lowers them.
//! - `fixes`: fixes of mistakes that need more than one token to recognize.
//! - `recover`: resynchronization after an error; `nearest`: suggestions for misspelled names.
//! - `budget`: bounds on time and memory; `charges` reports when they are exceeded.

mod annotation;
mod attribute;
mod budget;
mod charges;
mod computation;
mod entry;
mod fixes;
mod form;
mod header;
mod headerless;
mod instruction;
mod lower;
pub mod nearest;
mod operand;
mod parsed;
mod quoted;
mod recover;
mod shape;
mod sharding;
mod state;
mod steps;

pub use super::module::MAX_NESTING_DEPTH;
pub use entry::{lower, parse, parse_edition};
pub use lower::Lowered;
pub use parsed::Parsed;
pub use state::MAX_TEXT_BYTES;
pub use steps::ParseSteps;

#[cfg(test)]
mod tests;
