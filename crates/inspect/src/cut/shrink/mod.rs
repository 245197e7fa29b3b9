//! Reduces a program while a property holds: a NaN appears, a value differs, an error is given.
//!
//! A [`Shrinker`] runs nothing. It proposes a candidate, the caller runs it and answers whether the property still holds,
//! with the values that the run computed. So a search can be cancelled and resumed between any two candidates, and what it
//! has found so far is always a valid program.
//!
//! The result is minimal: no instruction can be replaced by its value or by one of its operands without losing the
//! property, unless the search ran out of tries. Steps, repeated while one succeeds: the ancestors of the failing
//! instruction; removal of instructions by delta debugging, their values become parameters or constants; an instruction
//! replaced by its operand; fewer results; calls and branches inlined; smaller dimensions; simpler values.

mod bypass;
mod inline;
mod literals;
mod parts;
mod search;
mod sizes;
mod state;
mod step;

pub use search::{End, Progress, Shrinker, shrink};
pub use state::{ShrinkOptions, Values};

#[cfg(test)]
mod tests;
