//! XLA shapes, layouts and operations: the library behind XLA Playground.
//!
//! The crates below this one, and `state`, name no web type and build natively.
//!
//! - [`i18n`]: all messages, in every language.
//! - [`escape`]: escaping of untrusted text for each output format.
//! - [`cause`]: why a worker or a kernel module failed.
//! - [`compact`]: search and sort in little code.
//! - [`diagnostic`]: errors in the text, with their position and fixes.
//! - [`mod@array`]: element types, shapes, layouts, and the memory slot of each element.
//! - [`ops`]: the operations, one file each: shapes, values and provenance.
//! - [`hlo`]: parses, prints and evaluates HLO modules.
//! - [`inspect`]: what the Program screen shows of a module.
//! - [`plan`]: compiles modules to plans and runs them without keeping intermediate values.
//! - [`stablehlo`]: reads `StableHLO` text as an HLO module.
//! - [`documents`]: the catalogue of XLA's document *Operation Semantics* of 2017: its entries and their examples.
//! - [`view`]: pictures of arrays as plain data.
//! - [`state`]: the state of the app: documents, actions, links.
//! - [`interaction`]: pointer and keyboard events as reducers.
//! - [`snapshot`]: arrays and programs with their values, recorded for self-contained pages.
//! - [`jax_export`]: programs with their values and a script that runs them with JAX.
//! - [`files`]: arrays in files: `NumPy`'s, JSON and raw elements.
//! - [`wire`]: JSON of the terminal and of JavaScript.
//! - [`worker`]: work that would block the page, in web workers.

pub mod files;
pub mod interaction;
pub mod jax_export;
pub mod snapshot;
pub mod state;
pub mod worker;

#[cfg(not(target_os = "unknown"))]
pub mod cli;

#[cfg(target_os = "unknown")]
pub mod app;

#[doc(inline)]
pub use xla_messages::{bug, cause, compact, diagnostic, escape, i18n};
#[doc(inline)]
pub use {
    xla_array as array, xla_documents as documents, xla_experiment as experiment, xla_hlo as hlo,
    xla_inspect as inspect, xla_kernels as kernels, xla_ops as ops, xla_plan as plan,
    xla_stablehlo as stablehlo, xla_view as view, xla_wire as wire,
};
