//! Comparison of two modules: matching instructions, the changes of each, and the first values that differ.
//!
//! [`Matching`] relates computations and instructions, [`diff`] describes and ranks the differences, [`mod@values`]
//! compares values in the order of the data flow, [`names`] relates values from elsewhere to instructions by name, and
//! [`series`] orders the dumps of a compiler's passes.
//!
//! [`aligned`] is the list of both modules' instructions, [`written`] the text of one with its differences marked.
//!
//! Names are only matched last, because compilers renumber them: programs that differ only in names have no other changes than
//! renamings. The time is O(n log n) for n instructions.

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

pub use crate::instruction_at::InstructionAt;
pub use changes::{Change, ChangeKind, Detail, Diff, Group, diff};
pub use matching::Matching;
pub use values::{ValueComparison, ValueDifference};

#[cfg(test)]
mod tests;
