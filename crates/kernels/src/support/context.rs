//! The context of a kernel's run: scratch memory, the observer, packed constant operands.

use crate::support::error::KernelError;
use crate::support::scratch::{Floats, Scratch};

/// The context of a kernel's run.
pub struct Context<'a> {
    /// Memory for the duration of a task.
    pub scratch: &'a mut Scratch,
    /// The observer: called between blocks with the number of steps (multiply-adds, or elements) since the last call; returns
    /// whether to continue.
    pub tick: &'a mut dyn FnMut(u64) -> bool,
    /// The packed form of a constant operand, if the task is run repeatedly.
    pub packed_operand: Option<&'a mut PackedOperand>,
}

/// The packed form of an operand that is constant over the runs of one task.
///
/// A caller that changes the operand, or runs another task, must use another `PackedOperand`.
#[derive(Debug)]
pub struct PackedOperand {
    /// The index of the operand among the task's.
    operand: usize,
    /// The kind of packing, and the packed elements.
    packed: Option<(&'static str, Floats)>,
}

impl PackedOperand {
    /// The operand with this index, which is not packed yet.
    pub const fn new(operand: usize) -> Self {
        Self { operand, packed: None }
    }
}

impl Context<'_> {
    /// Memory for the packed form of an operand, and whether a previous run filled it; `None` if the operand is not constant.
    /// [`Self::keep_packed`] returns it; after a cancelled run, it is packed anew.
    pub fn take_packed(
        &mut self,
        operand: usize,
        packing: &'static str,
        length: usize,
    ) -> Option<(Floats, bool)> {
        let packed_operand =
            self.packed_operand.as_mut().filter(|packed_operand| packed_operand.operand == operand)?;
        let packed = packed_operand
            .packed
            .take()
            .filter(|(kind, floats)| *kind == packing && floats.as_slice().len() == length);
        Some(packed.map_or_else(|| (Floats::new(length), false), |(_, floats)| (floats, true)))
    }

    /// Keeps the packed form of the constant operand for the next run.
    pub fn keep_packed(&mut self, packing: &'static str, floats: Floats) {
        if let Some(packed_operand) = &mut self.packed_operand {
            packed_operand.packed = Some((packing, floats));
        }
    }

    /// Asks the observer whether to continue, without reporting steps. Fails only if cancelled.
    pub fn check_cancelled(&mut self) -> Result<(), KernelError> {
        self.tick(0)
    }

    /// Reports steps to the observer. Fails only if cancelled.
    pub fn tick(&mut self, steps: u64) -> Result<(), KernelError> {
        if (self.tick)(steps) { Ok(()) } else { Err(KernelError::Cancelled) }
    }
}
