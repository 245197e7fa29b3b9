//! Snapshots: an array, or a program with its values and the source cells of each cell, recorded for a page that has
//! neither parser nor evaluator.
//!
//! - [`data`]: the recorded data and its format.
//! - [`reads`]: the source cells of every cell of a value.
//! - [`record`]: records a shape or a finished run.
//! - [`selection`]: the selected cell, and requests of the embedding page.
//! - [`page`]: the page that shows a snapshot, as one self-contained file.
//!
//! Snapshots are untrusted: a page may have been edited. Reading one never panics; malformed data is an error.

pub mod data;
pub mod page;
pub mod reads;
pub mod record;
pub mod selection;

pub use data::Snapshot;

#[cfg(test)]
mod tests;
