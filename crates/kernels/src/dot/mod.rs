//! Dot products over any batch and contracting dimensions.

pub mod batches;
