//! Dots over any batch and contracting dimensions.
//!
//! `task` describes a dot: its operands, their dimension numbers and its result. `batched` loops over the batch dimensions and
//! multiplies a pair of matrices for each with `gemm`; its `KERNELS` are the entries of the registry, tried in order.
//! `prepared` runs one small dot many times. `reference_tests` holds the tests against a plain sum of products.

pub mod batched;
pub mod prepared;
#[cfg(test)]
pub mod reference_tests;
pub mod task;

pub use batched::KERNELS;
