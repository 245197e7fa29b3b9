//! Softmax along one dimension.

pub mod rows;
