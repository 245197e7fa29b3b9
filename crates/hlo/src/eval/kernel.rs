//! What runs kernels for the evaluator: this process, or a WebAssembly module.

use std::cell::RefCell;
use std::pin::Pin;

use xla_array::literal::Buffer;
use xla_kernels::scratch::Scratch;
use xla_kernels::{Context, Slice, SliceMut, Stop, Task, choose};
use xla_messages::cause::Cause;
use xla_ops::Fallback;

/// Tasks of fewer steps are left to the body of the op: it takes no noticeable time, and rounds once.
pub const MIN_KERNEL_STEPS: u64 = 4096;

/// How kernels round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The same bits on every machine.
    Strict,
    /// Products and sums may be rounded as one, and convolutions may be computed another way.
    Fast,
}

/// How the kernels were compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Build {
    /// With SIMD.
    Strict,
    /// With SIMD and relaxed SIMD; rounds as [`Mode::Fast`].
    Fast,
    /// Without SIMD, the same bits as the strict build.
    Scalar,
}

impl Build {
    /// How its kernels round.
    pub const fn mode(self) -> Mode {
        match self {
            Self::Fast => Mode::Fast,
            Self::Strict | Self::Scalar => Mode::Strict,
        }
    }
}

/// What computed a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComputedBy {
    /// The body of the op, for this reason.
    Body(Fallback),
    /// The kernel of this name, on this number of workers.
    Kernel(String, Mode, u32),
    /// The kernel of this name in another build than the requested one, and why that one was not available.
    Substitute(String, Build, Cause),
}

/// Why no kernel executed a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The kernels declined it.
    Stopped(Stop),
    /// The kernels were not available.
    Unavailable(Cause),
}

impl From<Stop> for Refusal {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

impl Refusal {
    /// Why the body runs instead.
    pub fn fallback(self) -> Fallback {
        match self {
            // A task that its checks refuse is one that no kernel supports; its values were never read.
            Self::Stopped(Stop::NoKernel | Stop::RowTooLong | Stop::InvalidTask | Stop::WrongKernel) => {
                Fallback::Unsupported
            }
            Self::Stopped(Stop::OutOfMemory) => Fallback::Unavailable(Cause::OutOfMemory(None)),
            // A cancelled run ends with the observer's own error, before anybody asks for this.
            Self::Stopped(Stop::Cancelled) => Fallback::Values,
            Self::Unavailable(cause) => Fallback::Unavailable(cause),
        }
    }
}

/// A task that several workers execute: the name of the kernel, and the number of workers.
pub type SharedRun<'a> = Pin<Box<dyn Future<Output = Result<(String, u32), Refusal>> + 'a>>;

/// Executes tasks by kernels.
pub trait Kernels {
    /// How they round.
    fn mode(&self) -> Mode;

    /// Whether operands and results are copied, as into the memory of a WebAssembly module.
    fn copies_buffers(&self) -> bool {
        true
    }

    /// The build of these kernels, and why it replaces the requested one, if it does.
    fn replaced_build(&self) -> Option<(Build, Cause)> {
        None
    }

    /// Whether a task is large enough to be split among workers by [`Kernels::run_shared`].
    fn is_shared(&self, _: &Task) -> bool {
        false
    }

    /// As [`Kernels::run`], on several workers; only called if [`Kernels::is_shared`].
    fn run_shared<'a>(
        &'a self,
        task: &'a Task,
        read: &'a [&'a Buffer],
        written: &'a mut [&'a mut Buffer],
    ) -> SharedRun<'a> {
        let ran = self.run(task, read, written, &mut |_| true).map(|name| (name, 1));
        Box::pin(std::future::ready(ran))
    }

    /// Executes a task and returns the name of the kernel. The buffers to write are zero at first, and padding stays as
    /// it is. `tick` takes the number of further steps and returns whether to continue.
    fn run(
        &self,
        task: &Task,
        read: &[&Buffer],
        written: &mut [&mut Buffer],
        tick: &mut dyn FnMut(u64) -> bool,
    ) -> Result<String, Refusal>;
}

/// The kernels that are linked into this program.
#[derive(Debug, Default)]
pub struct InProcess {
    scratch: RefCell<Scratch>,
}

/// No kernels: every supported task is refused with this cause.
#[derive(Clone, Debug)]
pub struct UnavailableKernels(pub Cause);

impl Kernels for UnavailableKernels {
    fn mode(&self) -> Mode {
        Mode::Strict
    }

    fn run(
        &self,
        task: &Task,
        _: &[&Buffer],
        _: &mut [&mut Buffer],
        _: &mut dyn FnMut(u64) -> bool,
    ) -> Result<String, Refusal> {
        // Unsupported tasks are refused as such.
        choose(task).ok_or(Stop::NoKernel)?;
        Err(Refusal::Unavailable(self.0.clone()))
    }
}

macro_rules! slices {
    ($($variant:ident $native:ty, $element:ident $doc:literal;)*) => {
        /// The cells of a buffer as kernels read them.
        pub fn slice(buffer: &Buffer) -> Slice<'_> {
            match buffer { $(Buffer::$variant(cells) => Slice::$variant(cells),)* }
        }

        /// The cells of a buffer as kernels write them.
        pub fn slice_mut(buffer: &mut Buffer) -> SliceMut<'_> {
            match buffer { $(Buffer::$variant(cells) => SliceMut::$variant(cells),)* }
        }
    };
}

xla_array::native_types!(slices);

impl Kernels for InProcess {
    fn mode(&self) -> Mode {
        Mode::Strict
    }

    fn copies_buffers(&self) -> bool {
        false
    }

    fn run(
        &self,
        task: &Task,
        read: &[&Buffer],
        written: &mut [&mut Buffer],
        tick: &mut dyn FnMut(u64) -> bool,
    ) -> Result<String, Refusal> {
        let read: Vec<Slice> = read.iter().map(|buffer| slice(buffer)).collect();
        let mut written: Vec<SliceMut> = written.iter_mut().map(|buffer| slice_mut(buffer)).collect();
        let mut scratch = self.scratch.borrow_mut();
        let kernel = choose(task).ok_or(Stop::NoKernel)?;
        let mut context = Context { scratch: &mut scratch, tick, held: None };
        xla_kernels::run_with(kernel, task, &read, &mut written, &mut context)?;
        Ok(kernel.name.to_owned())
    }
}
