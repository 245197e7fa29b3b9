//! The readers of operands: [`ValueReader`] returns values and charges a budget, [`SourceRecorder`] also records the
//! source cells.

use super::attrs::ComputationId;
use super::data::Data;
use super::error::OpError;
use super::provenance::{CellAt, Role, ScalarCall, Source};
use super::read::{Read, Region};
use super::semantics::Run;
use xla_array::Value;
use xla_messages::bug;

/// The budget and the observer of a run, as used by the computation of cells.
pub trait Meter {
    /// Charges steps to the budget; `budget-steps` if it is exceeded, `cancelled` if the run is.
    fn spend(&mut self, steps: u64) -> Result<(), OpError>;

    /// Sets the number of computed cells of the current value, for the next progress report.
    fn set_computed_cells(&mut self, _cells: u64) {}

    /// Whether each call of a computation is reported.
    fn reports_calls(&self) -> bool {
        false
    }

    /// Reports a call of a computation; `cancelled` if the run is.
    fn report_call(&mut self, _: ComputationId, _: &[Value], _: &[Value]) -> Result<(), OpError> {
        Ok(())
    }
}

/// A meter that charges to the budget of a run, for eager ops.
pub struct RunMeter<'a>(pub &'a mut dyn Run);

impl Meter for RunMeter<'_> {
    fn spend(&mut self, steps: u64) -> Result<(), OpError> {
        self.0.spend(steps)
    }
}

/// Evaluator steps between two checks of the budget: a few milliseconds.
const CHECK_INTERVAL_STEPS: u64 = 1 << 14;

/// Reads operands, and charges the reads to a budget.
pub struct ValueReader<'a> {
    operands: &'a [Data],
    /// The cost so far in evaluator steps: reads, and the steps of called computations.
    steps: u64,
    /// Cells of the result that are computed.
    cells: u64,
    /// The cost of writing a cell of the result, in steps.
    cell_cost: u64,
    /// Per operand, the cost of reading an element in addition to one step; empty if all are 0.
    surcharges: Vec<u64>,
    meter: Option<&'a mut dyn Meter>,
    reports_calls: bool,
    /// The steps charged so far.
    charged: u64,
    /// The value of `steps` at which the budget is checked next.
    next_check: u64,
    stop_error: Option<OpError>,
}

impl<'a> ValueReader<'a> {
    /// A reader without a budget.
    pub fn new(operands: &'a [Data]) -> Self {
        Self {
            operands,
            steps: 0,
            cells: 0,
            cell_cost: 1,
            surcharges: Vec::new(),
            meter: None,
            reports_calls: false,
            charged: 0,
            next_check: u64::MAX,
            stop_error: None,
        }
    }

    /// A reader that charges every read to a budget.
    pub fn metered(operands: &'a [Data], meter: &'a mut dyn Meter) -> Self {
        let reports_calls = meter.reports_calls();
        // Tuples are not read by index.
        let surcharge = |data: &Data| data.as_array().map_or(0, |array| array.memory_map().slot_cost() - 1);
        let has_no_surcharge = operands.iter().all(|data| surcharge(data) == 0);
        let surcharges = if has_no_surcharge { Vec::new() } else { operands.iter().map(surcharge).collect() };
        Self {
            meter: Some(meter),
            reports_calls,
            next_check: CHECK_INTERVAL_STEPS,
            surcharges,
            ..Self::new(operands)
        }
    }

    /// Sets the cost of writing a cell of the result, instead of one step.
    #[must_use]
    pub fn with_cell_cost(mut self, cell_cost: u64) -> Self {
        self.cell_cost = cell_cost;
        self
    }

    /// Counts a computed cell of the result and charges its cost; an error stops the run.
    pub fn count_cell(&mut self) -> Result<(), OpError> {
        self.steps = self.steps.saturating_add(self.cell_cost);
        self.cells += 1;
        if self.steps < self.next_check { Ok(()) } else { self.charge_pending() }
    }

    /// Charges the steps that are not charged yet; errors as [`ValueReader::count_cell`].
    pub fn charge_pending(&mut self) -> Result<(), OpError> {
        if let Some(error) = &self.stop_error {
            return Err(error.clone());
        }
        let spent = self.steps - self.charged;
        self.charged = self.steps;
        self.next_check = self.steps.saturating_add(CHECK_INTERVAL_STEPS);
        let Some(meter) = &mut self.meter else { return Ok(()) };
        meter.set_computed_cells(self.cells);
        meter.spend(spent).inspect_err(|error| {
            self.stop_error = Some(error.clone());
            self.next_check = 0;
        })
    }
}

impl Read for ValueReader<'_> {
    fn charge_steps(&mut self, steps: u64) -> bool {
        self.steps = self.steps.saturating_add(steps);
        self.steps < self.next_check || self.charge_pending().is_ok()
    }

    fn apply(&mut self, region: &Region, arguments: &[Value], results: &mut [Value]) -> bool {
        region.run(arguments, results);
        if self.reports_calls
            && self.stop_error.is_none()
            && let Some(meter) = &mut self.meter
            && let Err(error) = meter.report_call(region.computation(), arguments, results)
        {
            self.stop_error = Some(error);
            self.next_check = 0;
        }
        self.charge_steps(region.cost())
    }

    fn get(&mut self, operand: usize, index: &[i64], _: Role) -> Value {
        self.steps += 1;
        if let Some(surcharge) = self.surcharges.get(operand) {
            self.steps += surcharge;
        }
        let value = self.operands.get(operand).and_then(Data::as_array).and_then(|array| array.get(index));
        value.unwrap_or_else(|| {
            bug!("operand {operand} has no cell {index:?}");
            Value::Int(0)
        })
    }
}

/// Bound on the source cells that an op records or lists for one cell of its result, and on the evaluator steps that it takes for them.
pub(super) const MAX_TRACED_CELLS: usize = 1 << 20;

/// Reads operands and records the source cells.
pub struct SourceRecorder<'a> {
    reader: ValueReader<'a>,
    sources: Vec<Source>,
    scalar_calls: Vec<ScalarCall>,
    /// The number of sources that belong to recorded calls.
    sources_of_calls: usize,
    limit: usize,
}

impl<'a> SourceRecorder<'a> {
    /// A recorder that records at most the first `limit` reads of these operands.
    pub fn new(operands: &'a [Data], limit: usize) -> Self {
        Self {
            reader: ValueReader::new(operands),
            sources: Vec::new(),
            scalar_calls: Vec::new(),
            sources_of_calls: 0,
            limit,
        }
    }

    /// The cost so far in evaluator steps, including those of reads beyond the limit.
    pub fn steps(&self) -> u64 {
        self.reader.steps
    }

    /// The recorded sources, in the order of reads.
    pub fn into_sources(self) -> Vec<Source> {
        self.sources
    }

    /// The calls of computations, in order.
    pub fn take_scalar_calls(&mut self) -> Vec<ScalarCall> {
        std::mem::take(&mut self.scalar_calls)
    }
}

impl Read for SourceRecorder<'_> {
    fn charge_steps(&mut self, steps: u64) -> bool {
        // A trace beyond the limit is an error, so the semantics may stop.
        self.reader.charge_steps(steps) && self.reader.steps <= self.limit as u64
    }

    fn apply(&mut self, region: &Region, arguments: &[Value], results: &mut [Value]) -> bool {
        let sources = (self.sources_of_calls..self.sources.len()).collect();
        self.sources_of_calls = self.sources.len();
        region.run(arguments, results);
        if self.scalar_calls.len() < self.limit {
            let (computation, arguments) = (region.computation(), arguments.into());
            self.scalar_calls.push(ScalarCall {
                sources,
                computation,
                arguments,
                results: (&*results).into(),
            });
        }
        self.charge_steps(region.cost())
    }

    fn get(&mut self, operand: usize, index: &[i64], role: Role) -> Value {
        if self.sources.len() < self.limit {
            self.sources.push(Source { operand, cell: CellAt::array(index), role });
        }
        self.reader.get(operand, index, role)
    }
}
