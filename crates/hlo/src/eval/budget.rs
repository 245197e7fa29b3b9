//! The budget of a run: its steps (`Meter`, which also holds the program counter) and its memory (`Memory`).
//!
//! Invariant: reservations nest like calls. The bytes that an instruction reserves are released when it ends, by which
//! time `Memory` tracks its value; the bytes that a call reserves are released when it returns.

use std::cell::Cell;
use std::rc::Rc;

use super::memory::Memory;
use super::meter::{Limits, Meter, Observer};
use super::values::run_error;
use xla_messages::i18n::Message;
use xla_ops::OpError;

/// The error of a run that needs more than `limit` bytes.
pub fn too_many_bytes(op: &'static str, limit: u64) -> OpError {
    let message = Message::ops("eval-bytes").with("limit", limit);
    OpError::new(op, "budget-bytes", message).with_hint(Message::ops("eval-hint-smaller"))
}

/// The error of a run that needs more than `limit` steps.
pub fn too_many_steps(limit: u64) -> OpError {
    run_error("budget-steps", Message::ops("eval-steps").with("limit", limit))
        .with_hint(Message::ops("eval-hint-smaller"))
}

/// The steps and bytes a run may still use.
pub(super) struct Budget<'r> {
    pub meter: Meter<'r>,
    pub memory: Memory,
    /// Bytes reserved by the running calls and instruction.
    reserved: u64,
    /// Bytes reserved until the run ends.
    reserved_for_run: u64,
}

impl<'r> Budget<'r> {
    /// A budget for a single device.
    pub fn new(limits: Limits, observer: Option<&'r mut dyn Observer>) -> Self {
        Self::shared(limits, Memory::new(limits.bytes), Rc::default(), observer)
    }

    /// A budget that shares memory and steps with other devices.
    pub fn shared(
        limits: Limits,
        memory: Memory,
        total_steps: Rc<Cell<u64>>,
        observer: Option<&'r mut dyn Observer>,
    ) -> Self {
        let meter = Meter::new(limits.steps, total_steps, observer);
        Self { meter, memory, reserved: 0, reserved_for_run: 0 }
    }

    /// Reserves bytes until the running instruction ends. Fails with `budget-bytes`, as an error of `opcode`.
    pub fn reserve(&mut self, bytes: u64, opcode: &'static str) -> Result<(), OpError> {
        self.claim(bytes, opcode)?;
        self.reserved = self.reserved.saturating_add(bytes);
        Ok(())
    }

    /// Reserves bytes until the run ends. Fails like [`Budget::reserve`].
    pub fn reserve_for_run(&mut self, bytes: u64, opcode: &'static str) -> Result<(), OpError> {
        self.claim(bytes, opcode)?;
        self.reserved_for_run = self.reserved_for_run.saturating_add(bytes);
        Ok(())
    }

    /// Reserves bytes of the memory that the caller accounts for. Fails like [`Budget::reserve`].
    pub fn claim(&self, bytes: u64, opcode: &'static str) -> Result<(), OpError> {
        if self.memory.reserve(bytes) { Ok(()) } else { Err(too_many_bytes(opcode, self.memory.limit())) }
    }

    /// The bytes reserved so far, for [`Budget::release_to`].
    pub fn reserved(&self) -> u64 {
        self.reserved
    }

    /// Releases the bytes reserved since [`Budget::reserved`] returned `reserved`.
    pub fn release_to(&mut self, reserved: u64) {
        self.memory.release(self.reserved.saturating_sub(reserved));
        self.reserved = reserved;
    }

    /// The bytes reserved for the run so far, for [`Budget::release_for_run_to`].
    pub fn reserved_for_run(&self) -> u64 {
        self.reserved_for_run
    }

    /// Releases the bytes reserved for the run since [`Budget::reserved_for_run`] returned `reserved`.
    pub fn release_for_run_to(&mut self, reserved: u64) {
        self.memory.release(self.reserved_for_run.saturating_sub(reserved));
        self.reserved_for_run = reserved;
    }
}
