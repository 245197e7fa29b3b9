//! Element-wise functions.

pub mod blocks;
pub mod convert;
pub mod dispatch;
pub mod float;
pub mod half;
pub mod loops;
pub mod prepared;
#[cfg(test)]
pub mod reference_tests;
pub mod row;
pub mod task;
pub mod wide;

pub use dispatch::{BINARY, CLAMP, COMPARE, CONVERT, SELECT, UNARY};
