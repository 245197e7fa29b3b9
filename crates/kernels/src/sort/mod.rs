//! Sorting along one dimension.

pub mod by_radix;
pub mod four_rows;
pub mod keys;
pub mod merge;
pub mod network;
pub mod radix;
pub mod rows;
