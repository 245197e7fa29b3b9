//! Copies between strided views.

#[cfg(test)]
pub mod against_definition;
pub mod copy;
pub mod gaps;
pub mod loops;
pub mod plan;
pub mod task;

pub use copy::KERNELS;
