//! What the Program screen shows of a module, as plain data: nothing here knows a web type or runs a program.
//!
//! - [`lens`]: costs in operations and bytes, data movement and what forces it, padding, and memory over time.
//! - [`report`]: pasted reports of memory, and layouts that waste less.
//! - [`source`]: source locations of instructions, and groups by them.

pub mod lens;
pub mod report;
pub mod source;
