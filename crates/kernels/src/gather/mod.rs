//! Slices gathered at start indices.

pub mod slices;
