//! The type of kernels.

use crate::description::check::CheckedTask;
use crate::ground::context::Context;
use crate::ground::stop::Stop;

/// What is known of a kernel without running it.
#[derive(Debug)]
pub struct Kernel {
    /// Its name, as the app shows it.
    pub name: &'static str,
    /// Whether its loops run on [`Lanes`], not on one element after the other.
    ///
    /// [`Lanes`]: crate::simd::lanes::Lanes
    pub is_vector: bool,
    /// The error bound of a result: 0 where the bits are the reference's, else in units of the last place of the largest
    /// partial result, times the root of the number of terms.
    pub bound: f64,
}

/// A kernel's code. The task is one that the kernel supports.
pub type Run<T> = fn(CheckedTask<T>, &mut Context) -> Result<(), Stop>;

/// A kernel of tasks `T`, as a family lists it in its table.
pub struct KernelOf<T: 'static> {
    /// What is known of it.
    pub kernel: Kernel,
    /// Whether it supports a task.
    pub supports: fn(&T) -> bool,
    /// Its code, where that is [`linked`].
    pub(crate) run: Run<T>,
}

/// `run` in the kernels' own module and natively. The app reads the tables and runs nothing of them, so that its WebAssembly does
/// not contain the code.
pub const fn linked<T>(run: Run<T>) -> Run<T> {
    if cfg!(all(target_arch = "wasm32", not(kernel_module))) { |_, _| Err(Stop::NoKernel) } else { run }
}
