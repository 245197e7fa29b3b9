//! How an op sees its operands: one cell at a time, through [`Read`].
//!
//! Invariant: an op's body reads nothing in any other way. Run with [`Plain`] it is the reference evaluator, run
//! with [`Recording`] the very same body tells where its result came from; number and arrows cannot disagree.

use smallvec::SmallVec;

use super::ComputationId;
use super::data::Data;
use super::error::OpError;
use super::region::Region;
use xla_array::{Dims, Value};
use xla_messages::bug;
use xla_messages::bug::OrBug;

/// What a cell that is read means for the result; it gives an arrow its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The value itself, moved or computed with.
    Value,
    /// What stands where there is no element: padding.
    Fill,
    /// Left factor.
    Lhs,
    /// Right factor.
    Rhs,
    /// Says which cells are read.
    Start,
    /// Replaces a cell.
    Update,
    /// Where a fold begins.
    Init,
    /// Says which of several values is taken.
    Choice,
}

/// Reads cells of operands.
pub trait Read {
    /// Element `index` of operand `operand`, which is an array. Outside of it, which no body reads, zero.
    fn get(&mut self, operand: usize, index: &[i64], role: Role) -> Value;

    /// Counts steps that were taken beside reading. Says whether to go on: after `false` the value will not be used,
    /// and a long loop should end. A loop that takes no steps of its own asks with 0 every few thousand rounds.
    fn took(&mut self, _steps: u64) -> bool {
        true
    }

    /// Runs a called computation on scalars and counts its steps; whoever watches the run sees it. Says whether to go
    /// on, as [`Read::took`].
    fn apply(&mut self, region: &Region, arguments: &[Value], results: &mut [Value]) -> bool {
        region.run(arguments, results);
        self.took(region.cost())
    }
}

/// A cell of a value: the way through its tuples, and the index in the array there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CellAt {
    /// Tuple indices, the outermost first.
    pub path: SmallVec<[usize; 2]>,
    /// The index in the array.
    pub index: Dims,
}

impl CellAt {
    /// A cell of an array that is in no tuple.
    pub fn array(index: &[i64]) -> Self {
        Self { path: SmallVec::new(), index: index.into() }
    }

    /// The cell of the tuple of which this is in element `i`.
    #[must_use]
    pub fn within(&self, i: usize) -> Self {
        let mut path = SmallVec::from_slice(&[i]);
        path.extend_from_slice(&self.path);
        Self { path, index: self.index.clone() }
    }
}

/// A cell that a result came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The number of the operand.
    pub operand: usize,
    /// The cell of it.
    pub cell: CellAt,
    /// What it means for the result.
    pub role: Role,
}

/// A computation that was called on elements while one output cell was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// What was read for it: places in the list of the cell's sources.
    pub sources: SmallVec<[usize; 2]>,
    /// The computation.
    pub computation: ComputationId,
    /// Its arguments, scalars.
    pub arguments: SmallVec<[Value; 2]>,
    /// Its results.
    pub results: SmallVec<[Value; 2]>,
}

/// Keeps the budget of a run while cells are computed, and lets whoever watches it look on.
pub trait Meter {
    /// Takes steps out of the budget. Errors: `budget-steps` when it is used up, `cancelled`.
    fn spend(&mut self, steps: u64) -> Result<(), OpError>;

    /// Tells how many cells of the value that is being computed are done.
    fn reached(&mut self, _cells: u64) {}

    /// Whether each application of a called computation is to be told.
    fn watches(&self) -> bool {
        false
    }

    /// Tells of one. Errors: `cancelled`.
    fn applied(&mut self, _: ComputationId, _: &[Value], _: &[Value]) -> Result<(), OpError> {
        Ok(())
    }
}

/// Takes what is read within an op that is evaluated whole out of the budget of its run.
pub struct Charged<'a>(pub &'a mut dyn super::Run);

impl Meter for Charged<'_> {
    fn spend(&mut self, steps: u64) -> Result<(), OpError> {
        self.0.spend(steps)
    }
}

/// Steps from one look at the budget to the next: some milliseconds.
const INTERVAL: u64 = 1 << 14;

/// Reads operands as they are, and counts.
pub struct Plain<'a> {
    operands: &'a [Data],
    /// Cells read so far, and other steps.
    pub reads: u64,
    /// Cells of the result that are done.
    cells: u64,
    /// The steps that writing a cell of the result takes.
    cell_cost: u64,
    /// The steps that reading a cell of each operand takes beyond one; empty where it is one for all.
    surcharges: Vec<u64>,
    meter: Option<&'a mut dyn Meter>,
    is_watched: bool,
    /// How many of the reads are out of the budget already, and when it is looked at again.
    settled: u64,
    due: u64,
    stopped: Option<OpError>,
}

impl<'a> Plain<'a> {
    /// A reader of these operands that nothing stops.
    pub fn new(operands: &'a [Data]) -> Self {
        Self {
            operands,
            reads: 0,
            cells: 0,
            cell_cost: 1,
            surcharges: Vec::new(),
            meter: None,
            is_watched: false,
            settled: 0,
            due: u64::MAX,
            stopped: None,
        }
    }

    /// A reader of these operands that takes every read out of a budget.
    pub fn metered(operands: &'a [Data], meter: &'a mut dyn Meter) -> Self {
        let is_watched = meter.watches();
        let surcharge = |data: &Data| data.as_array().map_or(0, |array| array.map().slot_cost() - 1);
        let is_plain = operands.iter().all(|data| surcharge(data) == 0);
        let surcharges = if is_plain { Vec::new() } else { operands.iter().map(surcharge).collect() };
        Self { meter: Some(meter), is_watched, due: INTERVAL, surcharges, ..Self::new(operands) }
    }

    /// With so many steps for writing a cell of the result, instead of one.
    #[must_use]
    pub fn writing(mut self, cell_cost: u64) -> Self {
        self.cell_cost = cell_cost;
        self
    }

    /// Ends a cell. Errors: why the run is to stop.
    pub fn end_cell(&mut self) -> Result<(), OpError> {
        self.reads = self.reads.saturating_add(self.cell_cost);
        self.cells += 1;
        if self.reads < self.due { Ok(()) } else { self.settle() }
    }

    /// Takes what was read out of the budget. Errors: as [`Plain::end_cell`].
    pub fn settle(&mut self) -> Result<(), OpError> {
        if let Some(error) = &self.stopped {
            return Err(error.clone());
        }
        let spent = self.reads - self.settled;
        self.settled = self.reads;
        self.due = self.reads.saturating_add(INTERVAL);
        let Some(meter) = &mut self.meter else { return Ok(()) };
        meter.reached(self.cells);
        meter.spend(spent).inspect_err(|error| {
            self.stopped = Some(error.clone());
            self.due = 0;
        })
    }
}

impl Read for Plain<'_> {
    fn took(&mut self, steps: u64) -> bool {
        self.reads = self.reads.saturating_add(steps);
        self.reads < self.due || self.settle().is_ok()
    }

    fn apply(&mut self, region: &Region, arguments: &[Value], results: &mut [Value]) -> bool {
        region.run(arguments, results);
        if self.is_watched
            && self.stopped.is_none()
            && let Some(meter) = &mut self.meter
            && let Err(error) = meter.applied(region.computation(), arguments, results)
        {
            self.stopped = Some(error);
            self.due = 0;
        }
        self.took(region.cost())
    }

    fn get(&mut self, operand: usize, index: &[i64], _: Role) -> Value {
        self.reads += 1;
        if let Some(surcharge) = self.surcharges.get(operand) {
            self.reads += surcharge;
        }
        let value = self.operands.get(operand).and_then(Data::as_array).and_then(|array| array.get(index));
        value.unwrap_or_else(|| {
            bug!("operand {operand} has no cell {index:?}");
            Value::Int(0)
        })
    }
}

/// Reads operands and notes each cell that was read.
pub struct Recording<'a> {
    plain: Plain<'a>,
    sources: Vec<Source>,
    applied: Vec<Applied>,
    /// How many of the sources belong to applications that are noted.
    claimed: usize,
    limit: usize,
}

impl<'a> Recording<'a> {
    /// A reader of these operands that notes the first `limit` reads.
    pub fn new(operands: &'a [Data], limit: usize) -> Self {
        Self { plain: Plain::new(operands), sources: Vec::new(), applied: Vec::new(), claimed: 0, limit }
    }

    /// How many cells were read, those past the limit included.
    pub fn reads(&self) -> u64 {
        self.plain.reads
    }

    /// What was noted, in the order it was read.
    pub fn into_sources(self) -> Vec<Source> {
        self.sources
    }

    /// The calls of computations, in their order.
    pub fn take_applied(&mut self) -> Vec<Applied> {
        std::mem::take(&mut self.applied)
    }
}

impl Read for Recording<'_> {
    fn took(&mut self, steps: u64) -> bool {
        // A trace that is too long is told; there is no use in reading on.
        self.plain.took(steps) && self.plain.reads <= self.limit as u64
    }

    fn apply(&mut self, region: &Region, arguments: &[Value], results: &mut [Value]) -> bool {
        let sources = (self.claimed..self.sources.len()).collect();
        self.claimed = self.sources.len();
        region.run(arguments, results);
        if self.applied.len() < self.limit {
            let (computation, arguments) = (region.computation(), arguments.into());
            self.applied.push(Applied { sources, computation, arguments, results: (&*results).into() });
        }
        self.took(region.cost())
    }

    fn get(&mut self, operand: usize, index: &[i64], role: Role) -> Value {
        if self.sources.len() < self.limit {
            self.sources.push(Source { operand, cell: CellAt::array(index), role });
        }
        self.plain.get(operand, index, role)
    }
}

/// Scalars in a row, as the operands of an instruction of a [`Region`](super::region::Region).
pub(super) struct Scalars<'a> {
    pub values: &'a [Value],
    pub operands: &'a [u32],
}

impl Read for Scalars<'_> {
    fn get(&mut self, operand: usize, _: &[i64], _: Role) -> Value {
        let slot = self.operands.get(operand).and_then(|slot| usize::try_from(*slot).ok());
        slot.and_then(|slot| self.values.get(slot)).copied().or_bug(Value::Int(0), "no such scalar")
    }
}
