//! Measures kernels for the Speed screen.
//!
//! A worker prepares every row of a setup and samples the rows interleaved ([`timing`]); a dot is also measured in
//! several workers, each with a range of its rows (`row_pool`, `row_handler`).

pub mod timing;
pub mod wire;

#[cfg(target_arch = "wasm32")]
mod ceilings;
#[cfg(target_arch = "wasm32")]
pub mod client;
#[cfg(target_arch = "wasm32")]
mod clock;
#[cfg(target_arch = "wasm32")]
pub(super) mod handler;
#[cfg(target_arch = "wasm32")]
mod plan;
#[cfg(target_arch = "wasm32")]
pub(super) mod row_handler;
#[cfg(target_arch = "wasm32")]
mod row_pool;
#[cfg(target_arch = "wasm32")]
mod runner;
