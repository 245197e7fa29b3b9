//! Call graph, outline, flow, graph and search of generated modules, compared with brute force.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test that cannot go on fails")]

mod calls;
mod flow;
mod modules;
mod outline;
