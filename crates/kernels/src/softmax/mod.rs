//! Softmax along a dimension.

#[cfg(test)]
pub mod against_definition;
pub mod rows;
pub mod task;

pub use rows::KERNELS;
