//! The kernels, natively: each against a plain reading of the definition, over all layouts, lengths and odd numbers.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

mod gather;
mod sort;
mod support;
mod transfer;
