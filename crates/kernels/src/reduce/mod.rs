//! Reductions over any dimensions and layout.

#[cfg(test)]
pub mod against_definition;
pub mod interleaved;
pub mod nest;
pub mod task;

pub use nest::KERNELS;
