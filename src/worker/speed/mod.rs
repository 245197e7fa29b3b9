//! Measures kernels for the Speed screen.
//!
//! A worker prepares every case of a setup and samples the cases interleaved ([`timing`]); a dot is also measured in
//! several workers, each with a range of its rows (`row_pool`, `row_handler`).

pub mod timing;
pub mod wire;

#[cfg(target_os = "unknown")]
mod ceilings;
#[cfg(target_os = "unknown")]
pub mod client;
#[cfg(target_os = "unknown")]
mod clock;
#[cfg(target_os = "unknown")]
pub(super) mod handler;
#[cfg(target_os = "unknown")]
mod plan;
#[cfg(target_os = "unknown")]
pub(super) mod row_handler;
#[cfg(target_os = "unknown")]
mod row_pool;
#[cfg(target_os = "unknown")]
mod runner;
