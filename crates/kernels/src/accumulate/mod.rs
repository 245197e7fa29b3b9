//! Accumulators of reductions: rows and columns of every type.

pub mod float;
pub mod half;
pub mod loops;
pub mod streams;
