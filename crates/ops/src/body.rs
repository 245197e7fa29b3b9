//! What an instruction does, once its attributes and shapes are known: nearly always the body of one output cell.

use std::pin::Pin;

use super::attrs::ComputationId;
use super::data::Data;
use super::error::OpError;
use super::host::{Environment, Request};
use super::provenance::{Applied, CellAt, Source};
use super::read::{CellFn, CellsFn, Read};
use xla_array::{ArrayLiteral, ArrayShape, Shape, Value};

/// The semantics of an instruction.
pub enum Body {
    /// An array, cell by cell.
    Cell(CellFn),
    /// A tuple of arrays of the same sizes, cell by cell.
    Cells(CellsFn),
    /// Always this.
    Constant(Data),
    /// The argument of this number.
    Parameter(usize),
    /// An op that is evaluated as a whole.
    Whole(Box<dyn WholeOp>),
    /// An op that calls computations, or asks the host or other devices.
    Calls(Box<dyn Calls>),
}

impl Body {
    /// An array, cell by cell.
    pub fn cell(body: impl Fn(&[i64], &mut dyn Read) -> Value + Send + Sync + 'static) -> Self {
        Self::Cell(Box::new(body))
    }

    /// A tuple of arrays, cell by cell.
    pub fn cells(body: impl Fn(&[i64], &mut dyn Read, &mut [Value]) + Send + Sync + 'static) -> Self {
        Self::Cells(Box::new(body))
    }
}

/// An op that is evaluated as a whole: tuples, sorting.
pub trait WholeOp: Send + Sync {
    /// The value. Its layouts may be any; the evaluator brings it into those of the instruction.
    fn evaluate(&self, operands: &[Data], run: &mut dyn Run) -> Result<Data, OpError>;

    /// The cells of the operands that an output cell came from.
    fn sources(&self, operands: &[Data], cell: &CellAt, run: &mut dyn Run) -> Result<Vec<Source>, OpError>;
}

/// The random numbers that a run has drawn so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RandomPosition {
    /// Executions of `rng`.
    pub number: u64,
    /// The total added to the state of `rng-get-and-update-state`.
    pub advanced: u128,
}

/// Services of the evaluator for an op.
pub trait Run {
    /// Charges steps to the budget; `budget-steps` if it is exceeded, `cancelled` if the run is.
    fn spend(&mut self, steps: u64) -> Result<(), OpError>;

    /// Checks that this many steps remain, before work that charges them as it proceeds; else `budget-steps`.
    fn check_budget(&self, steps: u64) -> Result<(), OpError>;

    /// Reserves memory for scratch buffers and results that are no arrays; it is released when the instruction ends.
    /// `budget-bytes` if the budget is exceeded.
    fn reserve_bytes(&mut self, bytes: u64) -> Result<(), OpError>;

    /// Computes arrays of these shapes, which have the same sizes, index by index, within the budgets.
    fn cells(
        &mut self,
        shapes: &[&ArrayShape],
        operands: &[Data],
        body: &CellsFn,
    ) -> Result<Vec<ArrayLiteral>, OpError>;

    /// The seed of the run, and the number of this draw: no other execution of an instruction has the same.
    fn draw(&mut self) -> (u64, u64);

    /// The state of `rng-get-and-update-state`, which is one for the whole run, before `delta` is added to it.
    fn advance(&mut self, delta: u64) -> u128;

    /// Reports the calls of computations behind a traced cell.
    fn applied(&mut self, _: Vec<Applied>) {}

    /// The random numbers drawn so far.
    fn drawn(&self) -> RandomPosition;

    /// Returns to an earlier position, so that a traced instruction draws the same numbers again.
    fn rewind(&mut self, to: RandomPosition);
}

/// A value that may have to be waited for.
pub type OpFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, OpError>> + 'a>>;

/// An op that calls computations, or asks the host or other devices, and so may have to wait.
pub trait Calls: Send + Sync {
    /// The value. Its layouts may be any; the evaluator brings it into those of the instruction.
    fn evaluate<'a>(&'a self, operands: &'a [Data], run: &'a mut dyn Caller) -> OpFuture<'a, Data>;

    /// The cells of the operands that an output cell came from. Answers of the host are repeated.
    fn sources<'a>(
        &'a self,
        operands: &'a [Data],
        cell: &'a CellAt,
        run: &'a mut dyn Caller,
    ) -> OpFuture<'a, Vec<Source>>;

    /// The origin of a cell of a parameter in call `nth` of [`Caller::call`].
    fn enters(&self, _operands: &[Data], _nth: u64, _parameter: usize, _cell: &CellAt) -> Entered {
        Entered::Nowhere
    }

    /// Checks, before a run, that the op can run on these devices.
    fn admit(&self, _world: &dyn Environment) -> Result<(), OpError> {
        Ok(())
    }
}

/// The origin of a cell of a parameter of a called computation.
#[derive(Clone, Debug, PartialEq)]
pub enum Entered {
    /// A cell of an operand of the instruction that calls.
    Operand(usize, CellAt),
    /// A cell of the result of another call, by its number and its computation.
    Result(u64, ComputationId, CellAt),
    /// No cell.
    Nowhere,
}

/// Services of the evaluator for an op that may wait.
pub trait Caller: Run + Environment {
    /// The value of a computation. `nth` is the number of the call among those of this instruction's run, the same
    /// whenever it is run again.
    fn call<'a>(
        &'a mut self,
        nth: u64,
        computation: ComputationId,
        arguments: &'a [Data],
    ) -> OpFuture<'a, Data>;

    /// The cells of the arguments that a cell of a computation's value came from; `operand` is the parameter.
    fn trace<'a>(
        &'a mut self,
        nth: u64,
        computation: ComputationId,
        arguments: &'a [Data],
        cell: &'a CellAt,
    ) -> OpFuture<'a, Vec<Source>>;

    /// The answer of the host or of other devices.
    fn ask<'a>(&'a mut self, request: Request<'a>) -> OpFuture<'a, Data>;

    /// The value of another body, whose result has this shape.
    fn perform<'a>(
        &'a mut self,
        body: &'a Body,
        shape: &'a Shape,
        operands: &'a [Data],
    ) -> OpFuture<'a, Data>;

    /// The cells that a cell of another body came from.
    fn perform_sources<'a>(
        &'a mut self,
        body: &'a Body,
        shape: &'a Shape,
        operands: &'a [Data],
        cell: &'a CellAt,
    ) -> OpFuture<'a, Vec<Source>>;

    /// Adds a source cell on another device: of an operand of the instruction at which it took part in
    /// the last answer; `party` is its number among those that did.
    fn add_remote_source(&mut self, party: usize, source: Source);
}
