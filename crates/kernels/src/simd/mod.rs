//! Four-lane vectors: the trait, its SIMD128 and its scalar implementation, and what is built on it alone.

pub mod best;
pub mod bits;
pub mod half;
pub mod lanes;
pub mod math;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub mod simd128;
pub mod twin;
