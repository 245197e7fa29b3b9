//! The state of the Program screen: the program, the selection, and the arguments of its parameters.

pub mod handoff;
pub mod link;
mod packing;
pub mod parts;
pub mod samples;
pub mod session;
pub mod source_text;
pub mod stepping;
pub mod view;

/// Maximum bytes of a file that is opened; the parser has its own limit, with a diagnostic.
pub const MAX_FILE_BYTES: u32 = 64 << 20;
