//! Counts the elements that a change of layout moves, in a worker because it visits each of them.

pub mod wire;

#[cfg(target_arch = "wasm32")]
pub mod client;
#[cfg(target_arch = "wasm32")]
pub(super) mod handler;
