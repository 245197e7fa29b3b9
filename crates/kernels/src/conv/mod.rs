//! Convolutions.

pub mod blocked;
pub mod depthwise;
pub mod depthwise_channels;
pub mod few_places;
pub mod im2col;
pub mod winograd;
