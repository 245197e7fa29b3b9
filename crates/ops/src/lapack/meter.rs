//! The steps that an algorithm charges, which it ends early once the budget is spent or the run is cancelled.

use super::super::Read;

/// Charges steps to a run.
pub(super) struct Meter<'a> {
    read: &'a mut dyn Read,
    is_stopped: bool,
}

impl<'a> Meter<'a> {
    pub fn new(read: &'a mut dyn Read) -> Self {
        Self { read, is_stopped: false }
    }

    /// Charges multiplications. Returns whether to continue: after `false` no result is used.
    pub fn spend(&mut self, steps: usize) -> bool {
        self.is_stopped |= !self.read.charge_steps(steps as u64);
        !self.is_stopped
    }
}
