//! Runs a module on arguments: instruction by instruction, cell by cell, within a budget.
//!
//! Values keep the layouts of their instructions' shapes; the result comes in that of the interface. Whoever wants
//! to see values on the way, or to stop, passes an [`Observer`]. A run is a future, for it may have to wait for the
//! world outside ([`super::host`], [`super::replicas`]); [`Evaluator::run`] is for those that need not.
//!
//! Invariant: a computation's call is known by its path, the calls around it, which are the same whenever it is run
//! again. Read [`super::trace`] next: where a cell came from; then `outside`: what is asked and kept.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::host::Host;
use super::kernel::{ComputedBy, Kernels, MIN_KERNEL_STEPS};
use super::memory::{Memory, PER_INSTRUCTION, PER_VALUE, literal_bytes, parts};
use super::meter::{Frame, Limits, Meter, Observer};
use super::outside::{Outside, now};
use super::trace::MOST;
use super::values::{EvalError, Values};
use crate::module::{Computation, Instruction, InstructionId, Module};
use crate::order::{effect, effects};
use xla_array::literal::{Blank, LiteralError};
use xla_array::{Edition, Literal, shape_util};
use xla_messages::i18n::Message;
use xla_ops::{Applied, Body, ComputationId, Data, Drawn, Effect, Fallback, OpDef, OpError, Run};

/// Runs computations of one module.
pub struct Evaluator<'m> {
    pub(super) module: &'m Module,
    pub(super) edition: Edition,
    pub(super) memory: Memory,
    /// The bytes of the memory budget that are reserved for what is running, the innermost last.
    pub(super) reserved: u64,
    /// Those that are reserved until the run ends.
    pub(super) kept: u64,
    pub(super) trace_limit: usize,
    calls: u64,
    pub(super) seed: u64,
    pub(super) drawn: Drawn,
    pub(super) depth: usize,
    pub(super) meter: Meter<'m>,
    pub(super) outside: Outside,
    bodies: Vec<Vec<Option<Arc<Body>>>>,
    pub(super) blanks: BTreeMap<(ComputationId, InstructionId), Blank>,
    /// What made the value that was computed last.
    made: Option<ComputedBy>,
    /// What runs kernels, and from how many steps on.
    pub(super) kernels: Option<Rc<dyn Kernels + 'm>>,
    pub(super) least: u64,
    /// Whether whoever runs it waits, so that kernels may.
    pub(super) may_wait: bool,
    /// Of each computation: what it does outside, and which of its instructions are run.
    effects: Vec<Effect>,
    needed: Vec<Option<Rc<[bool]>>>,
    /// The calls of computations behind the cell that was traced last.
    pub(super) applied: Vec<Applied>,
    /// Where the error that is on its way out happened.
    pub(super) failed_at: Option<(ComputationId, InstructionId)>,
}

pub(super) fn literal_error(op: &'static str, error: LiteralError) -> OpError {
    OpError::new(op, error.rule, error.message)
}

fn missing() -> OpError {
    OpError::new("call", "region-missing", Message::engine("op-region-missing"))
}

impl<'m> Evaluator<'m> {
    /// An evaluator of a module without errors, by today's rules.
    pub fn new(module: &'m Module) -> Self {
        let limits = Limits::default();
        Self {
            module,
            edition: Edition::Now,
            memory: Memory::new(limits.bytes),
            reserved: 0,
            kept: 0,
            trace_limit: MOST,
            calls: 0,
            depth: 0,
            seed: 0,
            drawn: Drawn::default(),
            meter: Meter::new(limits.steps),
            outside: Outside::default(),
            bodies: Vec::new(),
            blanks: BTreeMap::new(),
            made: None,
            kernels: None,
            least: MIN_KERNEL_STEPS,
            may_wait: false,
            effects: effects(module),
            needed: vec![None; module.computations.len()],
            applied: Vec::new(),
            failed_at: None,
        }
    }

    /// By the rules of an edition.
    #[must_use]
    pub fn edition(mut self, edition: Edition) -> Self {
        self.edition = edition;
        self
    }

    /// Within other limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.meter.limit = limits.steps;
        self.memory.set_limit(limits.bytes);
        self
    }

    /// With traces that follow at most so many cells.
    #[must_use]
    pub fn tracing(mut self, most: usize) -> Self {
        self.trace_limit = most.min(MOST);
        self
    }

    /// With another seed than 0 for the ops that draw random numbers.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Seen by an observer; then every instruction is run, also those the result does not need, but for those that
    /// wait for other devices.
    #[must_use]
    pub fn observer(mut self, observer: &'m mut dyn Observer) -> Self {
        self.meter.observer = Some(observer);
        self
    }

    /// With the queues and functions of a host; without, queues are empty and only [`Host::default`]'s functions
    /// are known.
    #[must_use]
    pub fn host(mut self, host: &Host) -> Self {
        self.outside.host = host.clone();
        self
    }

    /// The steps taken so far.
    pub fn steps(&self) -> u64 {
        self.meter.steps
    }

    /// The most bytes that were held at one time, as the memory budget counts them.
    pub fn peak_bytes(&self) -> u64 {
        self.memory.peak()
    }

    /// The value of the entry computation. Errors: `arguments` where these are not its arguments; those of the
    /// ops; `budget-steps`, `budget-bytes`; `cancelled`; `waiting` where it would wait for ever, as for an infeed
    /// whose queue is empty.
    pub fn run(&mut self, arguments: &[Literal]) -> Result<Literal, EvalError> {
        let values = self.run_all(arguments)?;
        self.result(values)
    }

    /// As [`Evaluator::run`], with arguments that it takes over: they are held once. Errors: as there.
    pub fn run_owned(&mut self, arguments: Vec<Literal>) -> Result<Literal, EvalError> {
        let values = self.run_all_owned(arguments)?;
        self.result(values)
    }

    /// As [`Evaluator::run`], but what has to be waited for is waited for. Errors: as there, never `waiting`.
    pub async fn run_async(&mut self, arguments: &[Literal]) -> Result<Literal, EvalError> {
        let values = self.run_all_async(arguments).await?;
        self.result(values)
    }

    /// The values of the entry computation's instructions. Errors: as [`Evaluator::run`].
    pub fn run_all(&mut self, arguments: &[Literal]) -> Result<Values, EvalError> {
        self.run_now(Cow::Borrowed(arguments))
    }

    /// As [`Evaluator::run_all`], with arguments that it takes over: they are held once. Errors: as there.
    pub fn run_all_owned(&mut self, arguments: Vec<Literal>) -> Result<Values, EvalError> {
        self.run_now(Cow::Owned(arguments))
    }

    fn run_now(&mut self, arguments: Cow<[Literal]>) -> Result<Values, EvalError> {
        let waits = self.outside.waits.clone();
        let ready = now(self.entry(arguments));
        ready.unwrap_or_else(|| Err(waits.borrow_mut().take().unwrap_or_default().error(self.module)))
    }

    /// Runs the entry computation.
    pub(super) async fn entry(&mut self, arguments: Cow<'_, [Literal]>) -> Result<Values, EvalError> {
        // A run that was given up while it waited leaves its state behind.
        self.memory.release(self.reserved.saturating_add(self.kept));
        (self.depth, self.reserved, self.kept, self.failed_at) = (0, 0, 0, None);
        self.meter.is_silent = false;
        self.outside.begin();
        let bytes = arguments.iter().map(literal_bytes).fold(0, u64::saturating_add);
        self.hold_for_run(bytes).map_err(|error| self.located(error))?;
        let arguments: Vec<Data> = arguments.into_owned().into_iter().map(Data::from).collect();
        for argument in &arguments {
            self.memory.exempt(argument);
        }
        let entry = self.module.entry.ok_or_else(|| {
            self.located(OpError::new("call", "hlo-entry", Message::engine("hlo-no-entry")))
        })?;
        let result = match self.admit(entry) {
            Ok(()) => self.frame(entry, &arguments).await,
            Err(error) => Err(error),
        };
        let values = result.map_err(|error| self.located(error))?;
        let unreceived = self.outside.meetings.borrow().unreceived();
        match unreceived.filter(|_| self.outside.place.is_alone()) {
            Some((_, waiting)) => Err(waiting.error(self.module)),
            None => Ok(values),
        }
    }

    pub(super) fn located(&self, error: OpError) -> EvalError {
        EvalError { at: self.failed_at, error: Box::new(error) }
    }

    /// Asks every instruction that may run whether it can.
    fn admit(&mut self, entry: ComputationId) -> Result<(), OpError> {
        let module = self.module;
        let mut seen = vec![false; module.computations.len()];
        let mut open = vec![entry];
        while let Some(id) = open.pop() {
            let Some(computation) = module.get(id) else { continue };
            if std::mem::replace(&mut seen[id.0 as usize], true) {
                continue;
            }
            let needed = self.needed(id, computation);
            for (number, instruction) in computation.iter().filter(|(number, _)| needed[number.index()]) {
                open.extend(instruction.attrs.computations());
                let asks = instruction.op.is_some_and(OpDef::asks);
                let result = if asks { self.admit_one(id, number, instruction) } else { Ok(()) };
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
        instruction: &'m Instruction,
    ) -> Result<(), OpError> {
        match &*self.body(computation, id, instruction)? {
            Body::Calls(calls) => calls.admit(&*self),
            _ => Ok(()),
        }
    }

    /// That these are the arguments of a computation; else the parameter that has another.
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

    /// The instructions whose values the result needs, or which do something outside.
    fn needed(&mut self, id: ComputationId, computation: &Computation) -> Rc<[bool]> {
        let known = self.needed.get(id.0 as usize).cloned().flatten();
        known.unwrap_or_else(|| {
            let mut needed = vec![false; computation.instructions.len()];
            if let Some(root) = computation.root {
                needed[root.index()] = true;
            }
            for (number, instruction) in computation.instructions.iter().enumerate().rev() {
                needed[number] |= effect(instruction, &self.effects) > Effect::Meets;
                if needed[number] {
                    for operand in &instruction.operands {
                        needed[operand.index()] = true;
                    }
                }
            }
            let needed: Rc<[bool]> = needed.into();
            if let Some(slot) = self.needed.get_mut(id.0 as usize) {
                *slot = Some(needed.clone());
            }
            needed
        })
    }

    /// Runs a computation.
    pub(super) async fn frame(&mut self, id: ComputationId, arguments: &[Data]) -> Result<Values, OpError> {
        let computation = self.module.get(id).ok_or_else(missing)?;
        Self::check_arguments(computation, arguments).map_err(|(parameter, error)| {
            if let Some(parameter) = parameter {
                self.failed_at.get_or_insert((id, parameter));
            }
            error
        })?;
        let count = computation.instructions.len() as u64;
        self.spend(1 + count + arguments.iter().map(parts).sum::<u64>())?;
        let before = self.reserved;
        self.hold(count.saturating_mul(PER_INSTRUCTION))?;
        let frame = Frame { computation: id, depth: self.depth, call: self.calls };
        self.calls += 1;
        self.depth += 1;
        let result = self.instructions(frame, computation, arguments).await;
        self.depth -= 1;
        self.release_to(before);
        let values = result?;
        self.outside.keep_frame(&values);
        Ok(values)
    }

    async fn instructions(
        &mut self,
        frame: Frame,
        computation: &'m Computation,
        arguments: &[Data],
    ) -> Result<Values, OpError> {
        let needed = self.needed(frame.computation, computation);
        let mut values: Vec<Option<Data>> = vec![None; computation.instructions.len()];
        let mut drawn = vec![self.drawn; values.len()];
        let mut made = vec![None; values.len()];
        for (id, instruction) in computation.iter() {
            let before = self.drawn;
            drawn[id.index()] = before;
            let is_wanted = || self.meter.sees_all() && effect(instruction, &self.effects) == Effect::None;
            if !needed[id.index()] && !is_wanted() {
                continue;
            }
            (self.meter.frame, self.meter.instruction, self.meter.cells) = (frame, id, None);
            if frame.depth == 0 {
                self.meter.entry = id;
            }
            let operands: Vec<Data> = Self::operands(&values, instruction);
            self.made = None;
            let reserved = self.reserved;
            let result = self.instruction(frame.computation, id, instruction, &operands, arguments).await;
            made[id.index()] = self.made.take();
            if let Ok(value) = &result {
                self.memory.track(value);
            }
            self.release_to(reserved);
            if !needed[id.index()] {
                // Being seen does not change what the others draw.
                self.drawn = before;
            }
            let value = match result {
                Ok(value) => value,
                // Nothing comes of what the result does not need, an error neither; a run that is to end ends.
                Err(error) if !needed[id.index()] && error.rule != "cancelled" => {
                    self.failed_at = None;
                    continue;
                }
                Err(error) => {
                    self.failed_at.get_or_insert((frame.computation, id));
                    return Err(error);
                }
            };
            self.meter.value(frame, id, &value)?;
            self.hold(PER_VALUE)?;
            values[id.index()] = Some(value);
        }
        Ok(Values { computation: frame.computation, values, drawn, computed_by: made })
    }

    /// The values of an instruction's operands; shorter only where one that is not needed failed.
    pub(super) fn operands(values: &[Option<Data>], instruction: &Instruction) -> Vec<Data> {
        instruction.operands.iter().map_while(|id| values.get(id.index()).cloned().flatten()).collect()
    }

    /// What an instruction does; found once.
    pub(super) fn body(
        &mut self,
        computation: ComputationId,
        id: InstructionId,
        instruction: &'m Instruction,
    ) -> Result<Arc<Body>, OpError> {
        self.bodies.resize_with(self.module.computations.len(), Vec::new);
        let module = self.module;
        let parent = module.get(computation).ok_or_else(missing)?;
        let bodies = &mut self.bodies[computation.0 as usize];
        bodies.resize(parent.instructions.len(), None);
        if let Some(body) = bodies.get(id.index()).and_then(Option::as_ref) {
            return Ok(body.clone());
        }
        let op = instruction.op.ok_or_else(|| {
            let message = Message::engine("hlo-opcode").with("opcode", instruction.opcode.as_str());
            OpError::new("call", "hlo-opcode", message)
        })?;
        let shapes = Module::operand_shapes(parent, instruction);
        let cx =
            module.infer(instruction, &shapes, Some(&instruction.shape), self.edition).ok_or_else(missing)?;
        let body = Arc::new(op.bind(&cx)?);
        self.charge_body(instruction, &body)?;
        self.bodies[computation.0 as usize][id.index()] = Some(body.clone());
        Ok(body)
    }

    async fn instruction(
        &mut self,
        computation: ComputationId,
        id: InstructionId,
        instruction: &'m Instruction,
        operands: &[Data],
        arguments: &[Data],
    ) -> Result<Data, OpError> {
        let op = instruction.op.map_or("call", |op| op.meta().opcode);
        if operands.len() != instruction.operands.len() {
            return Err(OpError::new(op, "operand-failed", Message::engine("eval-operand")));
        }
        self.spend(1 + operands.len() as u64)?;
        let (body, smaller) = self.bound(computation, id, instruction, operands)?;
        let shape = smaller.as_ref().unwrap_or(&instruction.shape);
        let data = match &*body {
            Body::Parameter(number) => arguments.get(*number).cloned().unwrap_or(Data::Token),
            Body::Constant(data) => data.clone(),
            Body::Calls(calls) => calls.evaluate(operands, self).await?,
            body => {
                let by_kernel = match self.kernels.clone() {
                    Some(kernels) => self.by_kernel(kernels, instruction, shape, operands).await,
                    None => Err(Ok(Fallback::Off)),
                };
                let (data, made) = match by_kernel {
                    Ok(made) => made,
                    Err(Err(error)) => return Err(error),
                    Err(Ok(why)) => {
                        if let (Body::Whole(_), Some(op)) = (body, instruction.op) {
                            self.charge_whole(op, shape, operands)?;
                        }
                        (self.computed(body, shape, operands)?, ComputedBy::Body(why))
                    }
                };
                self.made = Some(made);
                data
            }
        };
        self.laid_out(op, &data, shape)
    }
}
