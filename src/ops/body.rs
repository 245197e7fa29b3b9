//! What an instruction does, once its attributes and shapes are known: nearly always the body of one output cell.

use super::attrs::ComputationId;
use super::data::Data;
use super::error::OpError;
use super::read::{CellAt, Read, Source};
use crate::array::Value;

/// The body of one output cell: its index and the operands give its value.
pub type CellFn = Box<dyn Fn(&[i64], &mut dyn Read) -> Value + Send + Sync>;

/// The body of one output cell of every element of a tuple at once.
pub type CellsFn = Box<dyn Fn(&[i64], &mut dyn Read, &mut [Value]) + Send + Sync>;

/// What an instruction does.
pub enum Body {
    /// An array, cell by cell.
    Cell(CellFn),
    /// A tuple of arrays of the same sizes, cell by cell.
    Cells(CellsFn),
    /// Always this.
    Constant(Data),
    /// The argument of this number.
    Parameter(usize),
    /// Whatever does not go cell by cell.
    Whole(Box<dyn Whole>),
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

/// An op that is evaluated whole: tuples, calls, loops, sorting.
pub trait Whole: Send + Sync {
    /// The value. Its layouts may be any; the evaluator brings it into those of the instruction.
    fn evaluate(&self, operands: &[Data], run: &mut dyn Run) -> Result<Data, OpError>;

    /// The cells of the operands that an output cell came from.
    fn sources(&self, operands: &[Data], cell: &CellAt, run: &mut dyn Run) -> Result<Vec<Source>, OpError>;
}

/// How much of its random numbers a run has drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// Executions of `rng`.
    pub number: u64,
    /// What was added to the state of `rng-get-and-update-state`.
    pub advanced: u128,
}

/// What an op may ask of the evaluator that runs it.
pub trait Run {
    /// The value of a computation.
    fn call(&mut self, computation: ComputationId, arguments: &[Data]) -> Result<Data, OpError>;

    /// The cells of the arguments that a cell of a computation's value came from; `operand` is the parameter.
    fn trace(
        &mut self,
        computation: ComputationId,
        arguments: &[Data],
        cell: &CellAt,
    ) -> Result<Vec<Source>, OpError>;

    /// The seed of the run, and the number of this draw: no other execution of an instruction has the same.
    fn draw(&mut self) -> (u64, u64);

    /// The state of `rng-get-and-update-state`, which is one for the whole run, before `delta` is added to it.
    fn advance(&mut self, delta: u64) -> u128;

    /// How much was drawn so far.
    fn drawn(&self) -> Drawn;

    /// Goes back to where so much was drawn, so that what ran before gives the same numbers when it is traced.
    fn rewind(&mut self, to: Drawn);

    /// Takes steps out of the budget. Errors: `budget-steps` when it is used up.
    fn spend(&mut self, steps: u64) -> Result<(), OpError>;
}
