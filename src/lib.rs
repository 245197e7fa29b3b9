//! XLA shapes, layouts and operations: the core of XLA Playground.
//!
//! Dependencies point inward; `array`, `view` and `state` name no web type and build natively.
//!
//! - [`i18n`]: every sentence a person reads, in every language.
//! - [`escape`]: foreign text in every language that is written.
//! - [`cause`]: why a worker or a kernel module did not do its work.
//! - [`diagnostic`]: what is wrong with a text, where, and what to write instead.
//! - [`mod@array`]: element types, shapes, layouts, and where each element lies in memory.
//! - [`ops`]: the operations, each in one file: shapes, values and provenance.
//! - [`hlo`]: HLO text in and out, and the evaluation of modules.
//! - [`view`]: pictures of arrays as plain data.
//! - [`state`]: what the visitor has set.
//! - [`interaction`]: what pointer and keys mean.
//! - [`wire`]: what leaves the program as data.
//! - [`worker`]: what would hold up the page, done off its thread.

pub mod interaction;
pub mod state;
pub mod wire;
pub mod worker;

#[cfg(not(target_arch = "wasm32"))]
pub mod cli;

#[cfg(target_arch = "wasm32")]
pub mod app;
#[cfg(target_arch = "wasm32")]
pub mod js;

#[doc(inline)]
pub use xla_messages::{bug, cause, diagnostic, escape, i18n};
#[doc(inline)]
pub use {
    xla_array as array, xla_experiment as experiment, xla_hlo as hlo, xla_kernels as kernels, xla_ops as ops,
    xla_view as view,
};
