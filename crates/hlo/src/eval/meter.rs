//! The budget of a run, and whoever looks on.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::rc::Rc;

use crate::module::InstructionId;
use xla_array::Value;
use xla_messages::i18n::Message;
use xla_ops::{ComputationId, Data, OpError};

/// How much a run may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Steps of all devices together. A step is some nanoseconds of work: a cell that is read or written, a tile that
    /// an index is led through, an instruction that is run, an instruction of a computation that is called on elements.
    pub steps: u64,
    /// Bytes of all arrays that are held at once, as they are in memory, padding and arguments included, and of the
    /// scratch buffers of ops and kernels.
    pub bytes: u64,
}

impl Default for Limits {
    /// Half a minute on a slow machine, and 512 MiB.
    fn default() -> Self {
        Self { steps: 2_000_000_000, bytes: 512 << 20 }
    }
}

/// A computation that is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The computation.
    pub computation: ComputationId,
    /// How many calls are around it; 0 for the entry.
    pub depth: usize,
    /// The number of the call since the run began; an iteration of a loop is two calls.
    pub call: u64,
}

/// Where a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The instruction of the entry computation that is running, or calls what is running.
    pub instruction: InstructionId,
    /// The cells of its value that are done, and how many there are, where it is computed cell by cell.
    pub cells: Option<(i64, i64)>,
}

/// A computation that was called on elements, by a reduce, a map and their like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Application<'a> {
    /// The computation.
    pub computation: ComputationId,
    /// Its arguments, scalars.
    pub arguments: &'a [Value],
    /// Its results: one, or the elements of a tuple.
    pub results: &'a [Value],
}

/// Looks on while a module runs. Breaking off at any point ends the run with `cancelled`.
pub trait Observer {
    /// The value of an instruction, as soon as it is there.
    fn value(&mut self, frame: Frame, instruction: InstructionId, value: &Data) -> ControlFlow<()>;

    /// Called every few thousand steps, also in the middle of an instruction; `steps` are those taken so far.
    fn progress(&mut self, _steps: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Where the run is; called right before [`Observer::progress`].
    fn reached(&mut self, _: Position) {}

    /// Whether the values of all instructions are wanted, also of those that the result does not need.
    fn wants_all(&self) -> bool {
        true
    }

    /// Whether [`Observer::application`] is to be called.
    fn wants_applications(&self) -> bool {
        false
    }

    /// A computation was called on elements for an instruction; in order.
    fn application(&mut self, _: Frame, _: InstructionId, _: &Application) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Steps from one call of [`Observer::progress`] to the next, at least.
const INTERVAL: u64 = 1 << 12;

/// Counts the steps of a run and asks its observer.
pub(super) struct Meter<'m> {
    /// The steps of this device.
    pub steps: u64,
    /// The steps of all devices that share the budget.
    pub total: Rc<Cell<u64>>,
    pub limit: u64,
    pub observer: Option<&'m mut dyn Observer>,
    /// What is running.
    pub frame: Frame,
    pub instruction: InstructionId,
    /// The instruction of the entry computation that is running, or calls what is running.
    pub entry: InstructionId,
    /// Cells of its value that are done, and how many there are.
    pub cells: Option<(i64, i64)>,
    due: u64,
}

pub(super) fn cancelled() -> OpError {
    OpError::new("call", "cancelled", Message::engine("eval-cancelled"))
}

impl<'m> Meter<'m> {
    /// A meter of `limit` steps, which devices that share `total` take together.
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
            due: INTERVAL,
        }
    }

    /// Reports a value. Errors: `cancelled`.
    pub(super) fn value(&mut self, frame: Frame, id: InstructionId, value: &Data) -> Result<(), OpError> {
        let flow = match &mut self.observer {
            Some(observer) => observer.value(frame, id, value),
            None => ControlFlow::Continue(()),
        };
        if flow.is_break() { Err(cancelled()) } else { Ok(()) }
    }

    /// Reports the position of the run at once. Errors: `cancelled`.
    pub(super) fn report(&mut self) -> Result<(), OpError> {
        use xla_ops::readers::Meter as _;
        self.due = self.steps;
        self.spend(0)
    }

    /// That so many steps more are in the budget. Errors: `budget-steps`.
    pub(super) fn check_budget(&self, steps: u64) -> Result<(), OpError> {
        if self.total.get().saturating_add(steps) <= self.limit { Ok(()) } else { Err(self.used_up()) }
    }

    fn used_up(&self) -> OpError {
        let limit = i64::try_from(self.limit).unwrap_or(i64::MAX);
        let message = Message::engine("eval-steps").with("limit", limit);
        OpError::new("call", "budget-steps", message).advise(Message::engine("eval-hint-smaller"))
    }

    /// Whether every value is wanted, not only what the result needs.
    pub(super) fn sees_all(&self) -> bool {
        self.observer.as_ref().is_some_and(|observer| observer.wants_all())
    }
}

impl xla_ops::readers::Meter for Meter<'_> {
    fn spend(&mut self, steps: u64) -> Result<(), OpError> {
        self.steps = self.steps.saturating_add(steps);
        self.total.set(self.total.get().saturating_add(steps));
        if self.total.get() > self.limit {
            return Err(self.used_up());
        }
        if self.steps >= self.due {
            self.due = self.steps.saturating_add(INTERVAL);
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

    fn report_progress(&mut self, cells: u64) {
        if let Some((done, _)) = &mut self.cells {
            *done = i64::try_from(cells).unwrap_or(i64::MAX);
        }
    }

    fn is_observed(&self) -> bool {
        self.observer.as_ref().is_some_and(|observer| observer.wants_applications())
    }

    fn applied(
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
