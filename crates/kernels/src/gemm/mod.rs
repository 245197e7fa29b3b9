//! Matrix products: packing into panels, register tiles, cache blocking; products of few rows.

pub mod accumulator_type;
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub mod avx;
pub mod blocked;
pub mod few_rows;
pub mod float;
pub mod matrix;
pub mod offset_map;
pub mod panels;

pub mod typed;
