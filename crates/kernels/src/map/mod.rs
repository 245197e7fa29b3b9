//! Element-wise functions.

#[cfg(test)]
pub mod against_definition;
pub mod blocks;
pub mod convert;
pub mod dispatch;
pub mod float;
pub mod half;
pub mod loops;
pub mod row;
pub mod task;
pub mod wide;

pub use dispatch::{BINARY, CLAMP, COMPARE, CONVERT, SELECT, UNARY};
