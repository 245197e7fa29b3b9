//! Call graph, outline, flow, graph and search of generated modules, compared with brute force.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "tests may panic")]

mod calls;
mod flow;
mod graph;
mod modules;
mod outline;
mod search;
