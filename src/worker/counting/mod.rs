//! Counts what a change of layout moves: many elements, so in a worker.

pub mod wire;

#[cfg(target_arch = "wasm32")]
pub mod client;
#[cfg(target_arch = "wasm32")]
pub(super) mod handler;
