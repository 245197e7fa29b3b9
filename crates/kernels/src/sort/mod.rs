//! Sorts along a dimension.

pub mod by_radix;
pub mod comparison;
pub mod four_rows;
pub mod keys;

pub mod network;
pub mod radix;
#[cfg(test)]
pub mod reference_tests;
pub mod rows;
pub mod task;

use crate::description::kernel::KernelEntry;
use crate::simd::native::IS_SCALAR_BUILD;
use crate::sort::task::Sort;

/// The kernels of [`Sort`].
pub static KERNELS: &[KernelEntry<Sort>] =
    if IS_SCALAR_BUILD { &[by_radix::KERNEL] } else { &[four_rows::KERNEL, by_radix::KERNEL] };
