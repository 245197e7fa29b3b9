//! Matrix products: packing into panels, register tiles, cache blocking; products of few rows.

pub mod accumulator_type;
pub mod blocked;
pub mod few_rows;
pub mod float;
pub mod matrix;
pub mod offset_map;
pub mod panels;

pub mod typed;
