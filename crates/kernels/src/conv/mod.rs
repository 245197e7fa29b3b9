//! Convolutions: as blocked matrix products, depthwise, of few positions, and Winograd.

pub mod blocked;
pub mod depthwise;
pub mod depthwise_channels;
pub mod few_positions;
pub mod im2col;
pub mod padding;
pub mod plan;
#[cfg(test)]
pub mod reference_tests;
pub mod task;
pub mod winograd;

pub use blocked::KERNELS;
