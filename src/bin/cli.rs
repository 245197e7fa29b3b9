//! The terminal's entry point.

fn main() {}
