//! Window reductions and pooling.

#[cfg(test)]
pub mod against_definition;
pub mod float;
pub mod nest;
pub mod pool;
pub mod pool_channels;
pub mod pool_rows;
pub mod row;
pub mod task;

pub use nest::KERNELS;
