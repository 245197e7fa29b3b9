//! Where the cells of an outcome came from: the cells an instruction read, and the parameters' cells behind them.

use super::budget::Budget;
use super::device::{AnswerLog, Device};
use super::interpreter::{Interpreter, Settings, traced};
use super::outcome::Outcome;
use super::values::{EvalError, Values};
use super::waiting::Path;
use crate::module::InstructionId;
use xla_ops::{Applied, CellAt, Source};

/// Answers where cells of an outcome came from. All questions together are within the limits of one run.
pub struct Tracer<'t> {
    pub(super) interpreter: Interpreter<'t>,
    pub(super) values: &'t Values,
}

impl<'t> Tracer<'t> {
    /// A tracer of an outcome that a run by these settings had.
    pub(super) fn new(
        settings: &Settings<'t>,
        device: Device,
        budget: Budget<'t>,
        outcome: &'t Outcome,
    ) -> Self {
        let mut interpreter = Interpreter::new(settings, device, budget);
        interpreter.answers = AnswerLog::of(outcome.answers.clone());
        Self { interpreter, values: &outcome.values }
    }

    /// Limits a trace to `max_cells` cells.
    #[must_use]
    pub fn max_cells(mut self, max_cells: usize) -> Self {
        self.interpreter.limit_trace(max_cells);
        self
    }

    /// The cells of an instruction's operands that one of its cells was computed from, in the order they were read.
    /// Errors: `trace-cell` where there is no such cell, `trace-limit`, `trace-outside` where an answer of the host
    /// was not recorded.
    pub fn provenance(
        &mut self,
        instruction: InstructionId,
        cell: &CellAt,
    ) -> Result<Vec<Source>, EvalError> {
        self.interpreter.begin_trace(Path::new());
        traced(self.interpreter.sources(self.values, instruction, cell))
            .map_err(|error| self.interpreter.located(error))
    }

    /// As [`Tracer::provenance`], with the calls of computations on elements that the cell took, in their order.
    /// Of an op that calls whole computations there are none. Errors: as there.
    pub fn applications(
        &mut self,
        instruction: InstructionId,
        cell: &CellAt,
    ) -> Result<(Vec<Source>, Vec<Applied>), EvalError> {
        let sources = self.provenance(instruction, cell)?;
        Ok((sources, self.interpreter.take_applied()))
    }

    /// The cells of the computation's parameters that a cell was computed from, through all instructions between:
    /// each once, in order; `operand` is the number of the parameter. Errors: as [`Tracer::provenance`].
    pub fn provenance_of_parameters(
        &mut self,
        instruction: InstructionId,
        cell: &CellAt,
    ) -> Result<Vec<Source>, EvalError> {
        self.interpreter.begin_trace(Path::new());
        traced(self.interpreter.parameter_cells(self.values, instruction, cell))
            .map_err(|error| self.interpreter.located(error))
    }
}
