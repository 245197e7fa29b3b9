//! Kernels in a run: which instructions they take over, and what is kept of it.
//!
//! Invariant: the body of an op stays the definition. A kernel takes over where the op says its task, a kernel serves
//! it, it is large enough to matter, and nobody wants to see each step; whatever else happens the body is run.

use std::borrow::Cow;
use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;

use super::evaluate::{Evaluator, literal_error};
use super::values::{EvalError, Values};
use crate::module::{Instruction, Module};
use xla_array::literal::{Blank, Buffer};
use xla_array::{ArrayLiteral, ArrayShape, Literal, Shape, Value};
use xla_kernels::scratch::Scratch;
use xla_kernels::{Context, Slice, SliceMut, Stop, Task, choose};
use xla_messages::cause::Cause;
use xla_ops::read::Meter as _;
use xla_ops::{Data, Fallback, OpError, Planned, Run as _, Tasking};

/// Below so many steps the body is run: it is done before anyone could see it, and rounds once.
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

/// What made a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComputedBy {
    /// The body of the op, for this reason.
    Body(Fallback),
    /// The kernel of this name, in so many workers.
    Kernel(String, Mode, u32),
    /// The kernel of this name, of another build than the one that was asked for, and why not of that one.
    Substitute(String, Build, Cause),
}

/// Why a task was not done by a kernel.
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
            Self::Stopped(Stop::Unserved) => Fallback::Unsupported,
            Self::Stopped(Stop::Invalid | Stop::Cancelled) => Fallback::Values,
            Self::Unavailable(cause) => Fallback::Unavailable(cause),
        }
    }
}

/// A task that others do beside: the name of the kernel, and how many workers it was done by.
pub type SharedRun<'a> = Pin<Box<dyn Future<Output = Result<(String, u32), Refusal>> + 'a>>;

/// A value with what made it, or why no kernel did.
pub(super) type ByKernel = Result<(Data, ComputedBy), Result<Fallback, OpError>>;

/// Whatever runs kernels: this process, or a module of its own.
pub trait Kernels {
    /// How they round.
    fn mode(&self) -> Mode;

    /// Whether operands and results are copied for them, as into the memory of a module.
    fn copies_buffers(&self) -> bool {
        true
    }

    /// Why these kernels are used in place of the ones that were asked for, where they are.
    fn replaced_build(&self) -> Option<(Build, Cause)> {
        None
    }

    /// Whether a task is so large that others do a part of it, [`Kernels::run_shared`].
    fn is_shared(&self, _: &Task) -> bool {
        false
    }

    /// As [`Kernels::run`], waiting for others on the way; only asked where [`Kernels::is_shared`].
    fn run_shared<'a>(
        &'a self,
        task: &'a Task,
        read: &'a [&'a Buffer],
        written: &'a mut [&'a mut Buffer],
    ) -> SharedRun<'a> {
        let ran = self.run(task, read, written, &mut |_| true).map(|name| (name, 1));
        Box::pin(std::future::ready(ran))
    }

    /// Does a task; what is written is zero at first, and padding stays as it is. `tick` is told of steps and answers
    /// whether to go on. Answers the name of the kernel. Errors: those of the kernel, and where none does it.
    fn run(
        &self,
        task: &Task,
        read: &[&Buffer],
        written: &mut [&mut Buffer],
        tick: &mut dyn FnMut(u64) -> bool,
    ) -> Result<String, Refusal>;
}

/// The kernels that are linked here.
#[derive(Debug, Default)]
pub struct InProcess {
    scratch: RefCell<Scratch>,
}

/// No kernels: each task that they would do says why they are not available.
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
        // What none of them would do is not for want of them.
        choose(task).ok_or(Stop::Unserved)?;
        Err(Refusal::Unavailable(self.0.clone()))
    }
}

/// The cells of a buffer as kernels read them.
pub fn slice(buffer: &Buffer) -> Slice<'_> {
    match buffer {
        Buffer::U8(cells) => Slice::U8(cells),
        Buffer::I8(cells) => Slice::I8(cells),
        Buffer::U16(cells) => Slice::U16(cells),
        Buffer::I16(cells) => Slice::I16(cells),
        Buffer::U32(cells) => Slice::U32(cells),
        Buffer::I32(cells) => Slice::I32(cells),
        Buffer::U64(cells) => Slice::U64(cells),
        Buffer::I64(cells) => Slice::I64(cells),
        Buffer::F32(cells) => Slice::F32(cells),
        Buffer::F64(cells) => Slice::F64(cells),
        Buffer::C64(cells) => Slice::C64(cells),
        Buffer::C128(cells) => Slice::C128(cells),
    }
}

/// The cells of a buffer as kernels write them.
pub fn slice_mut(buffer: &mut Buffer) -> SliceMut<'_> {
    match buffer {
        Buffer::U8(cells) => SliceMut::U8(cells),
        Buffer::I8(cells) => SliceMut::I8(cells),
        Buffer::U16(cells) => SliceMut::U16(cells),
        Buffer::I16(cells) => SliceMut::I16(cells),
        Buffer::U32(cells) => SliceMut::U32(cells),
        Buffer::I32(cells) => SliceMut::I32(cells),
        Buffer::U64(cells) => SliceMut::U64(cells),
        Buffer::I64(cells) => SliceMut::I64(cells),
        Buffer::F32(cells) => SliceMut::F32(cells),
        Buffer::F64(cells) => SliceMut::F64(cells),
        Buffer::C64(cells) => SliceMut::C64(cells),
        Buffer::C128(cells) => SliceMut::C128(cells),
    }
}

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
        let kernel = choose(task).ok_or(Stop::Unserved)?;
        let mut context = Context { scratch: &mut scratch, tick, held: None };
        xla_kernels::kernel::run_with(kernel, task, &read, &mut written, &mut context)?;
        Ok(kernel.name.to_owned())
    }
}

impl<'m> Evaluator<'m> {
    /// With kernels for what takes `least` steps or more ([`MIN_KERNEL_STEPS`] is what pays); without, every op runs its body.
    #[must_use]
    pub fn kernels(mut self, kernels: Rc<dyn Kernels + 'm>, least: u64) -> Self {
        (self.kernels, self.least) = (Some(kernels), least);
        self
    }

    /// As [`Evaluator::run_all`], but what has to be waited for is waited for, kernels in other workers too.
    pub async fn run_all_async(&mut self, arguments: &[Literal]) -> Result<Values, EvalError> {
        self.run_waiting(Cow::Borrowed(arguments)).await
    }

    /// As [`Evaluator::run_all_async`], with arguments that it takes over: they are held once.
    pub async fn run_all_owned_async(&mut self, arguments: Vec<Literal>) -> Result<Values, EvalError> {
        self.run_waiting(Cow::Owned(arguments)).await
    }

    async fn run_waiting(&mut self, arguments: Cow<'_, [Literal]>) -> Result<Values, EvalError> {
        self.may_wait = true;
        let values = self.entry(arguments).await;
        self.may_wait = false;
        values
    }

    /// The value of an instruction by a kernel; `Err(Ok(why))` where it is left to the body. Errors: those of the budget.
    ///
    /// In memory of its own: what waits for it is as deep as calls are nested, and stays small.
    pub(super) fn by_kernel<'a>(
        &'a mut self,
        kernels: Rc<dyn Kernels + 'm>,
        instruction: &'a Instruction,
        shape: &'a Shape,
        operands: &'a [Data],
    ) -> Pin<Box<dyn Future<Output = ByKernel> + 'a>> {
        Box::pin(self.run_kernel(kernels, instruction, shape, operands))
    }

    async fn run_kernel(
        &mut self,
        kernels: Rc<dyn Kernels + 'm>,
        instruction: &Instruction,
        shape: &Shape,
        operands: &[Data],
    ) -> ByKernel {
        if self.meter.watches() {
            return Err(Ok(Fallback::Watched));
        }
        let results = Tasking::arrays_of(shape);
        let planned = self.planned(instruction, shape, operands, &results).map_err(Ok)?;
        let opcode = self.opcode();
        let refused = |error| Err(literal_error(opcode, error));
        let mut arrays = Vec::new();
        for shape in &results {
            let blank = Blank::new((*shape).clone()).map_err(refused)?;
            self.hold(blank.held_bytes()).map_err(Err)?;
            let zero = Value::from_bits(shape.element_type, 0);
            arrays.push(blank.filled(zero).map_err(refused)?);
        }
        let read: Vec<&Buffer> = planned
            .reads
            .iter()
            .filter_map(|i| operands.get(*i)?.as_array())
            .map(ArrayLiteral::buffer)
            .collect();
        if kernels.copies_buffers() {
            let bytes = |buffers: &mut dyn Iterator<Item = &Buffer>| buffers.map(Buffer::bytes).sum::<u64>();
            let copied =
                bytes(&mut read.iter().copied()) + bytes(&mut arrays.iter().map(ArrayLiteral::buffer));
            self.hold(copied).map_err(Err)?;
        }
        let mut written: Vec<&mut Buffer> = arrays.iter_mut().map(ArrayLiteral::buffer_mut).collect();
        let (total, cells) =
            (planned.task.steps().max(1), written.iter().map(|buffer| buffer.len()).sum::<usize>());
        // A kernel may be a module that no observer can be called out of: what it will take is taken before.
        self.meter.cells = Some((0, i64::try_from(cells).unwrap_or(0)));
        self.meter.allows(planned.task.steps()).map_err(Err)?;
        self.meter.tell().map_err(Err)?;
        let (mut done, mut stopped) = (0u64, None);
        let meter = &mut self.meter;
        let mut tick = |steps: u64| {
            done = done.saturating_add(steps);
            let reached = u128::from(done.min(total)) * cells as u128 / u128::from(total);
            meter.cells = Some((i64::try_from(reached).unwrap_or(0), i64::try_from(cells).unwrap_or(0)));
            match meter.spend(steps) {
                Ok(()) => true,
                Err(error) => {
                    stopped = Some(error);
                    false
                }
            }
        };
        let ran = if self.may_wait && kernels.is_shared(&planned.task) {
            kernels.run_shared(&planned.task, &read, &mut written).await
        } else {
            kernels.run(&planned.task, &read, &mut written, &mut tick).map(|name| (name, 1))
        };
        if let Some(error) = stopped {
            return Err(Err(error));
        }
        let (name, workers) = match ran {
            Ok(ran) => ran,
            Err(refusal) => return Err(Ok(refusal.fallback())),
        };
        // The budget holds for what was not told of on the way, too.
        self.meter.spend(total.saturating_sub(done)).map_err(Err)?;
        let made = match kernels.replaced_build() {
            None => ComputedBy::Kernel(name, kernels.mode(), workers),
            Some((build, cause)) => ComputedBy::Substitute(name, build, cause),
        };
        let value = match shape {
            Shape::Tuple(_) => Data::Tuple(arrays.into_iter().map(Data::from).collect()),
            _ => arrays.pop().map_or(Data::Token, Data::from),
        };
        Ok((value, made))
    }

    /// The task of an instruction.
    fn planned(
        &self,
        instruction: &Instruction,
        shape: &Shape,
        operands: &[Data],
        results: &[&ArrayShape],
    ) -> Result<Planned, Fallback> {
        let op = instruction.op.ok_or(Fallback::NoKernel)?;
        // Kernels read arrays. The shape of a tuple would cost a walk through its leaves.
        if operands.iter().any(|operand| operand.as_array().is_none()) {
            return Err(Fallback::NoKernel);
        }
        let shapes: Vec<Shape> = operands.iter().map(Data::shape).collect();
        let shapes: Vec<&Shape> = shapes.iter().collect();
        let module: &Module = self.module;
        let cx = module.infer(instruction, &shapes, Some(shape), self.edition).ok_or(Fallback::NoKernel)?;
        let planned = op.task(&Tasking { cx: &cx, operands, results })?;
        if planned.task.steps() < self.least {
            return Err(Fallback::Small);
        }
        Ok(planned)
    }
}
