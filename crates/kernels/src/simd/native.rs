//! The vector type of the target.

/// A vector of four `f32`: SIMD128 or SSE2 where the target has it, otherwise an array. Miri runs the array.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub type F32x4 = super::simd128::Simd128;
/// A vector of four `f32`: SIMD128 or SSE2 where the target has it, otherwise an array. Miri runs the array.
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub type F32x4 = super::sse2::Sse2;
/// A vector of four `f32`: SIMD128 or SSE2 where the target has it, otherwise an array. Miri runs the array.
#[cfg(not(any(
    all(target_arch = "wasm32", target_feature = "simd128"),
    all(target_arch = "x86_64", not(miri))
)))]
pub type F32x4 = super::scalar::ScalarLanes;

/// Whether this is the scalar module, the baseline of comparisons: SIMD-only fast paths are compiled out of it. Native
/// builds keep them, so that tests run them.
pub const IS_SCALAR_BUILD: bool =
    cfg!(kernel_module) && !cfg!(all(target_arch = "wasm32", target_feature = "simd128"));
