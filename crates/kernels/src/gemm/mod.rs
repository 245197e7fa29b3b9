//! Matrix products: packing, register tiles, cache blocking.

pub mod blocked;
pub mod few_rows;
pub mod float;
pub mod index_group;
pub mod panels;
pub mod typed;
