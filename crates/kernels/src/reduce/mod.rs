//! Reductions over any dimensions and layout.

pub mod nest;
