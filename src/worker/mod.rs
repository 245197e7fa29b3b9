//! Work that would hold up the page, done in a worker: a second instance of this library on its own thread.
//!
//! What crosses is [`messages`], plain data of its own; a job that is dropped ends. Read [`client`] for the page's
//! side and [`service`] for the worker's.

pub mod client;
pub mod messages;
pub mod service;
