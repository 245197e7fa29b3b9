//! Gather: slices read at start indices.

pub mod slices;
pub mod task;

pub use slices::KERNELS;
