//! Select-and-scatter, the gradient of max pooling.

pub mod windows;
