//! Window reductions and pooling.

pub mod float;
pub mod nest;
pub mod pool;
pub mod pool_channels;
pub mod pool_rows;
#[cfg(test)]
pub mod reference_tests;
pub mod row;
pub mod task;

pub use nest::KERNELS;
