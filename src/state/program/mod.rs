//! The state of the Program screen: the program, the selection, and the arguments of its parameters.

pub mod link;
pub mod parts;
pub mod samples;
pub mod session;
pub mod source_text;
