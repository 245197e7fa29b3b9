//! Provenance of the cells of an outcome: the operand cells an instruction read, and the parameter cells they are
//! derived from.

use std::borrow::Cow;

use super::budget::Budget;
use super::device::{AnswerLog, Device};
use super::interpreter::{Interpreter, Settings, poll_trace};
use super::outcome::Outcome;
use super::values::{EvalError, Values};
use super::waiting::Path;
use crate::module::InstructionId;
use xla_ops::{CellAt, ScalarCall, Source};

/// A cell of an instruction in a call on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedCell {
    /// The index of the device.
    pub device: usize,
    /// The call stack; empty in the computation whose values the outcome has.
    pub path: Path,
    /// The instruction.
    pub instruction: InstructionId,
    /// The cell.
    pub cell: CellAt,
}

/// Traces cells of an outcome to their sources. All queries of a tracer share the limits of one run.
pub struct Tracer<'t> {
    pub(super) interpreter: Interpreter<'t>,
    pub(super) values: &'t Values,
}

impl<'t> Tracer<'t> {
    /// Creates a tracer for the outcome of a run with these settings.
    pub(super) fn new(
        settings: &Settings<'t>,
        device: Device,
        budget: Budget<'t>,
        outcome: &'t Outcome,
    ) -> Self {
        let mut interpreter = Interpreter::new(settings, device, budget);
        interpreter.answers = AnswerLog::replaying(outcome.answers.clone());
        Self { interpreter, values: &outcome.values }
    }

    /// Limits a trace to `max_cells` cells.
    #[must_use]
    pub fn max_cells(mut self, max_cells: usize) -> Self {
        self.interpreter.limit_trace(max_cells);
        self
    }

    /// The operand cells that a cell of an instruction was computed from, in the order they were read.
    ///
    /// # Errors
    ///
    /// `trace-cell` if the cell does not exist, `trace-limit` if there are too many, `trace-outside` if they depend
    /// on an answer that was not recorded.
    pub fn sources(&mut self, instruction: InstructionId, cell: &CellAt) -> Result<Vec<Source>, EvalError> {
        self.interpreter.begin_trace(Path::new());
        poll_trace(self.interpreter.sources(self.values, instruction, cell))
            .map_err(|error| self.interpreter.located(error))
    }

    /// Like [`Tracer::sources`], with the scalar computations that were applied for the cell, in order; empty for ops
    /// that call computations on whole arrays.
    pub fn sources_and_calls(
        &mut self,
        instruction: InstructionId,
        cell: &CellAt,
    ) -> Result<(Vec<Source>, Vec<ScalarCall>), EvalError> {
        let sources = self.sources(instruction, cell)?;
        Ok((sources, self.interpreter.take_scalar_calls()))
    }

    /// The parameter cells that a cell was computed from, through all instructions between, sorted and deduplicated;
    /// `operand` is the parameter number. Fails like [`Tracer::sources`].
    pub fn origins(&mut self, instruction: InstructionId, cell: &CellAt) -> Result<Vec<Source>, EvalError> {
        self.interpreter.begin_trace(Path::new());
        poll_trace(self.interpreter.parameter_cells(self.values, instruction, cell))
            .map_err(|error| self.interpreter.located(error))
    }

    /// The values of the call at a path, by rerunning the instruction that made it.
    ///
    /// # Errors
    ///
    /// `trace-cell` if there was no such call; errors of the limits, and `trace-outside`, like [`Tracer::sources`].
    pub fn call_values(&mut self, path: &Path) -> Result<Cow<'_, Values>, EvalError> {
        self.interpreter.begin_trace(Path::new());
        let recorded = self.interpreter.recorded_call(self.values, path);
        let recorded = recorded.map_err(|error| self.interpreter.located(error))?;
        Ok(recorded.map_or(Cow::Borrowed(self.values), |values| Cow::Owned((*values).clone())))
    }

    /// The cells that a cell was computed from, one step back through the calls of the run: a result of a call leads to the root of
    /// the called computation (of a loop, to the body's root in the last iteration), and a parameter to the caller's operand, or to
    /// the root in the iteration before. The cells that conditions of loops read are omitted.
    ///
    /// # Errors
    ///
    /// Like [`Tracer::call_values`].
    pub fn step_back(&mut self, at: &LocatedCell) -> Result<Vec<LocatedCell>, EvalError> {
        Ok(self.step(at, false)?.into_iter().map(|(_, source)| source).collect())
    }

    /// The operand cells that a cell was computed from, with their operand numbers, in its call; on this device, then on others.
    ///
    /// # Errors
    ///
    /// Like [`Tracer::call_values`].
    pub fn sources_in_call(&mut self, at: &LocatedCell) -> Result<Vec<(usize, LocatedCell)>, EvalError> {
        let found = self.step(at, true)?.into_iter();
        Ok(found.filter_map(|(operand, source)| Some((operand?, source))).collect())
    }

    fn step(
        &mut self,
        at: &LocatedCell,
        is_within_call: bool,
    ) -> Result<Vec<(Option<usize>, LocatedCell)>, EvalError> {
        let start = (at.path.clone(), at.instruction, at.cell.clone());
        let local = self.interpreter.step_back(self.values, start, is_within_call);
        let local = local.map_err(|error| self.interpreter.located(error))?;
        let mut found: Vec<_> = local
            .into_iter()
            .map(|(operand, (path, instruction, cell))| {
                (operand, LocatedCell { device: at.device, path, instruction, cell })
            })
            .collect();
        let module = self.interpreter.program.module;
        for (participant, source) in self.interpreter.take_remote_cells() {
            // Those of a collective in a called computation are not operands in this call.
            if is_within_call && participant.path.len() != at.path.len() {
                continue;
            }
            let instruction = module.get(participant.at.0).and_then(|c| c.get(participant.at.1));
            let operand = instruction.and_then(|instruction| instruction.operands.get(source.operand));
            let Some(operand) = operand else { continue };
            let (device, path) = (participant.device, participant.path);
            let cell = LocatedCell { device, path, instruction: *operand, cell: source.cell };
            found.push((Some(source.operand), cell));
        }
        Ok(found)
    }
}
