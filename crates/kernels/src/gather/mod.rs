//! Gather: slices read at start indices.

#[cfg(test)]
pub mod against_definition;
pub mod slices;
pub mod task;

pub use slices::KERNELS;
