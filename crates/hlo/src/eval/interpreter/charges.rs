//! Charges to the budget for bindings, results and changes of layout.

use std::borrow::Cow;

use super::{Interpreter, literal_error, no_value};
use crate::eval::memory::INSTRUCTION_BYTES;
use crate::eval::regions;
use crate::eval::values::{EvalError, Values};
use crate::module::Instruction;
use xla_array::literal::LiteralTemplate;
use xla_array::{ArrayLiteral, ArrayShape, Literal, Shape, Value};
use xla_ops::readers::{Meter as _, ValueReader};
use xla_ops::{Category, Data, OpDef, OpError, RandomPosition, Run, ScalarCall, Semantics};

/// Tuples of at most this many leaves cost nothing in addition to the step of their instruction.
const MAX_UNCHARGED_LEAVES: usize = 64;

impl Interpreter<'_> {
    /// Runs the entry computation and returns its value.
    pub async fn value_of_entry(&mut self, arguments: Cow<'_, [Literal]>) -> Result<Literal, EvalError> {
        let values = self.run_entry(arguments).await?;
        self.result(values)
    }

    /// The value of the root, in the layout of the entry computation's interface. Drops the other values first.
    pub fn result(&mut self, values: Values) -> Result<Literal, EvalError> {
        let root = self.program.module.entry_computation().and_then(|entry| values.get(entry.root?)).cloned();
        drop(values);
        let mut result = root.ok_or_else(|| self.located(no_value()))?;
        if let Some(interface) = self.program.module.interface() {
            let relayout = self.relayout("copy", &result, &interface.result);
            result = relayout.map_err(|error| self.located(error))?;
        }
        // Arrays that are shared are copied, the others moved.
        self.reserve_for_run(result.shared_bytes()).map_err(|error| self.located(error))?;
        Ok(result.into_literal())
    }

    /// Reserves bytes of the memory budget until the run ends.
    pub(super) fn reserve_for_run(&mut self, bytes: u64) -> Result<(), OpError> {
        let opcode = self.opcode();
        self.budget.reserve_for_run(bytes, opcode)
    }

    /// Converts a value to the layouts of a shape and charges the copy.
    pub(super) fn relayout(&mut self, op: &'static str, data: &Data, shape: &Shape) -> Result<Data, OpError> {
        let leaves = if shape.as_tuple().is_some() { shape.leaves() } else { 0 };
        self.spend(leaves.saturating_sub(MAX_UNCHARGED_LEAVES) as u64)?;
        let (cells, bytes) = data.relayout_cost(shape);
        if cells > 0 {
            self.reserve_bytes(bytes)?;
            self.spend(cells)?;
        }
        data.relayout_to(shape).map_err(|e| literal_error(op, e))
    }

    /// Charges the binding of an instruction.
    pub(super) fn charge_semantics(
        &mut self,
        instruction: &Instruction,
        semantics: &Semantics,
    ) -> Result<(), OpError> {
        match semantics {
            Semantics::Constant(data) => {
                self.budget.memory.track(data);
                self.budget.claim(0, self.opcode())
            }
            // The called computations are bound when they first run.
            Semantics::Suspending(_) | Semantics::Parameter(_) => Ok(()),
            Semantics::PerElement(_) | Semantics::PerElementTuple(_) | Semantics::Eager(_) => {
                let module = self.program.module;
                let costs = instruction.attrs.computations().map(|id| regions::step_count(module, id));
                let cost: u64 = costs.sum();
                self.budget.meter.spend(cost)?;
                self.reserve_for_run(cost.saturating_mul(INSTRUCTION_BYTES))
            }
        }
    }

    /// Charges an eager op: memory for the result, steps for the tiles of its operands.
    pub(super) fn charge_eager(
        &mut self,
        op: &dyn OpDef,
        shape: &Shape,
        operands: &[Data],
    ) -> Result<(), OpError> {
        if matches!(op.meta().category, Category::Control | Category::Tuple) {
            return Ok(());
        }
        let mut steps = 0_u64;
        for array in operands.iter().filter_map(Data::as_array) {
            let surcharge = array.memory_map().slot_cost() - 1;
            steps =
                steps.saturating_add(surcharge.saturating_mul(array.memory_map().elements().unsigned_abs()));
        }
        self.spend(steps)?;
        let results = match shape {
            Shape::Tuple(elements) => elements,
            other => std::slice::from_ref(other),
        };
        for result in results.iter().filter_map(Shape::as_array) {
            let template =
                LiteralTemplate::new(result.clone()).map_err(|e| literal_error(self.opcode(), e))?;
            self.reserve_bytes(template.held_bytes())?;
        }
        Ok(())
    }
}

impl Run for Interpreter<'_> {
    fn draw(&mut self) -> (u64, u64) {
        self.random.draw()
    }

    fn advance(&mut self, delta: u64) -> u128 {
        self.random.advance(delta)
    }

    fn random_position(&self) -> RandomPosition {
        self.random.position
    }

    fn report_scalar_calls(&mut self, calls: Vec<ScalarCall>) {
        self.trace.scalar_calls = calls;
    }

    fn rewind(&mut self, to: RandomPosition) {
        self.random.position = to;
    }

    fn spend(&mut self, steps: u64) -> Result<(), OpError> {
        self.budget.meter.spend(steps)
    }

    fn check_budget(&self, steps: u64) -> Result<(), OpError> {
        self.budget.meter.check_budget(steps)
    }

    fn reserve_bytes(&mut self, bytes: u64) -> Result<(), OpError> {
        let opcode = self.opcode();
        self.budget.reserve(bytes, opcode)
    }

    fn compute_elements(
        &mut self,
        shapes: &[&ArrayShape],
        operands: &[Data],
        semantics: &xla_ops::read::ElementTupleFn,
    ) -> Result<Vec<ArrayLiteral>, OpError> {
        let run = |out: &[i64], read: &mut ValueReader, results: &mut [Value]| semantics(out, read, results);
        self.compute_arrays(shapes, operands, &run)
    }
}
