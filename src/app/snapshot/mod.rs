//! The page of a snapshot ([`crate::snapshot`]): a file of its own, with everything it needs.
//!
//! - [`page`]: the page.
//! - `array_alone`: an array without a program, in its layout.
//! - `embedding_page`: the selection for the page that embeds a snapshot.
//! - `program`: the instructions of a program, and the selected one with its operands and its result.
//! - `shared`: the snapshot as a property.
//! - `shown`: the arrays of the selected instruction, and their highlights.

mod array_alone;
mod embedding_page;
pub mod page;
mod program;
mod shared;
mod shown;
