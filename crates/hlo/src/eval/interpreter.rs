//! The interpreter of one device: runs computations instruction by instruction, within the budget.
//!
//! Values keep the layouts of their instructions' shapes. A run is a future, for it may have to wait for the host or
//! for other devices ([`mod@requests`]); [`mod@cells`] computes arrays cell by cell, [`mod@kernels`] lets kernels
//! compute large ones, [`mod@bounded`] handles arrays smaller than their bound, [`mod@provenance`] traces cells.
//!
//! Invariant: a computation's call is identified by its path, the calls around it, which are the same whenever it is
//! run again.

mod bounded;
mod cells;
mod charges;
mod kernels;
mod provenance;
mod requests;

pub(super) use provenance::{too_many_cells, traced};

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use super::budget::Budget;
use super::device::{AnswerLog, Device};
use super::kernel::{ComputedBy, Kernels};
use super::memory::{PER_INSTRUCTION, PER_VALUE, literal_bytes, parts};
use super::meter::{Frame, Limits};
use super::program::{Program, missing_computation};
use super::values::{EvalError, Values};
use super::waiting::{Party, Path};
use crate::module::{Computation, Instruction, InstructionId, Module};
use xla_array::literal::LiteralError;
use xla_array::{Edition, Literal, shape_util};
use xla_messages::i18n::Message;
use xla_ops::{Applied, Body, ComputationId, Data, Effect, OpDef, OpError, RandomPosition, Run as _, Source};

/// The most cells that one trace follows, unless fewer are asked for.
pub(super) const MAX_TRACED_CELLS: usize = 1 << 20;

fn literal_error(op: &'static str, error: LiteralError) -> OpError {
    OpError::new(op, error.rule, error.message)
}

/// The error of an operand, an argument or a root without a value.
fn no_value() -> OpError {
    OpError::new("call", "operand-failed", Message::engine("eval-operand"))
}

/// Kernels, for tasks of at least `min_steps` steps.
#[derive(Clone)]
pub(super) struct KernelSettings<'r> {
    pub kernels: Rc<dyn Kernels + 'r>,
    pub min_steps: u64,
}

/// What is run, and how.
#[derive(Clone)]
pub(super) struct Settings<'r> {
    pub module: &'r Module,
    pub edition: Edition,
    /// The seed of random numbers.
    pub seed: u64,
    pub limits: Limits,
    pub kernels: Option<KernelSettings<'r>>,
}

impl<'r> Settings<'r> {
    /// A module in today's edition, without kernels.
    pub fn new(module: &'r Module) -> Self {
        Self { module, edition: Edition::Now, seed: 0, limits: Limits::default(), kernels: None }
    }
}

/// The random numbers of a run.
struct Random {
    seed: u64,
    drawn: RandomPosition,
}

/// The calls of a run.
#[derive(Default)]
struct Calls {
    /// Those around what is running.
    path: Path,
    /// How many there were.
    count: u64,
}

/// A trace: computations that run again, with the answers of the first run.
struct Trace {
    is_active: bool,
    /// The most cells it follows.
    max_cells: usize,
    /// The calls of computations behind the cell that was traced last.
    applied: Vec<Applied>,
    /// The path of a run whose values are wanted, and these.
    wanted: Option<(Path, Option<Values>)>,
    /// Cells of other devices that it reached: the device and the operand's cell there.
    remote: Vec<(Party, Source)>,
}

/// A run of a module on one device.
pub(super) struct Interpreter<'r> {
    pub program: Program<'r>,
    pub budget: Budget<'r>,
    pub device: Device,
    pub answers: AnswerLog,
    random: Random,
    kernels: Option<KernelSettings<'r>>,
    /// Whether the run is polled until it ends, so that it may wait for kernels in other workers.
    pub may_wait: bool,
    calls: Calls,
    trace: Trace,
    /// Where the error that is being returned happened.
    failed_at: Option<(ComputationId, InstructionId)>,
}

impl<'r> Interpreter<'r> {
    pub fn new(settings: &Settings<'r>, device: Device, budget: Budget<'r>) -> Self {
        Self {
            program: Program::new(settings.module, settings.edition),
            budget,
            device,
            answers: AnswerLog::default(),
            random: Random { seed: settings.seed, drawn: RandomPosition::default() },
            kernels: settings.kernels.clone(),
            may_wait: false,
            calls: Calls::default(),
            trace: Trace {
                is_active: false,
                max_cells: MAX_TRACED_CELLS,
                applied: Vec::new(),
                wanted: None,
                remote: Vec::new(),
            },
            failed_at: None,
        }
    }

    /// Runs the entry computation.
    pub async fn entry(&mut self, arguments: Cow<'_, [Literal]>) -> Result<Values, EvalError> {
        let bytes = arguments.iter().map(literal_bytes).fold(0, u64::saturating_add);
        self.reserve_for_run(bytes).map_err(|error| self.located(error))?;
        let arguments: Vec<Data> = arguments.into_owned().into_iter().map(Data::from).collect();
        for argument in &arguments {
            self.budget.memory.exempt(argument);
        }
        let entry = self.program.module.entry.ok_or_else(|| {
            self.located(OpError::new("call", "hlo-entry", Message::engine("hlo-no-entry")))
        })?;
        let result = match self.admit(entry) {
            Ok(()) => self.frame(entry, &arguments).await,
            Err(error) => Err(error),
        };
        let values = result.map_err(|error| self.located(error))?;
        let unreceived = self.device.rendezvous.borrow().unreceived();
        match unreceived.filter(|_| self.device.place.is_alone()) {
            Some((_, waiting)) => Err(waiting.error(self.program.module)),
            None => Ok(values),
        }
    }

    /// An error with the instruction it happened at.
    pub fn located(&self, error: OpError) -> EvalError {
        EvalError { at: self.failed_at, error: Box::new(error) }
    }

    /// Asks every instruction that may run whether it can.
    fn admit(&mut self, entry: ComputationId) -> Result<(), OpError> {
        let module = self.program.module;
        let mut seen = vec![false; module.computations.len()];
        let mut open = vec![entry];
        while let Some(id) = open.pop() {
            let Some(computation) = module.get(id) else { continue };
            if std::mem::replace(&mut seen[id.0 as usize], true) {
                continue;
            }
            let needed = self.program.needed(id, computation);
            for (number, instruction) in computation.iter().filter(|(number, _)| needed[number.index()]) {
                open.extend(instruction.attrs.computations());
                let needs_admission = instruction.op.is_some_and(OpDef::needs_admission);
                let result = if needs_admission { self.admit_one(id, number, instruction) } else { Ok(()) };
                if result.is_err() {
                    self.failed_at = Some((id, number));
                    return result;
                }
            }
        }
        Ok(())
    }

    fn admit_one(
        &mut self,
        computation: ComputationId,
        id: InstructionId,
        instruction: &Instruction,
    ) -> Result<(), OpError> {
        match &*self.body(computation, id, instruction)? {
            Body::Calls(calls) => calls.admit(&*self),
            _ => Ok(()),
        }
    }

    /// Checks that these are the arguments of a computation. Errors: with the parameter that has another shape.
    fn check_arguments(
        computation: &Computation,
        arguments: &[Data],
    ) -> Result<(), (Option<InstructionId>, OpError)> {
        if arguments.len() != computation.parameters.len() {
            let message = Message::engine("op-argument-count")
                .with("name", computation.name.as_str())
                .with("expected", computation.parameters.len())
                .with("found", arguments.len());
            return Err((None, OpError::new("parameter", "arguments", message)));
        }
        for (number, (id, argument)) in computation.parameters.iter().zip(arguments).enumerate() {
            let other = computation.get(*id).filter(|of| !argument.is_of(&of.shape));
            let Some(parameter) = other else { continue };
            let shape = argument.shape();
            if !shape_util::compatible(&shape, &argument.bounded_by(&parameter.shape)) {
                let message = Message::engine("op-argument-shape")
                    .with("name", computation.name.as_str())
                    .with("number", number)
                    .with("expected", parameter.shape.human_string())
                    .with("found", shape.human_string());
                return Err((Some(*id), OpError::new("parameter", "arguments", message)));
            }
        }
        Ok(())
    }

    /// Runs a computation.
    pub async fn frame(&mut self, id: ComputationId, arguments: &[Data]) -> Result<Values, OpError> {
        let computation = self.program.module.get(id).ok_or_else(missing_computation)?;
        Self::check_arguments(computation, arguments).map_err(|(parameter, error)| {
            if let Some(parameter) = parameter {
                self.failed_at.get_or_insert((id, parameter));
            }
            error
        })?;
        let count = computation.instructions.len() as u64;
        self.spend(1 + count + arguments.iter().map(parts).sum::<u64>())?;
        let before = self.budget.reserved();
        self.reserve_bytes(count.saturating_mul(PER_INSTRUCTION))?;
        let frame = Frame { computation: id, depth: self.calls.path.len(), call: self.calls.count };
        self.calls.count += 1;
        let result = self.instructions(frame, computation, arguments).await;
        self.budget.release_to(before);
        let values = result?;
        self.keep_wanted(&values);
        Ok(values)
    }

    async fn instructions(
        &mut self,
        frame: Frame,
        computation: &'r Computation,
        arguments: &[Data],
    ) -> Result<Values, OpError> {
        let needed = self.program.needed(frame.computation, computation);
        let mut values: Vec<Option<Data>> = vec![None; computation.instructions.len()];
        let mut drawn = vec![self.random.drawn; values.len()];
        let mut computed_by = vec![None; values.len()];
        for (id, instruction) in computation.iter() {
            let before = self.random.drawn;
            drawn[id.index()] = before;
            let is_wanted =
                || self.budget.meter.sees_all() && self.program.effect(instruction) == Effect::None;
            if !needed[id.index()] && !is_wanted() {
                continue;
            }
            let meter = &mut self.budget.meter;
            (meter.frame, meter.instruction, meter.cells) = (frame, id, None);
            if frame.depth == 0 {
                meter.entry = id;
            }
            let operands: Vec<Data> = Self::operands(&values, instruction);
            let reserved = self.budget.reserved();
            let result = self.instruction(frame.computation, id, instruction, &operands, arguments).await;
            if let Ok((value, _)) = &result {
                self.budget.memory.track(value);
            }
            self.budget.release_to(reserved);
            if !needed[id.index()] {
                // Observing an instruction does not change what the others draw.
                self.random.drawn = before;
            }
            let value = match result {
                Ok((value, by)) => {
                    computed_by[id.index()] = by;
                    value
                }
                // A failure of what the result does not need has no consequence, unless the run was cancelled.
                Err(error) if !needed[id.index()] && error.rule != "cancelled" => {
                    self.failed_at = None;
                    continue;
                }
                Err(error) => {
                    self.failed_at.get_or_insert((frame.computation, id));
                    return Err(error);
                }
            };
            self.budget.meter.value(frame, id, &value)?;
            self.reserve_bytes(PER_VALUE)?;
            values[id.index()] = Some(value);
        }
        Ok(Values { computation: frame.computation, values, drawn, computed_by })
    }

    /// The values of an instruction's operands; fewer only where one that is not needed failed.
    fn operands(values: &[Option<Data>], instruction: &Instruction) -> Vec<Data> {
        instruction.operands.iter().map_while(|id| values.get(id.index()).cloned().flatten()).collect()
    }

    /// The body of an instruction, bound and charged once.
    fn body(
        &mut self,
        computation: ComputationId,
        id: InstructionId,
        instruction: &Instruction,
    ) -> Result<Arc<Body>, OpError> {
        let (body, is_new) = self.program.body(computation, id, instruction)?;
        if is_new {
            self.charge_body(instruction, &body)?;
            self.program.keep_body(computation, id, &body);
        }
        Ok(body)
    }

    async fn instruction(
        &mut self,
        computation: ComputationId,
        id: InstructionId,
        instruction: &Instruction,
        operands: &[Data],
        arguments: &[Data],
    ) -> Result<(Data, Option<ComputedBy>), OpError> {
        let op = instruction.op.map_or("call", |op| op.meta().opcode);
        if operands.len() != instruction.operands.len() {
            return Err(OpError { op, ..no_value() });
        }
        self.spend(1 + operands.len() as u64)?;
        let (body, smaller) = self.bound(computation, id, instruction, operands)?;
        let shape = smaller.as_ref().unwrap_or(&instruction.shape);
        let (data, by) = match &*body {
            Body::Parameter(number) => (arguments.get(*number).cloned().ok_or_else(no_value)?, None),
            Body::Constant(data) => (data.clone(), None),
            Body::Calls(calls) => (calls.evaluate(operands, self).await?, None),
            body => {
                let (data, by) = self.kernel_or_body(instruction, body, shape, operands).await?;
                (data, Some(by))
            }
        };
        Ok((self.laid_out(op, &data, shape)?, by))
    }

    /// The opcode that is running.
    fn opcode(&self) -> &'static str {
        self.program.opcode(self.position())
    }

    /// The instruction that is running.
    fn position(&self) -> (ComputationId, InstructionId) {
        (self.budget.meter.frame.computation, self.budget.meter.instruction)
    }
}
