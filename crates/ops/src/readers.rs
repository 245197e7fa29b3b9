//! The readers of operands: [`Plain`] computes values and charges a budget, [`Recording`] records the source cells.

use super::attrs::ComputationId;
use super::body::Run;
use super::data::Data;
use super::error::OpError;
use super::provenance::{Applied, CellAt, Role, Source};
use super::read::{Read, Region};
use xla_array::Value;
use xla_messages::bug;

/// The budget and the observer of a run while cells are computed.
pub trait Meter {
    /// Charges steps to the budget; `budget-steps` if it is exceeded, `cancelled` if the run is.
    fn spend(&mut self, steps: u64) -> Result<(), OpError>;

    /// Reports how many cells of the current value are computed.
    fn report_progress(&mut self, _cells: u64) {}

    /// Whether each application of a called computation is reported.
    fn is_observed(&self) -> bool {
        false
    }

    /// Reports a call of a computation; `cancelled` if the run is.
    fn applied(&mut self, _: ComputationId, _: &[Value], _: &[Value]) -> Result<(), OpError> {
        Ok(())
    }
}

/// Charges the reads of an op that is evaluated as a whole to the budget of its run.
pub struct Charged<'a>(pub &'a mut dyn Run);

impl Meter for Charged<'_> {
    fn spend(&mut self, steps: u64) -> Result<(), OpError> {
        self.0.spend(steps)
    }
}

/// Steps from one check of the budget to the next: some milliseconds.
const CHECK_INTERVAL_STEPS: u64 = 1 << 14;

/// Reads operands and counts the reads.
pub struct Plain<'a> {
    operands: &'a [Data],
    /// Cells read so far, and other steps.
    pub reads: u64,
    /// Cells of the result that are done.
    cells: u64,
    /// The steps that writing a cell of the result takes.
    cell_cost: u64,
    /// The steps in excess of one for reading an element of each operand; empty if there are none.
    surcharges: Vec<u64>,
    meter: Option<&'a mut dyn Meter>,
    is_observed: bool,
    /// The steps charged so far, and when the next check is due.
    charged: u64,
    due: u64,
    stopped: Option<OpError>,
}

impl<'a> Plain<'a> {
    /// A reader without a budget.
    pub fn new(operands: &'a [Data]) -> Self {
        Self {
            operands,
            reads: 0,
            cells: 0,
            cell_cost: 1,
            surcharges: Vec::new(),
            meter: None,
            is_observed: false,
            charged: 0,
            due: u64::MAX,
            stopped: None,
        }
    }

    /// A reader that charges every read to a budget.
    pub fn metered(operands: &'a [Data], meter: &'a mut dyn Meter) -> Self {
        let is_observed = meter.is_observed();
        // Tuples are not read by index.
        let surcharge = |data: &Data| data.as_array().map_or(0, |array| array.map().slot_cost() - 1);
        let is_plain = operands.iter().all(|data| surcharge(data) == 0);
        let surcharges = if is_plain { Vec::new() } else { operands.iter().map(surcharge).collect() };
        Self { meter: Some(meter), is_observed, due: CHECK_INTERVAL_STEPS, surcharges, ..Self::new(operands) }
    }

    /// Sets the steps that writing a cell of the result takes, instead of one.
    #[must_use]
    pub fn writing(mut self, cell_cost: u64) -> Self {
        self.cell_cost = cell_cost;
        self
    }

    /// Finishes an output element; an error stops the run.
    pub fn finish_cell(&mut self) -> Result<(), OpError> {
        self.reads = self.reads.saturating_add(self.cell_cost);
        self.cells += 1;
        if self.reads < self.due { Ok(()) } else { self.charge() }
    }

    /// Charges the reads since the last charge; errors as [`Plain::finish_cell`].
    pub fn charge(&mut self) -> Result<(), OpError> {
        if let Some(error) = &self.stopped {
            return Err(error.clone());
        }
        let spent = self.reads - self.charged;
        self.charged = self.reads;
        self.due = self.reads.saturating_add(CHECK_INTERVAL_STEPS);
        let Some(meter) = &mut self.meter else { return Ok(()) };
        meter.report_progress(self.cells);
        meter.spend(spent).inspect_err(|error| {
            self.stopped = Some(error.clone());
            self.due = 0;
        })
    }
}

impl Read for Plain<'_> {
    fn charge_steps(&mut self, steps: u64) -> bool {
        self.reads = self.reads.saturating_add(steps);
        self.reads < self.due || self.charge().is_ok()
    }

    fn apply(&mut self, region: &Region, arguments: &[Value], results: &mut [Value]) -> bool {
        region.run(arguments, results);
        if self.is_observed
            && self.stopped.is_none()
            && let Some(meter) = &mut self.meter
            && let Err(error) = meter.applied(region.computation(), arguments, results)
        {
            self.stopped = Some(error);
            self.due = 0;
        }
        self.charge_steps(region.cost())
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

/// Reads operands and records the source cells.
pub struct Recording<'a> {
    plain: Plain<'a>,
    sources: Vec<Source>,
    applied: Vec<Applied>,
    /// The number of sources that belong to recorded calls.
    claimed: usize,
    limit: usize,
}

impl<'a> Recording<'a> {
    /// A reader of these operands that notes the first `limit` reads.
    pub fn new(operands: &'a [Data], limit: usize) -> Self {
        Self { plain: Plain::new(operands), sources: Vec::new(), applied: Vec::new(), claimed: 0, limit }
    }

    /// The number of elements read, including those beyond the limit.
    pub fn reads(&self) -> u64 {
        self.plain.reads
    }

    /// The recorded sources, in the order of reads.
    pub fn into_sources(self) -> Vec<Source> {
        self.sources
    }

    /// The calls of computations, in their order.
    pub fn take_applied(&mut self) -> Vec<Applied> {
        std::mem::take(&mut self.applied)
    }
}

impl Read for Recording<'_> {
    fn charge_steps(&mut self, steps: u64) -> bool {
        // A trace that is too long is an error; reading on has no use.
        self.plain.charge_steps(steps) && self.plain.reads <= self.limit as u64
    }

    fn apply(&mut self, region: &Region, arguments: &[Value], results: &mut [Value]) -> bool {
        let sources = (self.claimed..self.sources.len()).collect();
        self.claimed = self.sources.len();
        region.run(arguments, results);
        if self.applied.len() < self.limit {
            let (computation, arguments) = (region.computation(), arguments.into());
            self.applied.push(Applied { sources, computation, arguments, results: (&*results).into() });
        }
        self.charge_steps(region.cost())
    }

    fn get(&mut self, operand: usize, index: &[i64], role: Role) -> Value {
        if self.sources.len() < self.limit {
            self.sources.push(Source { operand, cell: CellAt::array(index), role });
        }
        self.plain.get(operand, index, role)
    }
}
