//! Traces the cells that a cell of a run was computed from, and those computed from it. In a body, the values of the call are
//! recorded again.

use super::{Execution, MAX_SOURCES, RecordedFrame, general_failure};
use crate::array::value::text::Exactness;
use crate::hlo::eval::kernel::MIN_KERNEL_WORK;
use crate::hlo::eval::meter::Observer;
use crate::hlo::{InstructionId, Outcome};
use crate::i18n::Message;
use crate::ops::CellAt;
use crate::worker::evaluation::wire::Failure;
use crate::worker::program::arguments::arguments;
use crate::worker::program::environment::Environment;
use crate::worker::program::frames::FrameRecorder;
use crate::worker::program::ids::{find, reference};
use crate::worker::program::trace_page::trace_page;
use crate::worker::program::tracing::{backward, forward};
use crate::worker::program::wire::{InstructionKey, RunReply, SourceCell, TraceQuery};

impl Execution {
    /// Runs the program with an observer, which may end the run.
    pub(super) async fn observe(
        &self,
        observer: &mut dyn Observer,
        environment: &mut Environment<'_>,
    ) -> Result<(), Failure> {
        let arguments = arguments(&self.job, &self.module, &*self.files, self.language)?;
        let mut evaluator = self.evaluator(&self.module).observer(observer);
        if let Some(kernels) = environment.kernels.clone() {
            evaluator = evaluator.kernels(kernels, MIN_KERNEL_WORK);
        }
        match evaluator.run_async(&arguments).await {
            Err(error) if error.error.rule != "cancelled" => Err(self.failure(&error)),
            _ => Ok(()),
        }
    }

    /// Records the values of the call in which this execution of an instruction happens, unless they are kept.
    pub(super) async fn record(
        &mut self,
        at: InstructionKey,
        execution: u64,
        environment: &mut Environment<'_>,
    ) -> Result<(), Failure> {
        let is_kept = self.is_in_entry(at) && self.outcome.is_some();
        let is_recorded = self
            .frame
            .as_ref()
            .is_some_and(|frame| frame.is_whole && (frame.at, frame.execution) == (at, execution));
        if is_kept || is_recorded {
            return Ok(());
        }
        let module = self.module.clone();
        let mut recorder = FrameRecorder::new(&module, at, execution);
        self.observe(&mut recorder, environment).await?;
        self.frame =
            recorder.outcome().map(|outcome| RecordedFrame { at, execution, outcome, is_whole: true });
        Ok(())
    }

    /// Computes the values of an instruction of the entry computation and of its operands by the plans of a large program.
    /// Returns whether they are known.
    pub(super) fn compute_operands(&mut self, at: InstructionKey, execution: u64) -> bool {
        let is_known = |frame: &RecordedFrame| (frame.at, frame.execution) == (at, execution);
        if self.frame.as_ref().is_some_and(is_known) {
            return true;
        }
        if execution != 0 || !self.is_in_entry(at) {
            return false;
        }
        let outcome = self.planned.as_ref().and_then(|run| run.outcome(&self.module, at));
        let frame = outcome.map(|outcome| RecordedFrame { at, execution, outcome, is_whole: false });
        let is_known = frame.is_some();
        self.frame = frame.or_else(|| self.frame.take());
        is_known
    }

    /// The values to trace cells of an instruction in.
    fn traced_values(&self, at: InstructionKey) -> Result<&Outcome, Failure> {
        let kept = self.outcome.as_ref().filter(|_| self.is_in_entry(at));
        let recorded = || self.frame.as_ref().filter(|frame| frame.at.computation == at.computation);
        kept.or_else(|| recorded().map(|frame| &frame.outcome)).ok_or_else(|| {
            general_failure(self.language, "not-executed", &Message::program("program-not-executed"))
        })
    }

    /// Traces a cell, and shows the values on the way with their cells.
    pub(super) fn trace(
        &self,
        query: TraceQuery,
        is_forward: bool,
    ) -> Result<(RunReply, Option<Vec<u8>>), Failure> {
        let outcome = self.traced_values(query.at)?;
        let (id, instruction) = reference(query.at);
        let computation = self.module.get(id).ok_or_else(|| {
            general_failure(self.language, "not-executed", &Message::program("program-not-executed"))
        })?;
        let cell = CellAt { path: query.path.iter().copied().collect(), index: query.cell.as_slice().into() };
        let evaluator = self.evaluator(&self.module);
        let mut tracer = evaluator.tracer(outcome).max_cells(MAX_SOURCES);
        let chain = if is_forward {
            forward(&mut tracer, outcome, computation, instruction, &cell)
        } else {
            backward(&mut tracer, computation, instruction, &cell)
        };
        let page = trace_page(query, is_forward, (id, computation), outcome, &chain);
        let (trace, cells) =
            page.map_err(|error| general_failure(self.language, error.rule, &error.message))?;
        Ok((RunReply::Trace(Box::new(trace)), Some(cells)))
    }

    /// The operand cells that a cell was computed from.
    pub(super) fn sources(&self, query: &TraceQuery) -> Result<Vec<SourceCell>, Failure> {
        let at = query.at;
        let outcome = self.traced_values(at)?;
        let cell = CellAt { path: query.path.iter().copied().collect(), index: query.cell.as_slice().into() };
        let evaluator = self.evaluator(&self.module);
        let mut tracer = evaluator.tracer(outcome).max_cells(MAX_SOURCES);
        let sources = tracer.sources(InstructionId(at.instruction), &cell);
        let sources = sources.map_err(|error| self.failure(&error))?;
        let operands = find(&self.module, at).map(|(_, instruction)| instruction.operands.clone());
        let operands = operands.unwrap_or_default();
        let value_of = |operand: usize, cell: &CellAt| {
            let value = outcome.values.get(*operands.get(operand)?)?.part(&cell.path)?.as_array()?;
            Some(value.get(&cell.index)?.text(value.element_type(), Exactness::Xla))
        };
        let to_wire = |source: &crate::ops::Source| SourceCell {
            operand: source.operand,
            path: source.cell.path.to_vec(),
            index: source.cell.index.to_vec(),
            // An operand that is not needed as a whole has no value.
            value: value_of(source.operand, &source.cell).unwrap_or_default(),
        };
        Ok(sources.iter().map(to_wire).collect())
    }
}
