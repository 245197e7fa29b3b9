//! The worker's entry point: runs what would hold up the page, off the main thread.

fn main() {}
