//! Four-lane vectors: the trait, its SIMD128 and scalar implementations, and functions built on it.

pub mod best;
pub mod bits;
pub mod half;
pub mod half_rows;
pub mod lanes;
pub mod math;
pub mod rows;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub mod simd128;
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub mod sse;
pub mod twin;
