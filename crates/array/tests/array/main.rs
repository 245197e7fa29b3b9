//! Shapes, layouts, literals and their text: XLA's own cases, and properties.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "tests may panic")]

mod bitcast_properties;
mod decimal;
mod float_format;
mod index_properties;
mod layout_properties;
mod layout_text;
mod layouts;
mod literal_relayout;
mod literal_text;
mod text_properties;
