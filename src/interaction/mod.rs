//! Interaction as plain reducers: an event and the current state yield effects, which a component performs.
//!
//! - [`keys`]: keys that work anywhere on the page.
//! - [`grid`]: drag, pan, zoom and keys of a grid; [`strip`]: the same for the memory strip.
//! - [`graph`]: the same for the graph of a program.
//! - [`chips`]: reordering dimensions; [`player`]: stepping through cells.
//! - [`run_status`]: the displayed status of a run in the worker.
//!
//! Nothing here names a web type, so all of it is tested natively.

pub mod chips;
pub mod graph;
pub mod grid;
pub mod keys;
pub mod player;
pub mod run_status;
pub mod strip;
