//! The lanes that kernels are compiled for.

/// The lanes that kernels run on: SIMD128 or SSE2 where the target has it, else the scalar twin. Miri runs the twin.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub type Best = super::simd128::Simd;
/// The lanes that kernels run on: SIMD128 or SSE2 where the target has it, else the scalar twin. Miri runs the twin.
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub type Best = super::sse::Sse;
/// The lanes that kernels run on: SIMD128 or SSE2 where the target has it, else the scalar twin. Miri runs the twin.
#[cfg(not(any(
    all(target_arch = "wasm32", target_feature = "simd128"),
    all(target_arch = "x86_64", not(miri))
)))]
pub type Best = super::twin::Twin;

/// Whether this is the scalar module, the baseline of comparisons: SIMD-only fast paths are compiled out of it. Native
/// builds keep them, so that tests run them.
pub const IS_SCALAR_BUILD: bool =
    cfg!(kernel_module) && !cfg!(all(target_arch = "wasm32", target_feature = "simd128"));
