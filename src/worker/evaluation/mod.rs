//! Evaluates experiments that are too large for the page.
//!
//! [`job`] converts an experiment to a request, [`run`] runs it and [`transfer`] transfers its values, all natively
//! testable; [`warm_up`] has the tasks that kernels run before the first job. `sharding` divides a large dot or convolution
//! among several workers.

pub mod event;
pub mod job;
pub mod run;
pub mod transfer;
pub mod warm_up;
pub mod wire;

#[cfg(target_os = "unknown")]
pub mod client;
#[cfg(target_os = "unknown")]
pub(super) mod handler;
#[cfg(target_os = "unknown")]
pub(super) mod shard_handler;
#[cfg(target_os = "unknown")]
mod sharding;
