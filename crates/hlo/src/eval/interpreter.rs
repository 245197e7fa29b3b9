//! The interpreter of one device: runs computations instruction by instruction, within the budget.
//!
//! Values have the layouts of their instructions' shapes. A run is a future because it may wait for the host or for
//! other devices ([`mod@requests`]); [`mod@cells`] computes arrays cell by cell, [`mod@kernels`] lets kernels compute
//! large ones, [`mod@bounded`] handles arrays smaller than their bound, [`mod@provenance`] traces cells, [`mod@calls`] follows them
//! into calls.
//!
//! Invariant: a call is identified by its path, the call stack around it, which is the same in every run.

mod bounded;
mod calls;
mod cells;
mod charges;
mod kernels;
mod provenance;
mod recorded;
mod requests;

pub(super) use provenance::{poll_trace, too_many_cells};

use recorded::RecordedCalls;

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use super::budget::Budget;
use super::device::{AnswerLog, Device};
use super::kernel::{ComputedBy, Kernels, MinKernelWork};
use super::memory::{INSTRUCTION_BYTES, VALUE_BYTES, literal_bytes, node_count};
use super::meter::{Frame, Limits, PauseFn, cancelled};
use super::program::{Program, missing_computation};
use super::random::RandomNumbers;
use super::values::{EvalError, RUN, Values, run_error};
use super::waiting::{Participant, Path};
use crate::module::{Computation, Instruction, InstructionId, Module};
use crate::verify;
use xla_array::literal::LiteralError;
use xla_array::{ArrayShape, Edition, Literal, shape_util};
use xla_messages::i18n::Message;
use xla_ops::{ComputationId, Data, Effect, OpDef, OpError, Run as _, ScalarCall, Semantics, Source};

/// Maximum number of cells that one trace visits: at 512 bytes each, they fill the default memory limit.
pub(super) const MAX_TRACED_CELLS: usize = 1 << 20;

fn literal_error(op: &'static str, error: LiteralError) -> OpError {
    OpError::new(op, error.rule, error.message)
}

/// The error for an operand, an argument or a root without a value.
fn no_value() -> OpError {
    run_error("operand-failed", Message::ops("eval-operand"))
}

/// The kernels to use, for tasks of at least `min_work`.
#[derive(Clone)]
pub(super) struct KernelSettings<'r> {
    pub kernels: Rc<dyn Kernels + 'r>,
    pub min_work: MinKernelWork,
}

/// The module to run, and the settings of the run.
#[derive(Clone)]
pub(super) struct Settings<'r> {
    pub module: &'r Module,
    pub edition: Edition,
    /// The seed of random numbers.
    pub seed: u64,
    pub limits: Limits,
    pub kernels: Option<KernelSettings<'r>>,
    /// Called before each instruction of a run that may wait.
    pub pause: Option<Rc<PauseFn>>,
}

impl<'r> Settings<'r> {
    /// Settings for the current edition, with default limits and without kernels.
    pub fn new(module: &'r Module) -> Self {
        Self {
            module,
            edition: Edition::Current,
            seed: 0,
            limits: Limits::default(),
            kernels: None,
            pause: None,
        }
    }
}

/// The calls of a run.
#[derive(Default)]
struct Calls {
    /// The current call stack.
    path: Path,
    /// The number of calls since the run began.
    count: u64,
}

/// The state of a provenance trace, which reruns computations and replays the recorded answers of the run.
struct Trace {
    is_active: bool,
    /// Maximum number of cells that it visits.
    max_cells: usize,
    /// The scalar computations that were applied for the last traced cell.
    scalar_calls: Vec<ScalarCall>,
    /// Calls whose values were recorded when an instruction was rerun.
    recorded: RecordedCalls,
    /// Cells of other devices that the trace reached: the device and the operand cell there.
    remote_cells: Vec<(Participant, Source)>,
}

/// A run of a module on one device.
pub(super) struct Interpreter<'r> {
    pub program: Program<'r>,
    pub budget: Budget<'r>,
    pub device: Device,
    pub answers: AnswerLog,
    random: RandomNumbers,
    kernels: Option<KernelSettings<'r>>,
    pause: Option<Rc<PauseFn>>,
    /// Whether the run is polled to its end and may thus wait for kernels in other workers.
    pub may_wait: bool,
    calls: Calls,
    trace: Trace,
    /// The position of the error that is being returned.
    failed_at: Option<(ComputationId, InstructionId)>,
}

impl<'r> Interpreter<'r> {
    pub fn new(settings: &Settings<'r>, device: Device, budget: Budget<'r>) -> Self {
        Self {
            program: Program::new(settings.module, settings.edition),
            budget,
            device,
            answers: AnswerLog::default(),
            random: RandomNumbers::new(settings.seed),
            kernels: settings.kernels.clone(),
            pause: settings.pause.clone(),
            may_wait: false,
            calls: Calls::default(),
            trace: Trace {
                is_active: false,
                max_cells: MAX_TRACED_CELLS,
                scalar_calls: Vec::new(),
                recorded: RecordedCalls::default(),
                remote_cells: Vec::new(),
            },
            failed_at: None,
        }
    }

    /// Runs the entry computation.
    pub async fn run_entry(&mut self, arguments: Cow<'_, [Literal]>) -> Result<Values, EvalError> {
        let bytes = arguments.iter().map(literal_bytes).fold(0, u64::saturating_add);
        self.reserve_for_run(bytes).map_err(|error| self.located(error))?;
        let checked = verify::check_edition(self.program.module, self.program.edition);
        if let Err(verify::EditionError { at, error }) = checked {
            return Err(EvalError { at, error });
        }
        let arguments: Vec<Data> = arguments.into_owned().into_iter().map(Data::from).collect();
        for argument in &arguments {
            self.budget.memory.exclude_from_accounting(argument);
        }
        let entry = self
            .program
            .module
            .entry
            .ok_or_else(|| self.located(run_error("hlo-entry", Message::ops("hlo-no-entry"))))?;
        let result = match self.check_environments(entry) {
            Ok(()) => self.run_computation(entry, &arguments).await,
            Err(error) => Err(error),
        };
        let values = result.map_err(|error| self.located(error))?;
        let unreceived = self.device.rendezvous.borrow().unreceived();
        match unreceived.filter(|_| self.device.position.is_single_device()) {
            Some((_, waiting)) => Err(waiting.error(self.program.module)),
            None => Ok(values),
        }
    }

    /// Adds the position of the error that is being returned.
    pub fn located(&self, error: OpError) -> EvalError {
        EvalError { at: self.failed_at, error: Box::new(error) }
    }

    /// Checks before the run that the host and the devices provide what the reachable instructions need.
    fn check_environments(&mut self, entry: ComputationId) -> Result<(), OpError> {
        let module = self.program.module;
        let mut visited = vec![false; module.computations.len()];
        let mut worklist = vec![entry];
        while let Some(id) = worklist.pop() {
            let Some(computation) = module.get(id) else { continue };
            if std::mem::replace(&mut visited[id.0 as usize], true) {
                continue;
            }
            let needed = self.program.needed(id, computation);
            for (instruction_id, instruction) in computation.iter().filter(|(id, _)| needed[id.index()]) {
                worklist.extend(instruction.attrs.computations());
                if !instruction.op.is_some_and(OpDef::needs_environment_check) {
                    continue;
                }
                if let Err(error) = self.check_instruction_environment(id, instruction_id, instruction) {
                    self.failed_at = Some((id, instruction_id));
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn check_instruction_environment(
        &mut self,
        computation: ComputationId,
        id: InstructionId,
        instruction: &Instruction,
    ) -> Result<(), OpError> {
        match &*self.semantics(computation, id, instruction)? {
            Semantics::Suspending(calls) => calls.check_environment(&*self),
            _ => Ok(()),
        }
    }

    /// Checks the number and the shapes of arguments. Returns the parameter whose shape differs with the error.
    fn check_arguments(
        computation: &Computation,
        arguments: &[Data],
    ) -> Result<(), (Option<InstructionId>, OpError)> {
        let name = if computation.name.is_empty() { "ENTRY" } else { &computation.name };
        if arguments.len() != computation.parameters.len() {
            let message = Message::ops("op-argument-count")
                .with("name", name)
                .with("expected", computation.parameters.len())
                .with("found", arguments.len());
            return Err((None, OpError::new("parameter", "arguments", message)));
        }
        for (number, (id, argument)) in computation.parameters.iter().zip(arguments).enumerate() {
            let mismatch = computation.get(*id).filter(|parameter| !argument.matches_shape(&parameter.shape));
            let Some(parameter) = mismatch else { continue };
            let is_unbounded = |array: &ArrayShape| array.dimensions.contains(&ArrayShape::UNBOUNDED);
            if parameter.shape.as_array().is_some_and(is_unbounded) {
                let message = Message::ops("op-argument-unbounded")
                    .with("name", name)
                    .with("number", number)
                    .with("shape", parameter.shape.human_string());
                let error = OpError::new("parameter", "unbounded-dimension", message);
                return Err((Some(*id), error.with_hint(Message::ops("op-hint-static"))));
            }
            let shape = argument.shape();
            if !shape_util::compatible(&shape, &argument.bounded_by(&parameter.shape)) {
                let message = Message::ops("op-argument-shape")
                    .with("name", name)
                    .with("number", number)
                    .with("expected", parameter.shape.human_string())
                    .with("found", shape.human_string());
                return Err((Some(*id), OpError::new("parameter", "arguments", message)));
            }
        }
        Ok(())
    }

    /// Runs a computation.
    pub async fn run_computation(
        &mut self,
        id: ComputationId,
        arguments: &[Data],
    ) -> Result<Values, OpError> {
        let computation = self.program.module.get(id).ok_or_else(missing_computation)?;
        Self::check_arguments(computation, arguments).map_err(|(parameter, error)| {
            if let Some(parameter) = parameter {
                self.failed_at.get_or_insert((id, parameter));
            }
            error
        })?;
        let count = computation.instructions.len() as u64;
        self.spend(1 + count + arguments.iter().map(node_count).sum::<u64>())?;
        let reserved = self.budget.reserved();
        self.reserve_bytes(count.saturating_mul(INSTRUCTION_BYTES))?;
        let frame = Frame { computation: id, depth: self.calls.path.len(), call: self.calls.count };
        self.calls.count += 1;
        if let Some(observer) = &mut self.budget.meter.observer {
            observer.enters(frame, &self.calls.path);
        }
        let result = self.run_instructions(frame, computation, arguments).await;
        self.budget.release_to(reserved);
        let values = result?;
        self.record_call(&values);
        Ok(values)
    }

    async fn run_instructions(
        &mut self,
        frame: Frame,
        computation: &'r Computation,
        arguments: &[Data],
    ) -> Result<Values, OpError> {
        let needed = self.program.needed(frame.computation, computation);
        let mut values: Vec<Option<Data>> = vec![None; computation.instructions.len()];
        let mut random_positions = vec![self.random.position; values.len()];
        let mut computed_by = vec![None; values.len()];
        for (id, instruction) in computation.iter() {
            let random_position = self.random.position;
            random_positions[id.index()] = random_position;
            let runs_for_observer =
                || self.budget.meter.observes_all() && self.program.effect(instruction) == Effect::None;
            if !needed[id.index()] && !runs_for_observer() {
                continue;
            }
            let meter = &mut self.budget.meter;
            (meter.frame, meter.instruction, meter.cells) = (frame, id, None);
            if frame.depth == 0 {
                meter.entry = id;
            }
            if self.may_wait
                && let Some(pause) = self.pause.as_ref().and_then(|pause| pause())
                && !pause.await
            {
                return Err(cancelled());
            }
            let operands: Vec<Data> = Self::operands(&values, instruction);
            let reserved = self.budget.reserved();
            let result = self.run_instruction(frame.computation, id, instruction, &operands, arguments).await;
            if let Ok((value, _)) = &result {
                self.budget.memory.track(value);
            }
            self.budget.release_to(reserved);
            if !needed[id.index()] {
                // An instruction that runs only to be observed does not change the random numbers of the others.
                self.random.position = random_position;
            }
            let value = match result {
                Ok((value, by)) => {
                    computed_by[id.index()] = by;
                    value
                }
                // Ignore failures of instructions that the result does not need, but not a cancellation.
                Err(error) if !needed[id.index()] && error.rule != "cancelled" => {
                    self.failed_at = None;
                    continue;
                }
                Err(error) => {
                    self.failed_at.get_or_insert((frame.computation, id));
                    return Err(error);
                }
            };
            self.budget.meter.report_value(frame, id, &value)?;
            self.reserve_bytes(VALUE_BYTES)?;
            values[id.index()] = Some(value);
        }
        Ok(Values { computation: frame.computation, values, random_positions, computed_by })
    }

    /// The values of an instruction's operands, up to the first that has none because it failed and the result does not
    /// need it.
    fn operands(values: &[Option<Data>], instruction: &Instruction) -> Vec<Data> {
        instruction.operands.iter().map_while(|id| values.get(id.index()).cloned().flatten()).collect()
    }

    /// The semantics of an instruction, bound and charged on first use.
    fn semantics(
        &mut self,
        computation: ComputationId,
        id: InstructionId,
        instruction: &Instruction,
    ) -> Result<Arc<Semantics>, OpError> {
        let (semantics, is_new) = self.program.semantics(computation, id, instruction)?;
        if is_new {
            self.charge_semantics(instruction, &semantics)?;
            self.program.cache_semantics(computation, id, &semantics);
        }
        Ok(semantics)
    }

    async fn run_instruction(
        &mut self,
        computation: ComputationId,
        id: InstructionId,
        instruction: &Instruction,
        operands: &[Data],
        arguments: &[Data],
    ) -> Result<(Data, Option<ComputedBy>), OpError> {
        let op = instruction.op.map_or(RUN, |op| op.meta().opcode);
        if operands.len() != instruction.operands.len() {
            return Err(OpError { op, ..no_value() });
        }
        self.spend(1 + operands.len() as u64)?;
        let (semantics, actual_shape) = self.bind_to_operands(computation, id, instruction, operands)?;
        let shape = actual_shape.as_ref().unwrap_or(&instruction.shape);
        let (data, by) = match &*semantics {
            Semantics::Parameter(number) => (arguments.get(*number).cloned().ok_or_else(no_value)?, None),
            Semantics::Constant(data) => (data.clone(), None),
            Semantics::Suspending(calls) => (calls.evaluate(operands, self).await?, None),
            semantics => {
                let (data, by) = self.kernel_or_semantics(instruction, semantics, shape, operands).await?;
                (data, Some(by))
            }
        };
        Ok((self.relayout(op, &data, shape)?, by))
    }

    /// The opcode of the running instruction.
    fn opcode(&self) -> &'static str {
        self.program.opcode(self.position())
    }

    /// The computation and id of the running instruction.
    fn position(&self) -> (ComputationId, InstructionId) {
        (self.budget.meter.frame.computation, self.budget.meter.instruction)
    }
}
