//! The typed request/reply channel that all workers use.
//!
//! A worker is started by the name of a [`Service`]. Its first message is the handshake ([`hello`]), which detects a
//! worker of another release. Every later message is an array: a [`frame::Frame`] as text, then the transferred
//! buffers. Progress and reply carry the id of their request; a frame of another [`frame::PROTOCOL`] is rejected.
//!
//! - `connection`: starts a worker and performs the handshake.
//! - `client`: the page's side. One request at a time, with a timeout for starting the worker and one for a worker
//!   that gets stuck while it starts others. Cancelling terminates the worker.
//! - `peer`: the client within a worker, for the workers that it started: each request has a timeout.
//! - `server`: the side that handles requests.

pub mod frame;
pub mod hello;

#[cfg(target_os = "unknown")]
mod buffers;
#[cfg(target_os = "unknown")]
pub mod client;
#[cfg(target_os = "unknown")]
mod connection;
#[cfg(target_os = "unknown")]
pub mod peer;
#[cfg(target_os = "unknown")]
pub mod server;

#[cfg(target_os = "unknown")]
pub use buffers::Buffers;

use frame::Body;

/// The wire types of a kind of worker.
pub trait Service: 'static {
    /// The name of its workers.
    const NAME: &'static str;
    /// The body of a request.
    type Request: Body;
    /// A report before the reply.
    type Progress: Body;
    /// The body of a reply.
    type Reply: Body;
}
