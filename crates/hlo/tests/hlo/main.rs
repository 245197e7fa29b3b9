//! HLO text, evaluation and provenance of every op: XLA's own cases, the examples of its documentation, and properties.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "tests may panic")]

mod broken_replicas;
mod budgets;
mod builder;
mod documents;
mod editions;
mod evaluate;
mod extreme_numbers;
mod hlo_text;
mod host;
mod index_properties;
mod lowering;
mod op_cases;
mod parse_limits;
mod provenance;
mod quoted_text;
mod random_numbers;
mod registry;
mod replicas;
mod vocabulary;
mod wild_text;
mod window_properties;
mod window_text;
