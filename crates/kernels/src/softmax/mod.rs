//! Softmax along a dimension.

pub mod rows;
pub mod task;

pub use rows::KERNELS;
