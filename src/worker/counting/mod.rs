//! Counts the elements that a change of layout moves, in a worker because it visits each of them.

pub mod wire;

#[cfg(target_os = "unknown")]
pub mod client;
#[cfg(target_os = "unknown")]
pub(super) mod handler;
