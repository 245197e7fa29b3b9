//! SIMD kernels for large inputs: dots, convolutions, reductions, windows, element-wise ops, copies, sorts.
//!
//! A [`Task`] describes an operation on strided [`View`]s of memory. [`choose`] finds its [`Kernel`] in the table that tests
//! and the app read, too; [`run`] checks the task against its buffers and executes it. Algorithms are written once, over
//! [`simd::lanes::Lanes`]: compiled with `simd::simd128` they are SIMD128, with `simd::twin` the same operations in the same
//! order on arrays of four floats, so that native tests verify the SIMD modules bit for bit.
//!
//! Invariants: the crate has no dependency and names nothing outside of its folder, so that one call of the compiler
//! builds a WebAssembly module of it (`exports`). No kernel reads or writes outside of a task's buffers. Results do not
//! depend on the machine: operations are rounded one by one, in a documented order, and a computed NaN is the canonical
//! NaN. Only the module compiled with relaxed-simd (the fast mode) may round differently.
//!
//! Layers, each importing only what is above it, without cycles: `ground` (memory), `simd` (lanes), `task` (description,
//! validation, serialisation), then one folder for each family of kernels, of which `transfer`, `gemm` and `accumulate`
//! are used by others, then the `registry`, and `exports`, the WebAssembly interface.

#![allow(
    clippy::many_single_char_names,
    clippy::similar_names,
    reason = "the names of the formulas: m, n, k, operands a and b, an axis of axes"
)]
#![allow(clippy::float_cmp, reason = "a comparison is the operation, to the bit")]
#![allow(clippy::excessive_precision, reason = "the digits of a fit, which the compiler rounds")]
#![allow(clippy::new_without_default, reason = "numbers that a loop is made of have no default")]
#![allow(
    clippy::inline_always,
    reason = "what inner loops are made of has to be in them, or vectors go through memory"
)]

#[cfg(kernel_module)]
mod ceiling;
#[cfg(kernel_module)]
mod exports;

mod accumulate;
mod conv;
mod dot;
mod gather;
mod gemm;
pub mod ground;
mod map;
mod reduce;
mod select_and_scatter;
pub mod simd;
mod softmax;
mod sort;
pub mod task;
mod transfer;
mod window;

pub use ground::slice::{Slice, SliceMut};
pub use ground::view::View;
pub use ground::{scratch, view};
pub use map::half as half_rows;
pub use simd::best::Best;
pub use sort::merge;
pub use task::description::{Task, Type};
pub use task::kernel::{self, Context, Held, KERNELS, Kernel, Stop, choose, run};
