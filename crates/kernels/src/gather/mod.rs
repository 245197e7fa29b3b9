//! Gather: slices read at start indices.

#[cfg(test)]
pub mod reference_tests;
pub mod slices;
pub mod task;

pub use slices::KERNELS;
