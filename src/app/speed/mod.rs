//! The Speed screen: measures an op with chosen sizes on this machine with several implementations.
//!
//! The measuring itself is done by a worker ([`crate::worker::speed`]), and only when the user starts it. The
//! benchmark ops are a table ([`crate::state::speed::ops`]); charts come from [`crate::view::chart`]. Read [`page`]
//! first.

mod charts;
mod form;
mod measuring;
pub mod page;
mod results;
