//! Runs a module on arguments: instruction by instruction, cell by cell, within a budget.
//!
//! Values keep the layouts of their instructions' shapes; the result comes in that of the interface. Whoever wants
//! to see values on the way, or to stop, passes an [`Observer`]. A run is a future, for it may have to wait for the
//! world outside ([`super::host`], [`super::replicas`]); [`Evaluator::run`] is for those that need not.
//!
//! Invariant: a computation's call is known by its path, the calls around it, which are the same whenever it is run
//! again. Read [`super::trace`] next: where a cell came from; then `outside`: what is asked and kept.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::host::Host;
use super::kernel::{Kernels, LEAST, Made};
use super::meter::{Frame, Limits, Meter, Observer};
use super::module::{Computation, Instruction, InstructionId, Module};
use super::order::{effect, effects};
use super::outside::{Outside, now};
use super::trace::MOST;
use super::values::{EvalError, Values};
use crate::array::literal::{Blank, LiteralError};
use crate::array::{ArrayLiteral, ArrayShape, Edition, Literal, Shape, Value, shape_util};
use crate::i18n::Message;
use crate::ops::read::{Meter as _, Plain};
use crate::ops::{Applied, Body, ComputationId, Data, Drawn, Effect, Fallback, OpDef, OpError, Run};

/// Up to so many leaves a tuple is small.
const SMALL_TUPLE: usize = 64;

/// Runs computations of one module.
pub struct Evaluator<'m> {
    pub(super) module: &'m Module,
    pub(super) edition: Edition,
    pub(super) cell_limit: i64,
    pub(super) trace_limit: usize,
    pub(super) cells: i64,
    calls: u64,
    seed: u64,
    pub(super) drawn: Drawn,
    pub(super) depth: usize,
    pub(super) meter: Meter<'m>,
    pub(super) outside: Outside,
    bodies: Vec<Vec<Option<Arc<Body>>>>,
    pub(super) blanks: BTreeMap<(ComputationId, InstructionId), Blank>,
    /// What made the value that was computed last.
    made: Option<Made>,
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
            cell_limit: limits.cells,
            trace_limit: MOST,
            cells: 0,
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
            least: LEAST,
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
        self.cell_limit = limits.cells;
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

    /// The value of the entry computation. Errors: `arguments` where these are not its arguments; those of the
    /// ops; `budget-steps`, `budget-cells`; `cancelled`; `waiting` where it would wait for ever, as for an infeed
    /// whose queue is empty.
    pub fn run(&mut self, arguments: &[Literal]) -> Result<Literal, EvalError> {
        let values = self.run_all(arguments)?;
        self.result(&values)
    }

    /// As [`Evaluator::run`], but what has to be waited for is waited for. Errors: as there, never `waiting`.
    pub async fn run_async(&mut self, arguments: &[Literal]) -> Result<Literal, EvalError> {
        let values = self.run_all_async(arguments).await?;
        self.result(&values)
    }

    /// The values of the entry computation's instructions. Errors: as [`Evaluator::run`].
    pub fn run_all(&mut self, arguments: &[Literal]) -> Result<Values, EvalError> {
        let waits = self.outside.waits.clone();
        let ready = now(self.entry(arguments));
        ready.unwrap_or_else(|| Err(waits.borrow_mut().take().unwrap_or_default().error(self.module)))
    }

    /// The value of the root, in the layout of the interface.
    pub(super) fn result(&self, values: &Values) -> Result<Literal, EvalError> {
        let root = self.module.entry_computation().and_then(|entry| values.get(entry.root?));
        let result = root.cloned().unwrap_or(Data::Token);
        let shape = self.module.interface().map(|interface| interface.result);
        let laid_out = shape.map_or(Ok(result.clone()), |shape| result.laid_out(&shape));
        match laid_out {
            Ok(data) => Ok(data.to_literal()),
            Err(error) => Err(self.located(literal_error("copy", error))),
        }
    }

    /// Runs the entry computation.
    pub(super) async fn entry(&mut self, arguments: &[Literal]) -> Result<Values, EvalError> {
        // A run that was given up while it waited leaves its state behind.
        (self.depth, self.cells, self.failed_at) = (0, 0, None);
        self.meter.is_silent = false;
        self.outside.begin();
        let arguments: Vec<Data> = arguments.iter().cloned().map(Data::from).collect();
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
        self.spend(1)?;
        let frame = Frame { computation: id, depth: self.depth, call: self.calls };
        self.calls += 1;
        self.depth += 1;
        let held = self.cells;
        let result = self.instructions(frame, computation, arguments).await;
        self.depth -= 1;
        self.cells = held;
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
            let result = self.instruction(frame.computation, id, instruction, &operands, arguments).await;
            made[id.index()] = self.made.take();
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
            values[id.index()] = Some(value);
        }
        Ok(Values { computation: frame.computation, values, drawn, made })
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
        if let Some(body) = &bodies[id.index()] {
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
        bodies[id.index()] = Some(body.clone());
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
        let (body, smaller) = self.bound(computation, id, instruction, operands)?;
        let shape = smaller.as_ref().unwrap_or(&instruction.shape);
        match &*body {
            Body::Parameter(number) => match arguments.get(*number) {
                Some(argument) => self.laid_out(op, argument, shape),
                None => Ok(Data::Token),
            },
            Body::Constant(data) => self.laid_out(op, data, shape),
            Body::Calls(calls) => {
                let data = calls.evaluate(operands, self).await?;
                self.laid_out(op, &data, shape)
            }
            body => {
                let by_kernel = match self.kernels.clone() {
                    Some(kernels) => self.by_kernel(kernels, instruction, shape, operands).await,
                    None => Err(Ok(Fallback::Off)),
                };
                let (data, made) = match by_kernel {
                    Ok(made) => made,
                    Err(Err(error)) => return Err(error),
                    Err(Ok(why)) => (self.computed(body, shape, operands)?, Made::Body(why)),
                };
                self.made = Some(made);
                self.laid_out(op, &data, shape)
            }
        }
    }

    /// Takes the steps of visiting the leaves of a tuple; those of small tuples are part of their instruction.
    fn visit(&mut self, shape: &Shape) -> Result<(), OpError> {
        let leaves = if shape.as_tuple().is_some() { shape.leaves() } else { 0 };
        self.spend(leaves.saturating_sub(SMALL_TUPLE) as u64)
    }

    /// A value in the layouts of its instruction, the copies taken out of the budget.
    fn laid_out(&mut self, op: &'static str, data: &Data, shape: &Shape) -> Result<Data, OpError> {
        self.visit(shape)?;
        self.hold(data.cells_moved(shape))?;
        data.laid_out(shape).map_err(|e| literal_error(op, e))
    }
}

impl Run for Evaluator<'_> {
    fn draw(&mut self) -> (u64, u64) {
        let number = self.drawn.number;
        self.drawn.number = number.wrapping_add(1);
        (self.seed, number)
    }

    fn advance(&mut self, delta: u64) -> u128 {
        let before = self.drawn.advanced;
        self.drawn.advanced = before.wrapping_add(delta.into());
        // Where XLA's CPU begins.
        (u128::from(self.seed) << 64 | 0x0701_2395).wrapping_add(before)
    }

    fn drawn(&self) -> Drawn {
        self.drawn
    }

    fn applied(&mut self, applied: Vec<Applied>) {
        self.applied = applied;
    }

    fn rewind(&mut self, to: Drawn) {
        self.drawn = to;
    }

    fn spend(&mut self, steps: u64) -> Result<(), OpError> {
        self.meter.spend(steps)
    }

    fn cells(
        &mut self,
        shapes: &[&ArrayShape],
        operands: &[Data],
        body: &crate::ops::body::CellsFn,
    ) -> Result<Vec<ArrayLiteral>, OpError> {
        let run = |out: &[i64], read: &mut Plain, results: &mut [Value]| body(out, read, results);
        self.arrays(shapes, operands, &run)
    }
}
