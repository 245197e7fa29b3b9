//! Runs a module on arguments: instruction by instruction, cell by cell, within a budget.
//!
//! Values keep the layouts of their instructions' shapes; the result comes in that of the interface. Whoever wants
//! to see values on the way, or to stop, passes an [`Observer`]. Read [`super::trace`] next: where a cell came from.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::module::{Computation, Instruction, InstructionId, Module};
use crate::array::literal::LiteralError;
use crate::array::{ArrayLiteral, ArrayShape, Dims, Edition, Literal, Shape, Value, shape_util};
use crate::i18n::Message;
use crate::ops::read::Plain;
use crate::ops::{self, Body, Category, CellAt, ComputationId, Data, OpDef, OpError, Run, Source};

/// How much a run may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Output cells, cells read, calls, and instructions of computations that are called on elements.
    pub steps: u64,
    /// Cells of all values that are held at once, padding included.
    pub cells: i64,
}

impl Default for Limits {
    /// Half a minute on a slow machine, and 1 GiB of `f32`.
    fn default() -> Self {
        Self { steps: 2_000_000_000, cells: 1 << 28 }
    }
}

/// A computation that is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The computation.
    pub computation: ComputationId,
    /// How many calls are around it; 0 for the entry.
    pub depth: usize,
    /// The number of the call since the run began; an iteration of a loop is two calls.
    pub call: u64,
}

/// Sees every value as soon as it is there.
pub trait Observer {
    /// The value of an instruction. Breaking off ends the run with `cancelled`.
    fn value(&mut self, frame: Frame, instruction: InstructionId, value: &Data) -> ControlFlow<()>;
}

/// Why a run ended without a result, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalError {
    /// The computation and the instruction, where it was at one.
    pub at: Option<(ComputationId, InstructionId)>,
    /// What happened.
    pub error: Box<OpError>,
}

impl std::fmt::Display for EvalError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for EvalError {}

/// The values of a computation that ran.
#[derive(Clone, Debug)]
pub struct Values {
    /// The computation.
    pub computation: ComputationId,
    /// The value of each instruction; `None` for those the result does not need.
    pub values: Vec<Option<Data>>,
}

impl Values {
    /// The value of an instruction.
    pub fn get(&self, id: InstructionId) -> Option<&Data> {
        self.values.get(id.index())?.as_ref()
    }
}

/// Runs computations of one module.
pub struct Evaluator<'m> {
    pub(super) module: &'m Module,
    edition: Edition,
    limits: Limits,
    steps: u64,
    cells: i64,
    calls: u64,
    depth: usize,
    observer: Option<&'m mut dyn Observer>,
    bodies: Vec<Vec<Option<Arc<Body>>>>,
    /// Where the error that is on its way out happened.
    failed_at: Option<(ComputationId, InstructionId)>,
}

/// One cell of each result.
type CellBody<'a> = dyn Fn(&[i64], &mut Plain, &mut [Value]) + 'a;

fn literal_error(op: &'static str, error: LiteralError) -> OpError {
    OpError::new(op, error.rule, error.message)
}

/// The next index in row-major order; `false` after the last.
fn next(index: &mut [i64], sizes: &[i64]) -> bool {
    for (e, size) in index.iter_mut().zip(sizes).rev() {
        *e += 1;
        if *e < *size {
            return true;
        }
        *e = 0;
    }
    false
}

impl<'m> Evaluator<'m> {
    /// An evaluator of a module without errors, by today's rules.
    pub fn new(module: &'m Module) -> Self {
        Self {
            module,
            edition: Edition::Now,
            limits: Limits::default(),
            steps: 0,
            cells: 0,
            calls: 0,
            depth: 0,
            observer: None,
            bodies: Vec::new(),
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
        self.limits = limits;
        self
    }

    /// Seen by an observer; then every instruction is run, also those the result does not need.
    #[must_use]
    pub fn observer(mut self, observer: &'m mut dyn Observer) -> Self {
        self.observer = Some(observer);
        self
    }

    /// The steps taken so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The value of the entry computation. Errors: `arguments` where these are not its arguments; those of the
    /// ops; `budget-steps`, `budget-cells`; `cancelled`.
    pub fn run(&mut self, arguments: &[Literal]) -> Result<Literal, EvalError> {
        let values = self.run_all(arguments)?;
        let root = self.module.entry_computation().and_then(|entry| values.get(entry.root?));
        let result = root.cloned().unwrap_or(Data::Token);
        let shape = self.module.interface().map(|interface| interface.result);
        let laid_out = shape.map_or(Ok(result.clone()), |shape| result.laid_out(&shape));
        match laid_out {
            Ok(data) => Ok(data.to_literal()),
            Err(error) => Err(self.located(literal_error("copy", error))),
        }
    }

    /// The values of the entry computation's instructions. Errors: as [`Evaluator::run`].
    pub fn run_all(&mut self, arguments: &[Literal]) -> Result<Values, EvalError> {
        let arguments: Vec<Data> = arguments.iter().cloned().map(Data::from).collect();
        let entry = self.module.entry.ok_or_else(|| {
            self.located(OpError::new("call", "hlo-entry", Message::engine("hlo-no-entry")))
        })?;
        self.frame(entry, &arguments).map_err(|error| self.located(error))
    }

    pub(super) fn located(&self, error: OpError) -> EvalError {
        EvalError { at: self.failed_at, error: Box::new(error) }
    }

    fn check_arguments(computation: &Computation, arguments: &[Data]) -> Result<(), OpError> {
        if arguments.len() != computation.parameters.len() {
            let message = Message::engine("op-argument-count")
                .with("name", computation.name.as_str())
                .with("expected", computation.parameters.len())
                .with("found", arguments.len());
            return Err(OpError::new("parameter", "arguments", message));
        }
        let parameters = computation.parameters.iter().filter_map(|id| computation.get(*id));
        for (number, (parameter, argument)) in parameters.zip(arguments).enumerate() {
            let shape = argument.shape();
            if !shape_util::compatible(&shape, &argument.bounded_by(&parameter.shape)) {
                let message = Message::engine("op-argument-shape")
                    .with("name", computation.name.as_str())
                    .with("number", number)
                    .with("expected", parameter.shape.human_string())
                    .with("found", shape.human_string());
                return Err(OpError::new("parameter", "arguments", message));
            }
        }
        Ok(())
    }

    /// The instructions whose values the result needs.
    fn needed(computation: &Computation) -> Vec<bool> {
        let mut needed = vec![false; computation.instructions.len()];
        if let Some(root) = computation.root {
            needed[root.index()] = true;
        }
        for (number, instruction) in computation.instructions.iter().enumerate().rev() {
            if needed[number] {
                for operand in &instruction.operands {
                    needed[operand.index()] = true;
                }
            }
        }
        needed
    }

    /// Runs a computation.
    pub(super) fn frame(&mut self, id: ComputationId, arguments: &[Data]) -> Result<Values, OpError> {
        let module = self.module;
        let Some(computation) = module.get(id) else {
            return Err(OpError::new("call", "region-missing", Message::engine("op-region-missing")));
        };
        Self::check_arguments(computation, arguments)?;
        self.spend(1)?;
        let frame = Frame { computation: id, depth: self.depth, call: self.calls };
        self.calls += 1;
        self.depth += 1;
        let held = self.cells;
        let result = self.instructions(frame, computation, arguments);
        self.depth -= 1;
        self.cells = held;
        result
    }

    fn instructions(
        &mut self,
        frame: Frame,
        computation: &'m Computation,
        arguments: &[Data],
    ) -> Result<Values, OpError> {
        let needed = Self::needed(computation);
        let mut values: Vec<Option<Data>> = vec![None; computation.instructions.len()];
        for (id, instruction) in computation.iter() {
            if !needed[id.index()] && self.observer.is_none() {
                continue;
            }
            let operands: Vec<Data> = Self::operands(&values, instruction);
            let value = match self.instruction(frame.computation, id, instruction, &operands, arguments) {
                Ok(value) => value,
                // Nothing comes of what the result does not need, an error neither.
                Err(_) if !needed[id.index()] => continue,
                Err(error) => {
                    self.failed_at.get_or_insert((frame.computation, id));
                    return Err(error);
                }
            };
            if let Some(observer) = &mut self.observer
                && observer.value(frame, id, &value).is_break()
            {
                return Err(OpError::new("call", "cancelled", Message::engine("eval-cancelled")));
            }
            values[id.index()] = Some(value);
        }
        Ok(Values { computation: frame.computation, values })
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
        let missing = || OpError::new("call", "region-missing", Message::engine("op-region-missing"));
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

    /// What an instruction does with these operands, and its shape where that is not the one it has in the text:
    /// an array may be smaller than its bound, and what is made of it is too.
    pub(super) fn bound(
        &mut self,
        computation: ComputationId,
        id: InstructionId,
        instruction: &'m Instruction,
        operands: &[Data],
    ) -> Result<(Arc<Body>, Option<Shape>), OpError> {
        let module = self.module;
        let declared = instruction.operands.iter().map(|id| module.get(computation)?.get(*id));
        let is_whole = |(data, declared): (&Data, Option<&Instruction>)| {
            let shape = declared.and_then(|declared| declared.shape.as_array());
            data.as_array()
                .zip(shape)
                .is_none_or(|(array, shape)| array.shape().dimensions == shape.dimensions)
        };
        let passes_on = |op: &dyn OpDef| matches!(op.meta().category, Category::Control | Category::Tuple);
        let op = instruction.op.filter(|op| !passes_on(*op));
        let (Some(op), false) = (op, operands.iter().zip(declared).all(is_whole)) else {
            return Ok((self.body(computation, id, instruction)?, None));
        };
        let shapes: Vec<Shape> = operands.iter().map(Data::shape).collect();
        let shapes: Vec<&Shape> = shapes.iter().collect();
        let with = |written| {
            let cx = module.infer(instruction, &shapes, written, self.edition);
            cx.ok_or_else(|| OpError::new("call", "region-missing", Message::engine("op-region-missing")))
        };
        let shape = match ops::check(op, &with(None)?) {
            // What is read out of the text alone, and not cell by cell, goes with any operands.
            Err(error) if error.rule == "result-missing" => {
                let body = self.body(computation, id, instruction)?;
                let message = Message::engine("op-dynamic-fixed").with("op", op.meta().opcode);
                let fixed = || OpError::new(op.meta().opcode, "dynamic-size", message);
                return if matches!(&*body, Body::Whole(_)) { Ok((body, None)) } else { Err(fixed()) };
            }
            shape => shape?,
        };
        let body = op.bind(&with(Some(&shape))?)?;
        Ok((Arc::new(body), Some(shape)))
    }

    fn instruction(
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
        let laid_out = |data: &Data| data.laid_out(shape).map_err(|e| literal_error(op, e));
        match &*body {
            Body::Cell(cell) => {
                let Shape::Array(shape) = shape else { return Ok(Data::Token) };
                let cells = |out: &[i64], read: &mut Plain, results: &mut [Value]| {
                    if let Some(result) = results.first_mut() {
                        *result = cell(out, read);
                    }
                };
                let mut arrays = self.cells(op, &[shape], operands, &cells)?;
                Ok(arrays.pop().map_or(Data::Token, Data::from))
            }
            Body::Cells(cells) => {
                let shapes: Vec<&ArrayShape> =
                    shape.as_tuple().unwrap_or_default().iter().filter_map(Shape::as_array).collect();
                let run = |out: &[i64], read: &mut Plain, results: &mut [Value]| cells(out, read, results);
                let arrays = self.cells(op, &shapes, operands, &run)?;
                Ok(Data::Tuple(arrays.into_iter().map(Data::from).collect()))
            }
            Body::Constant(data) => laid_out(data),
            Body::Parameter(number) => arguments.get(*number).map_or(Ok(Data::Token), laid_out),
            Body::Whole(whole) => laid_out(&whole.evaluate(operands, self)?),
        }
    }

    /// Arrays of the same sizes, cell by cell.
    fn cells(
        &mut self,
        op: &'static str,
        shapes: &[&ArrayShape],
        operands: &[Data],
        cell: &CellBody,
    ) -> Result<Vec<ArrayLiteral>, OpError> {
        let mut arrays = Vec::new();
        for shape in shapes {
            let array = ArrayLiteral::zeros((*shape).clone()).map_err(|error| literal_error(op, error))?;
            self.hold(op, array.map().cells())?;
            arrays.push(array);
        }
        let Some(sizes) = shapes.first().map(|shape| shape.dimensions.clone()) else { return Ok(arrays) };
        if sizes.contains(&0) {
            return Ok(arrays);
        }
        let mut results = vec![Value::Int(0); arrays.len()];
        let mut index = Dims::from_elem(0, sizes.len());
        let mut read = Plain::new(operands);
        let mut counted = 0;
        loop {
            cell(&index, &mut read, &mut results);
            self.spend(1 + read.reads - counted)?;
            counted = read.reads;
            for (array, value) in arrays.iter_mut().zip(&results) {
                array.set(&index, *value);
            }
            if !next(&mut index, &sizes) {
                return Ok(arrays);
            }
        }
    }

    /// Takes cells out of the budget until the computation ends.
    fn hold(&mut self, op: &'static str, cells: i64) -> Result<(), OpError> {
        self.cells = self.cells.saturating_add(cells);
        if self.cells <= self.limits.cells {
            return Ok(());
        }
        let message = Message::engine("eval-cells").with("limit", self.limits.cells);
        Err(OpError::new(op, "budget-cells", message).advise(Message::engine("eval-hint-smaller")))
    }
}

impl Run for Evaluator<'_> {
    fn call(&mut self, computation: ComputationId, arguments: &[Data]) -> Result<Data, OpError> {
        let values = self.frame(computation, arguments)?;
        let root = self.module.get(computation).and_then(|computation| computation.root);
        Ok(root.and_then(|root| values.get(root)).cloned().unwrap_or(Data::Token))
    }

    fn trace(
        &mut self,
        computation: ComputationId,
        arguments: &[Data],
        cell: &CellAt,
    ) -> Result<Vec<Source>, OpError> {
        self.trace_call(computation, arguments, cell)
    }

    fn spend(&mut self, steps: u64) -> Result<(), OpError> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps <= self.limits.steps {
            return Ok(());
        }
        let limit = i64::try_from(self.limits.steps).unwrap_or(i64::MAX);
        let message = Message::engine("eval-steps").with("limit", limit);
        Err(OpError::new("call", "budget-steps", message).advise(Message::engine("eval-hint-smaller")))
    }
}
