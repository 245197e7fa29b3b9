//! Tasks: what their descriptions are made of, serialisation, validation, and the type of kernels.

pub mod check;
pub mod describe;
pub mod kernel;
pub mod parts;
pub mod words;
