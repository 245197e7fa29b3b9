//! Select-and-scatter, the gradient of max pooling.

pub mod task;
pub mod windows;

pub use windows::KERNELS;
