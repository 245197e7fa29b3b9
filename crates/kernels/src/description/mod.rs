//! Tasks: the parts of their descriptions, serialization, validation, and the type of kernels.

pub mod check;
pub mod describe;
pub mod kernel;
pub mod parts;
pub mod words;
