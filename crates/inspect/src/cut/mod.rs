//! Cuts a selection of instructions out as a separate program: a reproducer that computes the same values.
//!
//! The values that the selection captures become parameters, with their recorded values as arguments, or constants if they
//! are small. The result is printed and parsed again, so that it has passed every check.
//!
//! [`shrink`] reduces a program step by step by cutting.

mod assemble;
mod closure;
mod extract;
mod program;
pub mod shrink;
mod types;

pub use extract::cut;
pub use types::{Cut, CutError, CutOptions, Program, Results};

#[cfg(test)]
mod tests;
