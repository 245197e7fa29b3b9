//! The WebAssembly module of the JavaScript package: one memory for texts, values and kernels.
//!
//! `package/` has the public interface: JavaScript that checks its arguments, loads this module and starts workers. This crate
//! is its private half: it takes and returns plain records (`xla_wire`) and typed arrays, and throws
//! `xla_wire::diagnostic_record::DiagnosticRecord`. Every typed array is copied once, into this memory or out of it.
//!
//! Modules, bottom up: `record` (serialization), `values` (typed arrays ↔ literals), `shapes` (shapes, layouts, pictures),
//! `literals` (their texts), `program` (a parsed module), `host` (custom calls and queues), `observer` (progress, pauses,
//! cancellation), `evaluate` (a run), `prepared` (repeated runs), `trace` (source cells), `catalogue` (ops), `explain`.

#[cfg(target_arch = "wasm32")]
mod catalogue;
#[cfg(target_arch = "wasm32")]
mod evaluate;
#[cfg(target_arch = "wasm32")]
mod explain;
#[cfg(target_arch = "wasm32")]
mod host;
#[cfg(target_arch = "wasm32")]
mod literals;
#[cfg(target_arch = "wasm32")]
mod module;
#[cfg(target_arch = "wasm32")]
mod prepared;
#[cfg(target_arch = "wasm32")]
mod record;
#[cfg(target_arch = "wasm32")]
mod run_observer;
#[cfg(target_arch = "wasm32")]
mod shapes;
#[cfg(target_arch = "wasm32")]
mod trace;
#[cfg(target_arch = "wasm32")]
mod values;
