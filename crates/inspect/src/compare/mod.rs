//! Two modules compared: which instructions correspond, what changed in each, and where their values begin to differ.
//!
//! [`Matching`] relates computations and instructions, [`diff`] describes and ranks the differences, [`mod@values`]
//! compares values in the order of the data flow, [`names`] relates values from elsewhere to instructions by name, and
//! [`series`] orders the dumps of a compiler's passes.
//!
//! [`aligned`] is the list of both modules' instructions, [`written`] the text of one with what differs in it.
//!
//! Names are the last resort of the matching, as compilers renumber them: two programs that differ in names only are
//! equal but for renamings. The time is O(n log n) for n instructions.

pub mod aligned;
mod changes;
mod computations;
mod hash;
mod instructions;
mod matching;
pub mod names;
mod order;
mod pairs;
pub mod series;
pub mod values;
pub mod written;

pub use changes::{Change, ChangeKind, Detail, Diff, Group, diff};
pub use matching::{Matching, Place};
pub use values::{ValueComparison, ValueDifference};

#[cfg(test)]
mod tests;
