//! Dots over any batch and contracting dimensions.

#[cfg(test)]
pub mod against_definition;
pub mod batches;
pub mod task;

pub use batches::KERNELS;
