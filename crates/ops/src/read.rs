//! How an op sees its operands: one cell at a time, through [`Read`]; and the computations that it calls on scalars.
//!
//! Invariant: an op's body reads nothing in any other way. Run with [`Plain`](super::readers::Plain) it is the reference
//! evaluator, run with [`Recording`](super::readers::Recording) the very same body tells where its result came from;
//! number and arrows cannot disagree.
//!
//! A called computation is compiled once to a [`Region`], a list of steps that each push one scalar, and run once a
//! cell. It is made of the same bodies that evaluate whole arrays ([`super::Body::Cell`]), so there is no second meaning
//! of any op. A body calls regions and a region runs bodies, which is why both are here.

use smallvec::SmallVec;

use super::attrs::ComputationId;
use super::provenance::Role;
use xla_array::Value;
use xla_messages::bug::OrBug;

/// The body of one output cell: its index and the operands give its value.
pub type CellFn = Box<dyn Fn(&[i64], &mut dyn Read) -> Value + Send + Sync>;

/// The body of one output cell of every element of a tuple at once.
pub type CellsFn = Box<dyn Fn(&[i64], &mut dyn Read, &mut [Value]) + Send + Sync>;

/// Reads cells of operands.
pub trait Read {
    /// Element `index` of operand `operand`, which is an array. Outside of it, which no body reads, zero.
    fn get(&mut self, operand: usize, index: &[i64], role: Role) -> Value;

    /// Charges steps beside reads. Returns whether to go on: after `false` the value is not used, and a long loop
    /// should end. A loop without steps of its own charges 0 every few thousand iterations.
    fn charge_steps(&mut self, _steps: u64) -> bool {
        true
    }

    /// Runs a called computation on scalars, charges its steps and reports the application to the observer. Returns
    /// whether to go on, as [`Read::charge_steps`].
    fn apply(&mut self, region: &Region, arguments: &[Value], results: &mut [Value]) -> bool {
        region.run(arguments, results);
        self.charge_steps(region.cost())
    }
}

/// A computation whose parameters and values are all scalars; its result is one of them or a tuple of some.
pub struct Region {
    steps: Vec<Step>,
    results: SmallVec<[u32; 2]>,
    cost: u64,
    computation: ComputationId,
}

enum Step {
    Parameter(usize),
    Constant(Value),
    Cell { body: CellFn, operands: SmallVec<[u32; 3]> },
}

impl Region {
    /// An empty region of a computation whose run costs `cost` steps; add the steps in order, then
    /// [`Region::returns`].
    pub fn new(computation: ComputationId, cost: u64) -> Self {
        Self { steps: Vec::new(), results: SmallVec::new(), cost, computation }
    }

    fn push(&mut self, step: Step) -> u32 {
        self.steps.push(step);
        // More steps than fit are more than any text holds.
        u32::try_from(self.steps.len() - 1).unwrap_or(u32::MAX)
    }

    /// Adds the value of a parameter; gives its number, as all of these.
    pub fn parameter(&mut self, number: usize) -> u32 {
        self.push(Step::Parameter(number))
    }

    /// Adds a constant.
    pub fn constant(&mut self, value: Value) -> u32 {
        self.push(Step::Constant(value))
    }

    /// Adds an op on scalars.
    pub fn cell(&mut self, body: CellFn, operands: impl IntoIterator<Item = u32>) -> u32 {
        self.push(Step::Cell { body, operands: operands.into_iter().collect() })
    }

    /// Sets the steps that are the results.
    pub fn returns(&mut self, results: impl IntoIterator<Item = u32>) {
        self.results = results.into_iter().collect();
    }

    /// The steps of a run, those of the computations it calls included.
    pub fn cost(&self) -> u64 {
        self.cost
    }

    /// The computation it was made of.
    pub fn computation(&self) -> ComputationId {
        self.computation
    }

    /// The number of results: 1, or the size of the tuple.
    pub fn results(&self) -> usize {
        self.results.len()
    }

    /// The numbers of the parameters that a result may depend on, ascending.
    pub fn uses(&self, result: usize) -> Vec<usize> {
        let mut used = vec![false; self.steps.len()];
        let mut parameters = Vec::new();
        if let Some(step) = self.results.get(result).and_then(|slot| used.get_mut(*slot as usize)) {
            *step = true;
        }
        for (at, step) in self.steps.iter().enumerate().rev() {
            match step {
                Step::Parameter(number) if used[at] => parameters.push(*number),
                Step::Cell { operands, .. } if used[at] => {
                    for operand in operands {
                        used[*operand as usize] = true;
                    }
                }
                _ => {}
            }
        }
        parameters.sort_unstable();
        parameters.dedup();
        parameters
    }

    /// Runs it. `results` has as many entries as [`Region::results`].
    pub fn run(&self, arguments: &[Value], results: &mut [Value]) {
        let mut values: SmallVec<[Value; 16]> = SmallVec::new();
        for step in &self.steps {
            let value = match step {
                Step::Parameter(number) => {
                    arguments.get(*number).copied().or_bug(Value::Int(0), "an argument is missing")
                }
                Step::Constant(value) => *value,
                Step::Cell { body, operands } => body(&[], &mut Scalars { values: &values, operands }),
            };
            values.push(value);
        }
        for (result, slot) in results.iter_mut().zip(&self.results) {
            *result = usize::try_from(*slot)
                .ok()
                .and_then(|s| values.get(s))
                .copied()
                .or_bug(Value::Int(0), "a result is no step");
        }
    }

    /// Runs a region of one result.
    pub fn one(&self, arguments: &[Value]) -> Value {
        let mut result = [Value::Int(0)];
        self.run(arguments, &mut result);
        result[0]
    }
}

/// Scalars in a row, as the operands of an instruction of a [`Region`].
struct Scalars<'a> {
    values: &'a [Value],
    operands: &'a [u32],
}

impl Read for Scalars<'_> {
    fn get(&mut self, operand: usize, _: &[i64], _: Role) -> Value {
        let slot = self.operands.get(operand).and_then(|slot| usize::try_from(*slot).ok());
        slot.and_then(|slot| self.values.get(slot)).copied().or_bug(Value::Int(0), "no such scalar")
    }
}
