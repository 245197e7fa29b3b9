//! Reductions over any dimensions and layout.

pub mod interleaved;
pub mod nest;
#[cfg(test)]
pub mod reference_tests;
pub mod task;

pub use nest::KERNELS;
