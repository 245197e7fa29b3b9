//! Accumulators of reductions, for every type: rows, columns, sliding windows.

pub mod accumulator;
pub mod dimensions;
pub mod fast_float;
pub mod float;
pub mod float_columns;
pub mod half;
pub mod loops;
pub mod operators;
pub mod slide;
