//! Pictures as files: SVG, GIF, and the palette of the stylesheet.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "tests may panic")]

mod gif;
mod module_graph;
mod palette;
mod svg;
