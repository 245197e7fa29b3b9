//! The step budget of a run, its program counter, and its observer.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::rc::Rc;

use super::values::run_error;
use crate::module::InstructionId;
use xla_array::Value;
use xla_messages::i18n::Message;
use xla_ops::{ComputationId, Data, OpError};

/// Limits of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Steps of all devices together. A step takes a few nanoseconds: a cell read or written, one level of tiling
    /// when an index is mapped to its slot, an instruction executed, or an instruction of a scalar computation.
    pub steps: u64,
    /// Bytes of all arrays that are live at the same time, including padding and arguments, and of the scratch buffers
    /// of ops and kernels.
    pub bytes: u64,
}

impl Default for Limits {
    /// Steps for about 30 seconds on a slow machine, and 512 MiB.
    fn default() -> Self {
        Self { steps: 2_000_000_000, bytes: 512 << 20 }
    }
}

/// A call of a computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The called computation.
    pub computation: ComputationId,
    /// Call depth; 0 for the entry.
    pub depth: usize,
    /// Ordinal of the call in this run; an iteration of a `while` is two calls.
    pub call: u64,
}

/// The position of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The running instruction of the entry computation, which may be a call.
    pub instruction: InstructionId,
    /// Computed cells and total cells of its value, if it is computed cell by cell.
    pub cells: Option<(i64, i64)>,
}

/// One application of a scalar computation, e.g. by a `reduce` or a `map`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Application<'a> {
    /// The applied computation.
    pub computation: ComputationId,
    /// Its scalar arguments.
    pub arguments: &'a [Value],
    /// Its scalar results: one, or the elements of a tuple.
    pub results: &'a [Value],
}

/// Observes a run. A method that returns `Break` ends the run with the error `cancelled`.
pub trait Observer {
    /// Called with the value of each instruction, as soon as it is computed.
    fn value(&mut self, frame: Frame, instruction: InstructionId, value: &Data) -> ControlFlow<()>;

    /// Called when a call of a computation begins, with its call stack: per call, the calling instruction and the ordinal of this
    /// call among the calls of that instruction. Empty for the entry computation.
    fn enters(&mut self, _frame: Frame, _stack: &[(InstructionId, u64)]) {}

    /// Called every few thousand steps, even within an instruction, with the steps taken so far.
    fn progress(&mut self, _steps: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Called with the position of the run right before [`Observer::progress`].
    fn reached(&mut self, _: Position) {}

    /// Whether to run all instructions, including those the result does not need.
    fn wants_all(&self) -> bool {
        true
    }

    /// Whether to call [`Observer::application`]; kernels are not used then.
    fn wants_applications(&self) -> bool {
        false
    }

    /// Called with each application of a scalar computation by an instruction, in order.
    fn application(&mut self, _: Frame, _: InstructionId, _: &Application) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// The pause of a run, which yields whether to continue.
pub type Pause = Pin<Box<dyn Future<Output = bool>>>;

/// Returns a pause when one is due.
pub type PauseFn = dyn Fn() -> Option<Pause>;

/// Minimum number of steps between calls of [`Observer::progress`]: tens of microseconds.
const PROGRESS_INTERVAL_STEPS: u64 = 1 << 12;

/// Counts the steps of a run, holds its program counter, and reports both to the observer.
pub(super) struct Meter<'m> {
    /// The steps of this device.
    pub steps: u64,
    /// The steps of all devices that share the budget.
    pub total: Rc<Cell<u64>>,
    pub limit: u64,
    pub observer: Option<&'m mut dyn Observer>,
    /// The program counter: the running call, and its instruction.
    pub frame: Frame,
    pub instruction: InstructionId,
    /// The running instruction of the entry computation, which may be a call.
    pub entry: InstructionId,
    /// Computed cells and total cells of the value of `entry`.
    pub cells: Option<(i64, i64)>,
    /// The step at which to report progress next.
    progress_due: u64,
}

pub(super) fn cancelled() -> OpError {
    run_error("cancelled", Message::ops("eval-cancelled"))
}

impl<'m> Meter<'m> {
    /// Creates a meter. Devices that share `total` share the `limit` on steps.
    pub(super) fn new(limit: u64, total: Rc<Cell<u64>>, observer: Option<&'m mut dyn Observer>) -> Self {
        let frame = Frame { computation: ComputationId(0), depth: 0, call: 0 };
        let instruction = InstructionId(0);
        Self {
            steps: 0,
            total,
            limit,
            observer,
            frame,
            instruction,
            entry: instruction,
            cells: None,
            progress_due: PROGRESS_INTERVAL_STEPS,
        }
    }

    /// Reports a value. Fails with `cancelled` if the observer breaks.
    pub(super) fn report_value(
        &mut self,
        frame: Frame,
        id: InstructionId,
        value: &Data,
    ) -> Result<(), OpError> {
        let flow = match &mut self.observer {
            Some(observer) => observer.value(frame, id, value),
            None => ControlFlow::Continue(()),
        };
        if flow.is_break() { Err(cancelled()) } else { Ok(()) }
    }

    /// Reports the position of the run without waiting for the next interval. Fails with `cancelled` if the observer breaks.
    pub(super) fn report_progress_now(&mut self) -> Result<(), OpError> {
        use xla_ops::readers::Meter as _;
        self.progress_due = self.steps;
        self.spend(0)
    }

    /// Checks that the budget has this many more steps. Fails with `budget-steps`.
    pub(super) fn check_budget(&self, steps: u64) -> Result<(), OpError> {
        if self.total.get().saturating_add(steps) <= self.limit { Ok(()) } else { Err(self.out_of_steps()) }
    }

    fn out_of_steps(&self) -> OpError {
        let message = Message::ops("eval-steps").with("limit", self.limit);
        run_error("budget-steps", message).with_hint(Message::ops("eval-hint-smaller"))
    }

    /// Whether the observer wants the values of all instructions.
    pub(super) fn observes_all(&self) -> bool {
        self.observer.as_ref().is_some_and(|observer| observer.wants_all())
    }
}

impl xla_ops::readers::Meter for Meter<'_> {
    fn spend(&mut self, steps: u64) -> Result<(), OpError> {
        self.steps = self.steps.saturating_add(steps);
        self.total.set(self.total.get().saturating_add(steps));
        if self.total.get() > self.limit {
            return Err(self.out_of_steps());
        }
        if self.steps >= self.progress_due {
            self.progress_due = self.steps.saturating_add(PROGRESS_INTERVAL_STEPS);
            if let Some(observer) = &mut self.observer {
                let cells = self.cells.filter(|_| self.frame.depth == 0);
                observer.reached(Position { instruction: self.entry, cells });
                if observer.progress(self.steps).is_break() {
                    return Err(cancelled());
                }
            }
        }
        Ok(())
    }

    fn set_computed_cells(&mut self, cells: u64) {
        if let Some((done, _)) = &mut self.cells {
            *done = i64::try_from(cells).unwrap_or(i64::MAX);
        }
    }

    fn reports_calls(&self) -> bool {
        self.observer.as_ref().is_some_and(|observer| observer.wants_applications())
    }

    fn report_call(
        &mut self,
        computation: ComputationId,
        arguments: &[Value],
        results: &[Value],
    ) -> Result<(), OpError> {
        let (frame, instruction) = (self.frame, self.instruction);
        let application = Application { computation, arguments, results };
        let flow = match &mut self.observer {
            Some(observer) => observer.application(frame, instruction, &application),
            None => ControlFlow::Continue(()),
        };
        if flow.is_break() { Err(cancelled()) } else { Ok(()) }
    }
}
