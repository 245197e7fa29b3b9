//! Tasks: their description, validation, serialisation and cost, and the kernel type.

pub mod check;
pub mod description;
pub mod kernel;
pub mod words;
pub mod work;

pub use description::*;
