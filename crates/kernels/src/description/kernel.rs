//! The type of kernels.

use crate::description::check::CheckedTask;
use crate::support::context::Context;
use crate::support::error::KernelError;

/// The metadata of a kernel.
#[derive(Debug)]
pub struct Kernel {
    /// Its name, as the app shows it.
    pub name: &'static str,
    /// Whether its loops run on [`Lanes`], not on single elements.
    ///
    /// [`Lanes`]: crate::simd::lanes::Lanes
    pub is_vector: bool,
    /// The error bound of a result: 0 if it has the bits of the reference evaluator, else in ulp of the largest partial result,
    /// times the square root of the number of terms.
    pub error_bound_ulp: f64,
}

/// A kernel's code. The task is one that the kernel supports.
pub type Run<T> = fn(CheckedTask<T>, &mut Context) -> Result<(), KernelError>;

/// A kernel of tasks `T`, as a family lists it in its table.
pub struct KernelOf<T: 'static> {
    /// Its metadata.
    pub kernel: Kernel,
    /// Whether it supports a task.
    pub supports: fn(&T) -> bool,
    /// Its code, [`in_kernel_builds`] alone.
    pub(crate) run: Run<T>,
}

/// `run` in kernel builds: the kernel modules, native builds and those with the feature `kernel-build`. The app only reads the
/// tables, so its WebAssembly does not contain the code.
pub const fn in_kernel_builds<T>(run: Run<T>) -> Run<T> {
    let is_table_only = cfg!(all(target_arch = "wasm32", not(kernel_module), not(feature = "kernel-build")));
    if is_table_only { |_, _| Err(KernelError::NoKernel) } else { run }
}
