//! Kernels: the heavy ops on whole arrays, fast.
//!
//! A [`Task`] says what is to be done with which [`View`]s of memory; [`choose`] finds the [`Kernel`] that does it, in
//! a table that tests and the app read; [`run`] does it. The algorithms are written once, over [`lanes::Lanes`]: with
//! `lanes_simd` they are SIMD128, with `lanes_twin` the same operations in the same order on four floats in a
//! row, so that the one vouches for the other bit for bit.
//!
//! Invariants: this folder names nothing outside of itself and no dependency, so that the compiler makes a WebAssembly
//! module of it alone (`exports`). A task is checked against its buffers ([`Task::check`]) before anything
//! runs; after that no kernel can reach outside of a buffer. No result depends on the machine: operations are rounded
//! one by one, in a stated order, and a NaN that is computed is the canonical one. The module compiled with
//! relaxed-simd (the fast mode) alone may round otherwise.
//!
//! Read [`task`] next, then [`lanes`], then one kernel.

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
mod cells;
mod check;
mod convert;
mod convolution;
mod convolution_across;
mod convolution_direct;
mod convolution_few;
mod convolution_stage;
mod convolution_winograd;
mod dot;
mod dot_few;
#[cfg(kernel_module)]
mod exports;
mod gather;
mod gemm;
mod gemm_float;
mod gemm_panels;
mod gemm_typed;
mod group;
mod half;
pub mod kernel;
pub mod lanes;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub mod lanes_simd;
pub mod lanes_twin;
mod map;
mod map_blocks;
mod map_float;
pub mod map_half;
mod map_integers;
mod map_loops;
mod map_scalar;
pub mod map_wide;
pub mod math;
pub mod merge;
mod radix;
mod reduce;
mod reduce_float;
mod reduce_half;
mod reduce_loops;
mod reduce_streams;
pub mod scratch;
mod select_and_scatter;
pub mod slice;
mod softmax;
mod sort;
mod sort_four;
mod sort_keys;
mod sort_network;
mod sort_rows;
pub mod task;
mod transfer;
mod transfer_border;
mod transfer_loops;
mod transfer_plan;
pub mod view;
mod window;
mod window_channels;
mod window_float;
mod window_fold;
mod window_pool;
mod window_row;
pub mod words;
mod work;

pub use kernel::{Context, Held, KERNELS, Kernel, Stop, choose, run};
pub use slice::{Slice, SliceMut};
pub use task::{Task, Type};
pub use view::View;

/// The lanes that kernels run on: SIMD128 where the compiler may use it, else the twin.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub type Best = lanes_simd::Simd;
/// The lanes that kernels run on: SIMD128 where the compiler may use it, else the twin.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
pub type Best = lanes_twin::Twin;

/// Whether this is the module in which four lanes are no vector. It is there to be compared with, and is spared what makes vectors
/// quicker at the cost of code; native tests run that too.
const IS_SPARED: bool = cfg!(kernel_module) && !<Best as lanes::Lanes>::IS_ONE;
