//! Evaluates experiments that are too heavy for the page.
//!
//! [`job`] makes an experiment a request; [`run`] runs it and [`handover`] carries its values across, both natively testable.
//! [`shares`] divides a large dot or convolution among several workers; [`warm_up`] is what kernels run before the first job.

pub mod handover;
pub mod job;
pub mod news;
pub mod run;
pub mod shares;
pub mod warm_up;
pub mod wire;

#[cfg(target_arch = "wasm32")]
pub mod client;
#[cfg(target_arch = "wasm32")]
pub(super) mod handler;
#[cfg(target_arch = "wasm32")]
pub(super) mod share_handler;
#[cfg(target_arch = "wasm32")]
mod sharing;
