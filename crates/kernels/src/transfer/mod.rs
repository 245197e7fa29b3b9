//! Copies between strided views.

pub mod copy;
pub mod gaps;
pub mod loops;
pub mod plan;
pub mod task;

pub use copy::KERNELS;
