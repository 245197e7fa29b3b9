//! What the Program screen shows of a module, as plain data: nothing here knows a web type or runs a program.

pub mod text;
