//! XLA shapes, layouts and operations: the core of XLA Playground.
#[cfg(target_arch = "wasm32")]
pub mod app;
