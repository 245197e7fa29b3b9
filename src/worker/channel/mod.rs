//! The one typed request/reply channel of all workers.
//!
//! A worker is started by the name of a [`Service`]. Its first message is the handshake ([`hello`]), by which two releases
//! recognize that they do not belong together. After it every message is an array: a [`frame::Frame`] as text, and the
//! memory beside it. A request has a number, which every progress report and the reply carry; a frame of another
//! [`frame::PROTOCOL`] is refused.
//!
//! - `connection`: starts a worker and performs the handshake.
//! - `client`: the page's side. At most one request at a time; one watchdog for a worker that does not start, and one
//!   for a worker that gets stuck while it starts others. Cancelling terminates the worker.
//! - `peer`: the side of a worker that asks another worker: each request awaits its reply for a limited time.
//! - `server`: the side that answers.

pub mod frame;
pub mod hello;

#[cfg(target_arch = "wasm32")]
pub mod client;
#[cfg(target_arch = "wasm32")]
mod connection;
#[cfg(target_arch = "wasm32")]
mod parts;
#[cfg(target_arch = "wasm32")]
pub mod peer;
#[cfg(target_arch = "wasm32")]
pub mod server;

#[cfg(target_arch = "wasm32")]
pub use parts::Parts;

use frame::Body;

/// What a worker is asked, and what it answers.
pub trait Service: 'static {
    /// The name of workers of this kind.
    const NAME: &'static str;
    /// What is asked.
    type Request: Body;
    /// What is reported before the reply.
    type Progress: Body;
    /// What is answered.
    type Reply: Body;
}
