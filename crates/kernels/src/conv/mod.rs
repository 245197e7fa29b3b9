//! Convolutions: as blocked matrix products, depthwise, of few places, and Winograd.

#[cfg(test)]
pub mod against_definition;
pub mod blocked;
pub mod depthwise;
pub mod depthwise_channels;
pub mod few_places;
pub mod im2col;
pub mod padding;
pub mod plan;
pub mod task;
pub mod winograd;

pub use blocked::KERNELS;
