//! Select-and-scatter, the gradient of max pooling.

#[cfg(test)]
pub mod against_definition;
pub mod task;
pub mod windows;

pub use windows::KERNELS;
