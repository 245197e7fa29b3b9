//! The semantics of an instruction with known attributes and shapes: a [`Semantics`], nearly always a function that
//! computes one output element from its index.

use std::pin::Pin;

use super::attrs::ComputationId;
use super::data::Data;
use super::error::OpError;
use super::host::{Environment, Request};
use super::provenance::{CellAt, ScalarCall, Source};
use super::read::{ElementFn, ElementTupleFn, Read};
use xla_array::{ArrayLiteral, ArrayShape, Shape, Value};

/// The semantics of an instruction.
pub enum Semantics {
    /// An array, by a function of the element's index.
    PerElement(ElementFn),
    /// A tuple of arrays of the same sizes, by a function that computes the elements of all arrays at one index.
    PerElementTuple(ElementTupleFn),
    /// The value of a constant.
    Constant(Data),
    /// The argument with this number.
    Parameter(usize),
    /// An op that computes its whole result eagerly, and names the sources of a cell itself.
    Eager(Box<dyn EagerOp>),
    /// An op that calls computations, or asks the host or other devices.
    Suspending(Box<dyn SuspendingOp>),
}

impl Semantics {
    /// [`Semantics::PerElement`] of a closure.
    pub fn per_element(semantics: impl Fn(&[i64], &mut dyn Read) -> Value + Send + Sync + 'static) -> Self {
        Self::PerElement(Box::new(semantics))
    }

    /// [`Semantics::PerElementTuple`] of a closure.
    pub fn per_element_tuple(
        semantics: impl Fn(&[i64], &mut dyn Read, &mut [Value]) + Send + Sync + 'static,
    ) -> Self {
        Self::PerElementTuple(Box::new(semantics))
    }
}

/// An op that computes its whole result eagerly: tuples, sorting.
pub trait EagerOp: Send + Sync {
    /// The value. It may have any layouts; the evaluator converts it to those of the instruction.
    fn evaluate(&self, operands: &[Data], run: &mut dyn Run) -> Result<Data, OpError>;

    /// The cells of the operands that an output cell came from.
    fn sources(&self, operands: &[Data], cell: &CellAt, run: &mut dyn Run) -> Result<Vec<Source>, OpError>;
}

/// The position in a run's random numbers, which a trace restores to draw the same numbers again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RandomPosition {
    /// Executions of `rng` so far.
    pub rng_count: u64,
    /// The total added to the state of `rng-get-and-update-state`.
    pub state_advance: u128,
}

/// Services of the evaluator for an op.
pub trait Run {
    /// Charges steps to the budget; `budget-steps` if it is exceeded, `cancelled` if the run is.
    fn spend(&mut self, steps: u64) -> Result<(), OpError>;

    /// Checks that this many steps remain, before work that charges them as it proceeds; else `budget-steps`.
    fn check_budget(&self, steps: u64) -> Result<(), OpError>;

    /// Reserves memory for scratch buffers and results that are not arrays; it is released when the instruction ends.
    /// `budget-bytes` if the budget is exceeded.
    fn reserve_bytes(&mut self, bytes: u64) -> Result<(), OpError>;

    /// Computes arrays of these shapes, which have the same sizes, index by index, within the budgets.
    fn compute_elements(
        &mut self,
        shapes: &[&ArrayShape],
        operands: &[Data],
        semantics: &ElementTupleFn,
    ) -> Result<Vec<ArrayLiteral>, OpError>;

    /// The seed of the run, and the number of this draw, which is unique in the run.
    fn draw(&mut self) -> (u64, u64);

    /// Adds `delta` to the run's state of `rng-get-and-update-state`, and returns the previous state.
    fn advance(&mut self, delta: u64) -> u128;

    /// Reports the calls of computations behind a traced cell.
    fn report_scalar_calls(&mut self, _: Vec<ScalarCall>) {}

    /// The current position in the run's random numbers.
    fn random_position(&self) -> RandomPosition;

    /// Restores an earlier position, so that a traced instruction draws the same numbers again.
    fn rewind(&mut self, to: RandomPosition);
}

/// The future result of an op that may wait.
pub type OpFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, OpError>> + 'a>>;

/// An op that calls computations, or sends requests to the host or other devices, and so may wait.
pub trait SuspendingOp: Send + Sync {
    /// The value. It may have any layouts; the evaluator converts it to those of the instruction.
    fn evaluate<'a>(&'a self, operands: &'a [Data], run: &'a mut dyn SuspendingRun) -> OpFuture<'a, Data>;

    /// The cells of the operands that an output cell came from. Requests to the host get the recorded responses.
    fn sources<'a>(
        &'a self,
        operands: &'a [Data],
        cell: &'a CellAt,
        run: &'a mut dyn SuspendingRun,
    ) -> OpFuture<'a, Vec<Source>>;

    /// The origin of a cell of parameter `_parameter` in call `_nth` of [`SuspendingRun::call`].
    fn parameter_origin(
        &self,
        _operands: &[Data],
        _nth: u64,
        _parameter: usize,
        _cell: &CellAt,
    ) -> CellOrigin {
        CellOrigin::None
    }

    /// The origins of a cell of the value in calls of computations and in operands, one step back: none if the op computes its value
    /// itself. `calls` returns the number of calls that the instruction has made. Cells that decide how often a computation is called
    /// are omitted.
    fn result_origins(
        &self,
        _operands: &[Data],
        _calls: &mut dyn FnMut() -> Result<u64, OpError>,
        _cell: &CellAt,
    ) -> Result<Vec<CellOrigin>, OpError> {
        Ok(Vec::new())
    }

    /// Checks, before a run, that the op can run with this host and these devices.
    fn check_environment(&self, _environment: &dyn Environment) -> Result<(), OpError> {
        Ok(())
    }
}

/// The origin of a cell at the boundary of a called computation: of a parameter, or of the calling instruction's value.
#[derive(Clone, Debug, PartialEq)]
pub enum CellOrigin {
    /// A cell of an operand of the calling instruction.
    Operand(usize, CellAt),
    /// A cell of the result of a call, by its number and its computation.
    Result(u64, ComputationId, CellAt),
    /// It does not come from a cell.
    None,
}

/// Services of the evaluator for an op that may wait.
pub trait SuspendingRun: Run + Environment {
    /// Runs a computation. `nth` numbers the calls of one execution of this instruction; repeated executions must use
    /// the same numbers.
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

    /// Sends a request to the host or to other devices, and returns the response.
    fn request<'a>(&'a mut self, request: Request<'a>) -> OpFuture<'a, Data>;

    /// Evaluates other semantics, whose result has this shape.
    fn evaluate_semantics<'a>(
        &'a mut self,
        semantics: &'a Semantics,
        shape: &'a Shape,
        operands: &'a [Data],
    ) -> OpFuture<'a, Data>;

    /// The cells of the operands that a cell of the result of other semantics came from.
    fn trace_semantics<'a>(
        &'a mut self,
        semantics: &'a Semantics,
        shape: &'a Shape,
        operands: &'a [Data],
        cell: &'a CellAt,
    ) -> OpFuture<'a, Vec<Source>>;

    /// Adds a source cell on another device: a cell of an operand of this instruction there. `member` is the device's
    /// position among those of the last rendezvous.
    fn add_remote_source(&mut self, member: usize, source: Source);
}
