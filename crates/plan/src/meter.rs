//! The budget of a run, and its observer.

use std::ops::ControlFlow;

use xla_hlo::eval::budget::{too_many_bytes, too_many_steps};
use xla_hlo::eval::values::run_error;
use xla_hlo::{InstructionId, Limits, Observer, Position};
use xla_messages::i18n::Message;
use xla_ops::OpError;

/// Steps of kernels that are charged as one step of the budget: each takes a fraction of a nanosecond.
const KERNEL_STEPS_PER_STEP: u64 = 32;

/// Minimum number of steps between two calls of the observer.
const PROGRESS_INTERVAL_STEPS: u64 = 1 << 12;

/// Counts the steps of a run and informs its observer.
pub struct Meter<'o> {
    limits: Limits,
    observer: Option<&'o mut dyn Observer>,
    /// The running instruction of the entry computation.
    pub entry: InstructionId,
    steps: u64,
    /// The step at which to inform the observer next.
    progress_due: u64,
    /// Steps of kernels that are not charged yet, fewer than [`KERNEL_STEPS_PER_STEP`].
    uncharged_kernel_steps: u64,
    /// Bytes in use.
    bytes: u64,
}

impl<'o> Meter<'o> {
    pub fn new(limits: Limits, observer: Option<&'o mut dyn Observer>) -> Self {
        Self {
            limits,
            observer,
            entry: InstructionId(0),
            steps: 0,
            progress_due: 0,
            uncharged_kernel_steps: 0,
            bytes: 0,
        }
    }

    /// The same charges, with another observer.
    pub fn with_observer(self, observer: Option<&mut dyn Observer>) -> Meter<'_> {
        Meter {
            limits: self.limits,
            observer,
            entry: self.entry,
            steps: self.steps,
            progress_due: self.progress_due,
            uncharged_kernel_steps: self.uncharged_kernel_steps,
            bytes: self.bytes,
        }
    }

    /// The limits of the run.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Charges steps. Fails with `budget-steps` and `cancelled`.
    pub fn spend(&mut self, steps: u64) -> Result<(), OpError> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > self.limits.steps {
            return Err(too_many_steps(self.limits.steps));
        }
        if self.steps < self.progress_due {
            return Ok(());
        }
        self.progress_due = self.steps.saturating_add(PROGRESS_INTERVAL_STEPS);
        let Some(observer) = &mut self.observer else { return Ok(()) };
        observer.reached(Position { instruction: self.entry, cells: None });
        if observer.progress(self.steps) == ControlFlow::Break(()) {
            return Err(run_error("cancelled", Message::ops("eval-cancelled")));
        }
        Ok(())
    }

    /// Charges steps of a kernel. Fails like [`Meter::spend`].
    pub fn spend_kernel_steps(&mut self, steps: u64) -> Result<(), OpError> {
        let kernel_steps = self.uncharged_kernel_steps.saturating_add(steps);
        self.uncharged_kernel_steps = kernel_steps % KERNEL_STEPS_PER_STEP;
        self.spend(kernel_steps / KERNEL_STEPS_PER_STEP)
    }

    /// Checks that the budget has this many more steps. Fails with `budget-steps`.
    pub fn check_budget(&self, steps: u64) -> Result<(), OpError> {
        let limit = self.limits.steps;
        if self.steps.saturating_add(steps) > limit { Err(too_many_steps(limit)) } else { Ok(()) }
    }

    /// The bytes that can still be reserved.
    pub fn remaining_bytes(&self) -> u64 {
        self.limits.bytes.saturating_sub(self.bytes)
    }

    /// The steps charged so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The bytes in use.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reserves bytes. Fails with `budget-bytes`.
    pub fn reserve(&mut self, bytes: u64, op: &'static str) -> Result<(), OpError> {
        let total = self.bytes.saturating_add(bytes);
        if total > self.limits.bytes {
            return Err(too_many_bytes(op, self.limits.bytes));
        }
        self.bytes = total;
        Ok(())
    }

    /// Releases all reserved bytes but this many.
    pub fn release_to(&mut self, bytes: u64) {
        self.bytes = self.bytes.min(bytes);
    }
}

impl xla_ops::readers::Meter for Meter<'_> {
    fn spend(&mut self, steps: u64) -> Result<(), OpError> {
        Meter::spend(self, steps)
    }
}
