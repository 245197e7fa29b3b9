//! Reductions over any dimensions and layout.

pub mod interleaved;
pub mod nest;
pub mod task;

pub use nest::KERNELS;
