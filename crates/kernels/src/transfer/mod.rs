//! Copies between strided views.

pub mod copy;
pub mod gaps;
pub mod loops;
pub mod plan;
#[cfg(test)]
pub mod reference_tests;
pub mod task;

pub use copy::KERNELS;
