//! The Speed screen: an op and its sizes, timed on this machine in several ways.
//!
//! Nothing here measures: a worker does ([`crate::worker::speed`]), and only when the visitor says so. What can be
//! measured is a table ([`crate::state::speed::ops`]); charts come from [`crate::view::chart`]. Read [`page`] first.

mod charts;
mod form;
mod measuring;
pub mod page;
mod results;
