//! Traces the cells that a cell of a run was computed from, and those computed from it. Chains start from the kept values of the
//! entry computation, and calls are rerun as needed. Without kept values, those of the call of the cell are recorded again, and a
//! chain stays within that call.

use super::{Execution, ExecutionAt, RecordedFrame};
use crate::array::value::text::Exactness;
use crate::hlo::{CallPath, DeviceError, InstructionId, LocatedCell, Outcome};
use crate::ops::{CellAt, ComputationId};
use crate::worker::evaluation::wire::Failure;
use crate::worker::program::call_index::CallIndex;
use crate::worker::program::environment::Environment;
use crate::worker::program::frames::FrameRecorder;
use crate::worker::program::ids::{at, reference};
use crate::worker::program::trace_page::{MAX_PARAMETERS, PicturedValue, pictured, trace_page};
use crate::worker::program::tracing::{Chain, Traced, Tracers, backward, forward};
use crate::worker::program::wire::{InstructionPath, RunReply, SourceCell, TraceQuery};

/// The values that cells are traced in.
struct TracedValues<'e> {
    /// By device.
    outcomes: Vec<(usize, &'e Outcome)>,
    /// The call that these are the values of; empty for the entry computation.
    root: CallPath,
    /// The call of the traced cell, as a path from the root.
    path: CallPath,
    /// The recorded call, if these are its values.
    frame: Option<&'e RecordedFrame>,
}

/// An instruction in one of its executions.
struct Located {
    instruction: InstructionPath,
    execution: u64,
}

impl Execution {
    /// The call of an execution of an instruction whose values can be computed from the kept ones; `None` if it is unknown.
    fn kept_call(&self, wanted: ExecutionAt) -> Option<CallPath> {
        self.outcomes.as_ref()?;
        if self.is_in_entry(wanted.at) {
            return Some(CallPath::new());
        }
        let is_executed = wanted.number < self.executions(wanted.device, wanted.at);
        let calls = &self.counts.get(wanted.device).filter(|_| is_executed)?.calls;
        calls.path(ComputationId(wanted.at.computation), wanted.number).cloned()
    }

    /// Records the values of the call in which this execution of an instruction happens, unless they follow from the kept ones.
    pub(super) async fn record(
        &mut self,
        wanted: ExecutionAt,
        environment: &mut Environment<'_>,
    ) -> Result<(), Failure> {
        let is_recorded = self.frame.as_ref().is_some_and(|frame| frame.is_whole && frame.at == wanted);
        if is_recorded || self.kept_call(wanted).is_some() {
            return Ok(());
        }
        let module = self.module.clone();
        let mut recorder = FrameRecorder::new(&module, wanted.at, wanted.number);
        self.observe(wanted.device, &mut recorder, environment).await?;
        self.frame = recorder.recorded().map(|(outcome, path, calls)| RecordedFrame {
            at: wanted,
            outcome,
            path,
            calls,
            is_whole: true,
        });
        Ok(())
    }

    /// Computes the values of an instruction of the entry computation and of its operands by the plans of a large program.
    /// Returns whether they are known.
    pub(super) fn compute_operands(&mut self, wanted: ExecutionAt) -> bool {
        if self.frame.as_ref().is_some_and(|frame| frame.at == wanted) {
            return true;
        }
        if wanted.number != 0 || !self.is_in_entry(wanted.at) {
            return false;
        }
        let outcome = self.planned.as_ref().and_then(|run| run.outcome(&self.module, wanted.at));
        let frame = outcome.map(|outcome| RecordedFrame {
            at: wanted,
            outcome,
            path: CallPath::new(),
            calls: CallIndex::default(),
            is_whole: false,
        });
        let is_known = frame.is_some();
        self.frame = frame.or_else(|| self.frame.take());
        is_known
    }

    /// The values to trace cells of an execution of an instruction in.
    fn traced_values(&self, wanted: ExecutionAt) -> Result<TracedValues<'_>, Failure> {
        if let Some((path, outcomes)) = self.kept_call(wanted).zip(self.outcomes.as_ref()) {
            let outcomes = outcomes.iter().enumerate().collect();
            return Ok(TracedValues { outcomes, root: CallPath::new(), path, frame: None });
        }
        let same_body = |frame: &&RecordedFrame| {
            (frame.at.device, frame.at.at.computation) == (wanted.device, wanted.at.computation)
        };
        let frame = self.frame.as_ref().filter(same_body).ok_or_else(|| self.not_executed())?;
        let outcomes = vec![(wanted.device, &frame.outcome)];
        Ok(TracedValues { outcomes, root: frame.path.clone(), path: CallPath::new(), frame: Some(frame) })
    }

    /// An instruction in the call at a path from the root of the values; `None` if there were too many calls to know.
    fn locate(
        &self,
        values: &TracedValues,
        id: (ComputationId, InstructionId),
        (device, path): (usize, &CallPath),
    ) -> Option<Located> {
        let whole: CallPath = values.root.iter().chain(path.iter()).copied().collect();
        if whole.is_empty() {
            return Some(Located {
                instruction: InstructionPath { at: at(id), calls: Vec::new() },
                execution: 0,
            });
        }
        let calls = match values.frame {
            Some(frame) => &frame.calls,
            None => &self.counts.get(device)?.calls,
        };
        let execution = calls.number(id.0, &whole)?;
        Some(Located { instruction: calls.instruction_path(&self.module, id, &whole)?, execution })
    }

    /// Traces a cell, and shows the values on the way with their cells.
    pub(super) fn trace(
        &self,
        query: TraceQuery,
        is_forward: bool,
    ) -> Result<(RunReply, Option<Vec<u8>>), Failure> {
        let values = self.traced_values(ExecutionAt::of_trace(&query))?;
        let (id, instruction) = reference(query.at);
        let computation = self.module.get(id).ok_or_else(|| self.not_executed())?;
        let cell = CellAt { path: query.path.iter().copied().collect(), index: query.cell.as_slice().into() };
        let device = query.device as usize;
        let start = LocatedCell { device, path: values.path.clone(), instruction, cell };
        let devices = self.simulated_devices();
        let traced_devices = values.outcomes.iter();
        let mut tracers: Tracers = traced_devices
            .filter_map(|(device, outcome)| Some((*device, Self::tracer(&devices, *device, outcome)?)))
            .collect();
        let Chain { traced, mut is_complete } = if is_forward {
            forward(&mut tracers, computation, &start)
        } else {
            backward(&mut tracers, &start)
        };
        let root =
            values.outcomes.first().and_then(|(_, outcome)| self.module.get(outcome.values.computation));
        let opcode = |traced: &Traced| {
            let instruction = root.filter(|_| traced.place.path.is_empty())?.get(traced.place.id)?;
            Some(instruction.opcode.as_str())
        };
        let is_entry = values.root.is_empty();
        let is_parameter = |traced: &Traced| opcode(traced) == Some("parameter");
        if !is_entry && !is_forward && traced.iter().any(is_parameter) {
            // It goes on in the caller, whose values are not known.
            is_complete = false;
        }
        let is_end = |traced: &Traced| {
            let is_root = traced.place.path == start.path && computation.root == Some(traced.place.id);
            is_parameter(traced) || (is_forward && is_root)
        };
        let selected = pictured(&traced, is_end);
        let hidden_values = traced.len() - selected.len();
        let mut pictures = Vec::new();
        for traced in selected {
            match self.pictured_value((&values, id), &mut tracers, traced) {
                Some(picture) => pictures.push(picture),
                None => is_complete = false,
            }
        }
        let parameters = traced.iter().filter(|traced| is_entry && !is_forward && is_parameter(traced));
        let parameter_count = parameters.clone().count();
        let parameters: Vec<PicturedValue> = parameters
            .take(MAX_PARAMETERS)
            .filter_map(|traced| self.pictured_value((&values, id), &mut tracers, traced))
            .collect();
        let (trace, cells) = trace_page(
            query,
            is_forward,
            &pictures,
            (&parameters, parameter_count),
            (hidden_values, is_complete),
        )
        .map_err(|error| super::general_failure(self.language, error.rule, &error.message))?;
        Ok((RunReply::Trace(Box::new(trace)), Some(cells)))
    }

    /// The value of an instruction of the chain of a cell of the computation `of`; `None` if it is not known.
    fn pictured_value<'c>(
        &self,
        (values, of): (&TracedValues, ComputationId),
        tracers: &mut Tracers,
        traced: &'c Traced,
    ) -> Option<PicturedValue<'c>> {
        let place = &traced.place;
        let recorded = tracers.get_mut(&place.device)?.call_values(&place.path).ok()?;
        let computation = recorded.computation;
        let called = self.module.get(computation)?;
        let instruction = called.get(place.id)?;
        let located = self.locate(values, (computation, place.id), (place.device, &place.path))?;
        let executions = self.executions(place.device, at((computation, place.id)));
        Some(PicturedValue {
            traced,
            name: instruction.unique_name(place.id),
            opcode: instruction.opcode.clone(),
            within: (computation != of).then(|| called.name.clone()),
            value: recorded.get(place.id)?.clone(),
            instruction: located.instruction,
            execution: located.execution,
            is_repeated: executions > 1,
        })
    }

    /// The operand cells that a cell was computed from.
    pub(super) fn sources(&self, query: &TraceQuery) -> Result<Vec<SourceCell>, Failure> {
        let wanted = ExecutionAt::of_trace(query);
        let values = self.traced_values(wanted)?;
        let cell = CellAt { path: query.path.iter().copied().collect(), index: query.cell.as_slice().into() };
        let start = LocatedCell {
            device: wanted.device,
            path: values.path.clone(),
            instruction: InstructionId(wanted.at.instruction),
            cell,
        };
        let devices = self.simulated_devices();
        let outcome = |device| values.outcomes.iter().find(|(other, _)| *other == device);
        let tracer = |device| Self::tracer(&devices, device, outcome(device)?.1);
        let mut tracers = Tracers::new();
        tracers.insert(wanted.device, tracer(wanted.device).ok_or_else(|| self.not_executed())?);
        let found = tracers.get_mut(&wanted.device).map(|tracer| tracer.sources_in_call(&start));
        let found = found.transpose().map_err(|error| self.failure(DeviceError { device: None, error }))?;
        let mut sources = Vec::new();
        for (operand, source) in found.into_iter().flatten() {
            if !tracers.contains_key(&source.device)
                && let Some(tracer) = tracer(source.device)
            {
                tracers.insert(source.device, tracer);
            }
            let recorded = tracers.get_mut(&source.device).map(|tracer| tracer.call_values(&source.path));
            let recorded = recorded.and_then(Result::ok);
            let value = recorded.as_ref().and_then(|recorded| {
                let value = recorded.get(source.instruction)?.part(&source.cell.path)?.as_array()?;
                Some(value.get(&source.cell.index)?.text(value.element_type(), Exactness::Xla))
            });
            let is_same_call = source.device == wanted.device && source.path == start.path;
            let computation = recorded.as_ref().map(|recorded| recorded.computation);
            let located = || {
                let id = (computation?, source.instruction);
                self.locate(&values, id, (source.device, &source.path)).map(|located| located.execution)
            };
            // Where it is unknown, the execution is most likely the same on every device.
            let execution = if is_same_call { wanted.number } else { located().unwrap_or(wanted.number) };
            sources.push(SourceCell {
                device: u32::try_from(source.device).unwrap_or(u32::MAX),
                execution,
                operand,
                path: source.cell.path.to_vec(),
                index: source.cell.index.to_vec(),
                // An operand that is not needed as a whole has no value.
                value: value.unwrap_or_default(),
            });
        }
        Ok(sources)
    }
}
