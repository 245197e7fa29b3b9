//! The view that compares two programs. Read [`view`] first.
//!
//! The query worker matches the texts ([`compared`] has its answers), a task compares their values. `chooser` chooses the second
//! program, `list` shows both programs aligned, `pair` one row of it, `values` where values differ; `series` are the dumps of a
//! compiler's passes.

mod chooser;
pub mod compared;
mod list;
mod pair;
pub mod second;
mod series;
mod values;
pub mod view;
