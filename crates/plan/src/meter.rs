//! The budget of a run, and its observer.

use std::ops::ControlFlow;

use xla_hlo::eval::budget::too_many_bytes;
use xla_hlo::{InstructionId, Limits, Observer, Position};
use xla_messages::i18n::Message;
use xla_ops::OpError;

/// Steps of kernels that are counted as one step of the budget: they take a fraction of a nanosecond.
const KERNEL_STEPS: u64 = 32;

/// Steps between two calls of the observer.
const INTERVAL_STEPS: u64 = 1 << 12;

/// Counts the steps of a run and informs its observer.
pub struct Meter<'o> {
    limits: Limits,
    observer: Option<&'o mut dyn Observer>,
    /// The instruction of the entry computation that is being run.
    pub entry: InstructionId,
    steps: u64,
    due: u64,
    /// Steps of kernels that do not make a step yet.
    rest: u64,
    /// Bytes in use.
    bytes: u64,
}

impl<'o> Meter<'o> {
    pub fn new(limits: Limits, observer: Option<&'o mut dyn Observer>) -> Self {
        Self { limits, observer, entry: InstructionId(0), steps: 0, due: 0, rest: 0, bytes: 0 }
    }

    /// Charges steps. Fails with `budget-steps` and `cancelled`.
    pub fn spend(&mut self, steps: u64) -> Result<(), OpError> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > self.limits.steps {
            return Err(self.out_of_steps());
        }
        if self.steps < self.due {
            return Ok(());
        }
        self.due = self.steps.saturating_add(INTERVAL_STEPS);
        let Some(observer) = &mut self.observer else { return Ok(()) };
        observer.reached(Position { instruction: self.entry, cells: None });
        if observer.progress(self.steps) == ControlFlow::Break(()) {
            return Err(OpError::new("call", "cancelled", Message::ops("eval-cancelled")));
        }
        Ok(())
    }

    /// Charges steps of a kernel.
    pub fn spend_by_kernel(&mut self, steps: u64) -> Result<(), OpError> {
        let all = self.rest.saturating_add(steps);
        self.rest = all % KERNEL_STEPS;
        self.spend(all / KERNEL_STEPS)
    }

    /// Checks that so many steps are left.
    pub fn check(&self, steps: u64) -> Result<(), OpError> {
        if self.steps.saturating_add(steps) > self.limits.steps { Err(self.out_of_steps()) } else { Ok(()) }
    }

    fn out_of_steps(&self) -> OpError {
        let message = Message::ops("eval-steps").with("limit", self.limits.steps);
        OpError::new("call", "budget-steps", message).with_hint(Message::ops("eval-hint-smaller"))
    }

    /// The bytes that may still be reserved.
    pub fn room(&self) -> u64 {
        self.limits.bytes.saturating_sub(self.bytes)
    }

    /// The bytes in use.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reserves bytes. Fails with `budget-bytes`.
    pub fn reserve(&mut self, bytes: u64, op: &'static str) -> Result<(), OpError> {
        let all = self.bytes.saturating_add(bytes);
        if all > self.limits.bytes {
            return Err(too_many_bytes(op, self.limits.bytes));
        }
        self.bytes = all;
        Ok(())
    }

    /// Gives back all but so many bytes.
    pub fn release_to(&mut self, bytes: u64) {
        self.bytes = self.bytes.min(bytes);
    }
}

impl xla_ops::readers::Meter for Meter<'_> {
    fn spend(&mut self, steps: u64) -> Result<(), OpError> {
        Meter::spend(self, steps)
    }
}
