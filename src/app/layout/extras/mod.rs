//! What the Layout screen needs only when it is asked for: dialogs, the comparison, the compression of long links, the
//! reader of typed values. It is a file of its own, loaded when first needed, so that the landing page does not wait for it.
//!
//! The program is compiled as one and then divided (`xtask/src/code_splitting.rs`): what only [`PARTS`] reaches is in that file. So the
//! screen itself names none of these functions, but takes them from [`use_extras`].

mod interface;
mod loading;
mod parts;

pub use interface::{Extras, OpenDialog};
pub use loading::{Boundary, UsedExtras, compression, load, read_typed, use_extras};
pub use parts::PARTS;
