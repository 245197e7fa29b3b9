//! Vectors of four lanes: the trait [`lanes::Lanes`], its implementations, and functions built on them.

pub mod bits;
pub mod half;
pub mod half_rows;
pub mod lanes;
pub mod math;
pub mod native;
pub mod rows;
pub mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub mod simd128;
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub mod sse2;
