//! Softmax along a dimension.

#[cfg(test)]
pub mod reference_tests;
pub mod rows;
pub mod task;

pub use rows::KERNELS;
