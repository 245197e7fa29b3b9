//! The budget of a run: its steps (`Meter`) and its memory (`Memory`).
//!
//! Invariant: reservations nest as calls do. What an instruction reserves is released when it ends, by which time its
//! value is tracked by `Memory`; what a call reserves is released when it returns.

use std::cell::Cell;
use std::rc::Rc;

use super::memory::Memory;
use super::meter::{Limits, Meter, Observer};
use xla_messages::i18n::Message;
use xla_ops::OpError;

/// The error of values that take more than `limit` bytes.
pub fn too_many_bytes(op: &'static str, limit: u64) -> OpError {
    let message = Message::engine("eval-bytes").with("limit", i64::try_from(limit).unwrap_or(i64::MAX));
    OpError::new(op, "budget-bytes", message).advise(Message::engine("eval-hint-smaller"))
}

/// Steps and bytes that a run has left.
pub(super) struct Budget<'r> {
    pub meter: Meter<'r>,
    pub memory: Memory,
    /// Bytes reserved for the calls and the instruction that are running.
    reserved: u64,
    /// Bytes reserved until the run ends.
    reserved_for_run: u64,
}

impl<'r> Budget<'r> {
    /// A budget of its own.
    pub fn new(limits: Limits, observer: Option<&'r mut dyn Observer>) -> Self {
        Self::shared(limits, Memory::new(limits.bytes), Rc::default(), observer)
    }

    /// A budget whose memory and steps other devices use, too.
    pub fn shared(
        limits: Limits,
        memory: Memory,
        total_steps: Rc<Cell<u64>>,
        observer: Option<&'r mut dyn Observer>,
    ) -> Self {
        let meter = Meter::new(limits.steps, total_steps, observer);
        Self { meter, memory, reserved: 0, reserved_for_run: 0 }
    }

    /// Reserves bytes until the instruction that is running ends. Errors: `budget-bytes`, of the op `opcode`.
    pub fn reserve(&mut self, bytes: u64, opcode: &'static str) -> Result<(), OpError> {
        self.check(bytes, opcode)?;
        self.reserved = self.reserved.saturating_add(bytes);
        Ok(())
    }

    /// Reserves bytes until the run ends. Errors: as [`Budget::reserve`].
    pub fn reserve_for_run(&mut self, bytes: u64, opcode: &'static str) -> Result<(), OpError> {
        self.check(bytes, opcode)?;
        self.reserved_for_run = self.reserved_for_run.saturating_add(bytes);
        Ok(())
    }

    /// Takes bytes out of the memory. Errors: as [`Budget::reserve`].
    pub fn check(&self, bytes: u64, opcode: &'static str) -> Result<(), OpError> {
        if self.memory.reserve(bytes) { Ok(()) } else { Err(too_many_bytes(opcode, self.memory.limit())) }
    }

    /// The bytes reserved now, for [`Budget::release_to`].
    pub fn reserved(&self) -> u64 {
        self.reserved
    }

    /// Releases what was reserved since.
    pub fn release_to(&mut self, reserved: u64) {
        self.memory.release(self.reserved.saturating_sub(reserved));
        self.reserved = reserved;
    }

    /// The bytes reserved for the run now, for [`Budget::release_for_run_to`].
    pub fn reserved_for_run(&self) -> u64 {
        self.reserved_for_run
    }

    /// Releases what was reserved for the run since.
    pub fn release_for_run_to(&mut self, reserved: u64) {
        self.memory.release(self.reserved_for_run.saturating_sub(reserved));
        self.reserved_for_run = reserved;
    }
}
