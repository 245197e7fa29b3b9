//! Provenance of the cells of an outcome: the operand cells an instruction read, and the parameter cells they are
//! derived from.

use super::budget::Budget;
use super::device::{AnswerLog, Device};
use super::interpreter::{Interpreter, Settings, poll_trace};
use super::outcome::Outcome;
use super::values::{EvalError, Values};
use super::waiting::Path;
use crate::module::InstructionId;
use xla_ops::{CellAt, ScalarCall, Source};

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
}
