//! Select-and-scatter, the gradient of max pooling.

#[cfg(test)]
pub mod reference_tests;
pub mod task;
pub mod windows;

pub use windows::KERNELS;
