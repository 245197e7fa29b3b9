//! What pointer and keys mean, as plain reducers: an event and what is shown give the effects, which a component carries out.
//!
//! - [`keys`]: keys that work anywhere on the page.
//! - [`grid`]: drag, pan, zoom and keys of a grid; [`strip`]: those of memory and its overview.
//! - [`chips`]: reordering dimensions; [`player`]: stepping through cells.
//! - [`run_status`]: what is shown of a run in the worker.
//!
//! Nothing here names a web type, so that all of it is tested natively.

pub mod chips;
pub mod grid;
pub mod keys;
pub mod player;
pub mod run_status;
pub mod strip;
