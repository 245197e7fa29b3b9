//! What a kernel has beside its operands: scratch memory, the observer, packed constant operands.

use crate::ground::scratch::{Floats, Scratch};
use crate::ground::stop::Stop;

/// What a kernel has beside its operands.
pub struct Context<'a> {
    /// Memory for the duration of a task.
    pub scratch: &'a mut Scratch,
    /// The observer: called between blocks with the number of steps (multiply-adds, or cells) since the last call; returns
    /// whether to continue.
    pub tick: &'a mut dyn FnMut(u64) -> bool,
    /// The packed form of a constant operand, where one task is run again and again.
    pub held: Option<&'a mut Held>,
}

/// The packed form of an operand that is constant over the runs of one task.
///
/// Whoever changes the operand, or runs another task, starts with another `Held`.
#[derive(Debug)]
pub struct Held {
    operand: usize,
    /// Which packing it is, and the packed numbers.
    packed: Option<(&'static str, Floats)>,
}

impl Held {
    /// Nothing packed yet of the operand of this number.
    pub const fn of(operand: usize) -> Self {
        Self { operand, packed: None }
    }
}

impl Context<'_> {
    /// Memory for the packed form of an operand, and whether it is filled from a previous run; `None` where the operand is
    /// not constant. [`Self::hold`] returns it; a cancelled run holds nothing.
    pub fn held(&mut self, operand: usize, packing: &'static str, length: usize) -> Option<(Floats, bool)> {
        let held = self.held.as_mut().filter(|held| held.operand == operand)?;
        let packed =
            held.packed.take().filter(|(by, floats)| *by == packing && floats.as_slice().len() == length);
        Some(packed.map_or_else(|| (Floats::new(length), false), |(_, floats)| (floats, true)))
    }

    /// Keeps the packed form of the constant operand for the next run.
    pub fn hold(&mut self, packing: &'static str, floats: Floats) {
        if let Some(held) = &mut self.held {
            held.packed = Some((packing, floats));
        }
    }

    /// Reports steps to the observer. Errors: cancelled.
    pub fn tick(&mut self, steps: u64) -> Result<(), Stop> {
        if (self.tick)(steps) { Ok(()) } else { Err(Stop::Cancelled) }
    }
}
