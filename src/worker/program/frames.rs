//! Records the values of one call of a computation while the program runs, to trace cells of a body in them.

use std::ops::ControlFlow;

use super::call_index::CallIndex;
use super::wire::InstructionKey;
use crate::hlo::eval::meter::{Frame, Observer};
use crate::hlo::eval::values::Values;
use crate::hlo::{CallPath, InstructionId, Module, Outcome};
use crate::inspect::values::parts;
use crate::ops::{ComputationId, Data};

/// Maximum bytes of the values that are recorded.
const MAX_BYTES: u64 = 256 << 20;

/// Records the values of the call in which a given execution of an instruction happens, and ends the run when that call is
/// complete.
pub(super) struct FrameRecorder<'m> {
    module: &'m Module,
    at: InstructionKey,
    /// Executions of the instruction that precede the recorded one.
    remaining: u64,
    frame: Option<Frame>,
    /// The path of the call that began last, and that of the recorded one.
    entered: Option<(Frame, CallPath)>,
    path: CallPath,
    calls: CallIndex,
    values: Vec<Option<Data>>,
    bytes: u64,
    has_instruction: bool,
    is_done: bool,
}

impl<'m> FrameRecorder<'m> {
    pub fn new(module: &'m Module, at: InstructionKey, execution: u64) -> Self {
        Self {
            module,
            at,
            remaining: execution,
            frame: None,
            entered: None,
            path: CallPath::new(),
            calls: CallIndex::default(),
            values: Vec::new(),
            bytes: 0,
            has_instruction: false,
            is_done: false,
        }
    }

    /// The recorded values, the path of their call, and the calls up to its end; `None` if the instruction was executed less often.
    pub fn recorded(self) -> Option<(Outcome, CallPath, CallIndex)> {
        if !self.has_instruction {
            return None;
        }
        let count = self.values.len();
        let values = Values {
            computation: ComputationId(self.at.computation),
            values: self.values,
            random_positions: Vec::new(),
            computed_by: (0..count).map(|_| None).collect(),
        };
        Some((Outcome::from_values(values, 0), self.path, self.calls))
    }
}

impl Observer for FrameRecorder<'_> {
    fn enters(&mut self, frame: Frame, stack: &[(InstructionId, u64)]) {
        self.calls.record(frame, stack);
        if frame.computation.0 == self.at.computation {
            self.entered = Some((frame, CallPath::from_slice(stack)));
        }
    }

    fn value(&mut self, frame: Frame, id: InstructionId, value: &Data) -> ControlFlow<()> {
        if self.is_done || frame.computation.0 != self.at.computation {
            return ControlFlow::Continue(());
        }
        let Some(computation) = self.module.get(frame.computation) else { return ControlFlow::Continue(()) };
        if self.frame != Some(frame) {
            if self.has_instruction {
                return ControlFlow::Break(());
            }
            self.frame = Some(frame);
            if let Some((_, path)) = self.entered.take_if(|(entered, _)| *entered == frame) {
                self.path = path;
            }
            self.values = vec![None; computation.instructions.len()];
            self.bytes = 0;
        }
        let bytes = parts(value).iter().fold(0_u64, |sum, part| {
            sum.saturating_add(u64::try_from(part.array.memory_map().bytes()).unwrap_or(u64::MAX))
        });
        self.bytes = self.bytes.saturating_add(bytes);
        if let Some(slot) = self.values.get_mut(id.index()).filter(|_| self.bytes <= MAX_BYTES) {
            *slot = Some(value.clone());
        }
        if id.0 == self.at.instruction {
            if self.remaining == 0 {
                self.has_instruction = true;
            } else {
                self.remaining -= 1;
            }
        }
        if self.has_instruction && computation.root == Some(id) {
            self.is_done = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn wants_all(&self) -> bool {
        false
    }
}
