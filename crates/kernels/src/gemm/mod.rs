//! Matrix products: packing into panels, register tiles, cache blocking; products of few rows.

pub mod blocked;
pub mod few_rows;
pub mod float;
pub mod index_group;
pub mod matrix;
pub mod panels;
pub mod sum;
pub mod typed;
