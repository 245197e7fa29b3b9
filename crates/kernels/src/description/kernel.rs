//! The type of kernels.

use crate::description::check::CheckedTask;
use crate::support::context::Context;
use crate::support::error::KernelError;

/// The metadata of a kernel.
#[derive(Debug)]
pub struct Kernel {
    /// Its name, as the app shows it.
    pub name: &'static str,
    /// Whether its loops use [`Lanes`] instead of single elements.
    ///
    /// [`Lanes`]: crate::simd::lanes::Lanes
    pub is_vector: bool,
    /// The error bound of a result: 0 if it is bitwise equal to that of the reference evaluator, else in ulp of the largest
    /// partial result, times the square root of the number of terms.
    pub error_bound_ulp: f64,
}

/// The function of a kernel, which is called with tasks that the kernel supports.
pub type Run<T> = fn(CheckedTask<T>, &mut Context) -> Result<(), KernelError>;

/// A kernel of tasks `T`: an entry in the table of a family.
pub struct KernelEntry<T: 'static> {
    /// The name and the metadata of the kernel.
    pub kernel: Kernel,
    /// Whether it supports a task.
    pub supports: fn(&T) -> bool,
    /// Its function, wrapped by [`only_in_kernel_builds`].
    pub(crate) run: Run<T>,
}

/// Keeps the code of a kernel out of the app: returns `run` in kernel builds, which are the kernel modules, native builds and
/// those with the feature `kernel-build`. The app only reads the tables of kernels.
pub const fn only_in_kernel_builds<T>(run: Run<T>) -> Run<T> {
    let omits_code = cfg!(all(target_os = "unknown", not(kernel_module), not(feature = "kernel-build")));
    if omits_code { |_, _| Err(KernelError::NoKernel) } else { run }
}
