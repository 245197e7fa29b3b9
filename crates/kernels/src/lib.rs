//! SIMD kernels for large inputs: dots, convolutions, reductions, windows, element-wise ops, copies, sorts.
//!
//! A [`Task`] describes an operation on strided [`View`]s of memory. [`choose`] finds its [`Kernel`] in a table that tests and the
//! app read, too; [`run`] checks the task against its buffers and executes it. Algorithms are written once, over
//! [`simd::lanes::Lanes`]: `simd::simd128` implements them with SIMD128, `simd::scalar` with the same operations in the same order
//! on arrays of four floats, which lets native tests verify the SIMD modules bit for bit.
//!
//! Invariants: the crate depends on nothing outside of its folder: one call of the compiler builds a WebAssembly module of it
//! (`exports`). No kernel reads or writes outside of a task's buffers. Results do not
//! depend on the machine: operations are rounded one by one, in a documented order, and a computed NaN is the canonical
//! NaN. Only the module compiled with relaxed-simd (the fast mode) may round differently.
//!
//! Layers, each importing only those before it: `support` (element types, slices, views, errors), `simd` (lanes), `description`
//! (tasks, validation, serialization), one folder for each family of kernels, of which `transfer`, `gemm` and `accumulate` are
//! shared by others, the `registry`, `prepared` (tasks that are run many times), `sharding` (tasks divided among workers), and
//! `exports`, the WebAssembly interface.

#![allow(
    clippy::many_single_char_names,
    clippy::similar_names,
    reason = "names from formulas: m, n, k, operands a and b; an axis of axes"
)]
#![allow(clippy::float_cmp, reason = "exact comparison is the operation")]
#![allow(clippy::excessive_precision, reason = "coefficients of a fit, which the compiler rounds")]
#![allow(clippy::new_without_default, reason = "the prepared constants of a loop have no default")]
#![allow(clippy::inline_always, reason = "calls in inner loops would pass vectors through memory")]
#![cfg_attr(
    test,
    allow(
        clippy::needless_range_loop,
        clippy::cast_possible_wrap,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        clippy::too_many_lines,
        clippy::inconsistent_digit_grouping,
        clippy::items_after_statements,
        clippy::cast_lossless,
        clippy::type_complexity,
        clippy::match_same_arms,
        clippy::needless_pass_by_value,
        reason = "reference implementations are written as plainly as possible, with names from formulas"
    )
)]

#[cfg(kernel_module)]
mod ceiling;
#[cfg(kernel_module)]
mod exports;

mod accumulate;
mod conv;
mod description;
mod dot;
mod gather;
mod gemm;
mod map;
mod prepared;
mod reduce;
mod registry;
mod select_and_scatter;
pub mod sharding;
pub mod simd;
mod softmax;
mod sort;
pub mod support;
#[cfg(test)]
mod testing;
mod transfer;
mod window;

/// The descriptions of tasks.
pub mod task {
    pub use crate::conv::task::Convolution;
    pub use crate::description::describe::{Describe, Unit};
    pub use crate::description::parts::{Array, Direction, Reducer, Window};
    pub use crate::dot::task::Dot;
    pub use crate::gather::task::Gather;
    pub use crate::map::task::{Binary, Clamp, Convert, Map, Select, Unary};
    pub use crate::reduce::task::Reduce;
    pub use crate::registry::Task;
    pub use crate::select_and_scatter::task::SelectAndScatter;
    pub use crate::softmax::task::Softmax;
    pub use crate::sort::task::Sort;
    pub use crate::support::element::Type;
    pub use crate::transfer::task::Move;
    pub use crate::window::task::ReduceWindow;
}

pub use description::kernel::Kernel;
pub use prepared::PreparedTask;
pub use registry::{Task, choose, kernels, run, run_with};
pub use simd::half_rows;
pub use sort::comparison;
pub use support::context::{Context, PackedOperand};
pub use support::element::Type;
pub use support::error::KernelError;
pub use support::slice::{Slice, SliceMut};
pub use support::view::View;
pub use support::{scratch, view};
