//! Whole programs as a WebAssembly module: parser, plans, arguments and kernels in one memory, so that no value is copied between
//! instructions. The Program screen's worker and the benchmark module load it; `exports` is its interface.

#[cfg(target_arch = "wasm32")]
pub mod exports;
