//! Dots over any batch and contracting dimensions.

pub mod batches;
pub mod task;

pub use batches::KERNELS;
