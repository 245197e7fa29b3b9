//! The kernels, natively: each against a plain reading of the definition, over all layouts, lengths and odd numbers.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

mod convolution;
mod dot;
mod gather;
mod map;
mod math;
mod reduce;
mod select_and_scatter;
mod softmax;
mod sort;
mod support;
mod transfer;
mod window;
