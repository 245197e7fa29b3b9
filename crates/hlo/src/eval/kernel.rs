//! The interface to kernels: linked into this program, or in a WebAssembly module.

use std::cell::RefCell;
use std::pin::Pin;

use xla_array::literal::Buffer;
use xla_kernels::scratch::Scratch;
use xla_kernels::{Context, KernelError, Slice, SliceMut, Task, choose};
use xla_messages::cause::Cause;
use xla_ops::{ComputationId, Fallback};

use crate::module::{Computation, Module};

/// Minimum work of a task for a kernel, in steps of the evaluator; the default of [`super::evaluator::Evaluator::kernels`]. For
/// smaller tasks the op's semantics are fast enough, and round only once.
pub const MIN_KERNEL_WORK: u64 = 4096;

/// The trip count that is assumed of a loop when the work of an instruction in its body is compared with the minimum.
const ASSUMED_TRIP_COUNT: u64 = 64;

/// The minimum work of a task for a kernel in each computation. It is lower in computations that loops execute: a small task
/// that is run a thousand times is worth a kernel, too.
#[derive(Clone, Debug)]
pub struct MinKernelWork {
    outside_loops: u64,
    /// Per computation, whether it is the condition or the body of a loop, or called from one.
    is_in_loop: Vec<bool>,
}

impl MinKernelWork {
    /// The minimum work in the computations of a module; `outside_loops` is the minimum in those that no loop executes.
    pub fn for_module(module: &Module, outside_loops: u64) -> Self {
        let loops = module.computations.iter().flat_map(Computation::iter);
        let loops = loops.filter(|(_, instruction)| instruction.opcode == "while");
        let mut worklist: Vec<ComputationId> =
            loops.flat_map(|(_, instruction)| instruction.attrs.computations()).collect();
        let mut is_in_loop = vec![false; module.computations.len()];
        while let Some(id) = worklist.pop() {
            let (Some(is_in_loop), Some(computation)) = (is_in_loop.get_mut(id.0 as usize), module.get(id))
            else {
                continue;
            };
            if !std::mem::replace(is_in_loop, true) {
                worklist.extend(computation.iter().flat_map(|(_, called)| called.attrs.computations()));
            }
        }
        Self { outside_loops, is_in_loop }
    }

    /// The lowest minimum work of any computation.
    pub fn lowest(&self) -> u64 {
        if self.is_in_loop.contains(&true) {
            self.outside_loops / ASSUMED_TRIP_COUNT
        } else {
            self.outside_loops
        }
    }

    /// The minimum work in a computation.
    pub fn in_computation(&self, computation: ComputationId) -> u64 {
        let is_in_loop = self.is_in_loop.get(computation.0 as usize).copied().unwrap_or(false);
        if is_in_loop { self.outside_loops / ASSUMED_TRIP_COUNT } else { self.outside_loops }
    }
}

/// The rounding guarantee of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Bit-identical on every machine.
    Strict,
    /// May fuse multiply and add, and may convolve by Winograd.
    Fast,
}

/// The instruction set that the kernels were compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Build {
    /// WebAssembly SIMD128 without relaxed SIMD.
    Simd,
    /// SIMD128 and relaxed SIMD; rounds like [`Mode::Fast`].
    RelaxedSimd,
    /// No SIMD; bit-identical to the SIMD128 build.
    Scalar,
}

impl Build {
    /// The rounding guarantee of its kernels.
    pub const fn mode(self) -> Mode {
        match self {
            Self::RelaxedSimd => Mode::Fast,
            Self::Simd | Self::Scalar => Mode::Strict,
        }
    }
}

/// Whether the reference semantics of the op or a kernel computed a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComputedBy {
    /// The reference semantics of the op, and why no kernel did.
    Reference(Fallback),
    /// A kernel: its name, and the number of workers.
    Kernel(String, Mode, u32),
    /// A kernel of another build than the requested one.
    Substitute {
        /// The kernel's name.
        kernel: String,
        /// The build that was used.
        build: Build,
        /// Why the requested build was not available.
        cause: Cause,
    },
}

/// Why [`Kernels`] did not execute a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelsError {
    /// The kernel does not support the task, or stopped.
    Stopped(KernelError),
    /// The kernels were not available.
    Unavailable(Cause),
}

impl From<KernelError> for KernelsError {
    fn from(error: KernelError) -> Self {
        Self::Stopped(error)
    }
}

impl KernelsError {
    /// The reason to report for the fallback to the op's semantics.
    pub fn fallback(self) -> Fallback {
        match self {
            // A task that fails its checks counts as unsupported; no value was read.
            Self::Stopped(
                KernelError::NoKernel
                | KernelError::RowTooLong
                | KernelError::InvalidTask
                | KernelError::WrongKernel,
            ) => Fallback::UnsupportedTask,
            Self::Stopped(KernelError::OutOfMemory) => Fallback::Unavailable(Cause::OutOfMemory(None)),
            // Unreachable: a cancelled run ends with the error of its meter.
            Self::Stopped(KernelError::Cancelled) => Fallback::UnsupportedValues,
            Self::Unavailable(cause) => Fallback::Unavailable(cause),
        }
    }
}

/// A task that runs on several workers; yields the kernel's name and the number of workers.
pub type ShardedRun<'a> = Pin<Box<dyn Future<Output = Result<(String, u32), KernelsError>> + 'a>>;

/// A provider of kernels.
pub trait Kernels {
    /// The rounding guarantee.
    fn mode(&self) -> Mode;

    /// Whether operands and results are copied, e.g. into the memory of a WebAssembly module.
    fn copies_buffers(&self) -> bool {
        true
    }

    /// If these kernels replace the requested build: their build, and why.
    fn substitute_build(&self) -> Option<(Build, Cause)> {
        None
    }

    /// Whether a task is large enough for [`Kernels::run_sharded`].
    fn is_sharded(&self, _: &Task) -> bool {
        false
    }

    /// Like [`Kernels::run`], split into shards for several workers; only called if [`Kernels::is_sharded`].
    fn run_sharded<'a>(
        &'a self,
        task: &'a Task,
        read: &'a [&'a Buffer],
        written: &'a mut [&'a mut Buffer],
    ) -> ShardedRun<'a> {
        let outcome = self.run(task, read, written, &mut |_| true).map(|name| (name, 1));
        Box::pin(std::future::ready(outcome))
    }

    /// Executes a task and returns the name of the kernel. The output buffers are zeroed before the call; kernels leave
    /// padding untouched. `tick` takes the number of steps since its last call and returns whether to continue.
    fn run(
        &self,
        task: &Task,
        read: &[&Buffer],
        written: &mut [&mut Buffer],
        tick: &mut dyn FnMut(u64) -> bool,
    ) -> Result<String, KernelsError>;
}

/// The kernels that are linked into this program.
#[derive(Debug, Default)]
pub struct InProcess {
    scratch: RefCell<Scratch>,
}

/// A provider whose kernels could not be loaded: rejects every supported task with this cause.
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
    ) -> Result<String, KernelsError> {
        // An unsupported task is reported as unsupported rather than with the cause.
        choose(task).ok_or(KernelError::NoKernel)?;
        Err(KernelsError::Unavailable(self.0.clone()))
    }
}

macro_rules! slices {
    ($($variant:ident $native:ty, $element:ident $doc:literal;)*) => {
        /// Converts a buffer to the typed slice that kernels read.
        pub fn slice(buffer: &Buffer) -> Slice<'_> {
            match buffer { $(Buffer::$variant(cells) => Slice::$variant(cells),)* }
        }

        /// Converts a buffer to the typed slice that kernels write.
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
    ) -> Result<String, KernelsError> {
        let read: Vec<Slice> = read.iter().map(|buffer| slice(buffer)).collect();
        let mut written: Vec<SliceMut> = written.iter_mut().map(|buffer| slice_mut(buffer)).collect();
        let mut scratch = self.scratch.borrow_mut();
        let kernel = choose(task).ok_or(KernelError::NoKernel)?;
        let mut context = Context { scratch: &mut scratch, tick, packed_operand: None };
        xla_kernels::run_with(kernel, task, &read, &mut written, &mut context)?;
        Ok(kernel.name.to_owned())
    }
}
