//! Code splitting of the Layout screen: dialogs, the comparison, the compression of long links and the reader of typed values
//! are in a separate WebAssembly module, which is loaded on first use, so that the landing page does not wait for it.
//!
//! The program is compiled as one module and then split (`xtask/src/code_splitting.rs`): code that is reachable only from [`EXTRAS`]
//! moves to the split module. Therefore the screen never names these functions, but obtains them from [`use_extras`].

mod interface;
mod loading;
mod parts;

pub use interface::{Extras, OpenDialog};
pub use loading::{ExtrasHandle, SplitPoint, compression, load, read_user_text, use_extras};
pub use parts::EXTRAS;
