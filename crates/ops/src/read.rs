//! Access of an op's semantics to the elements of its operands, through [`Read`], and computations called on scalars.
//!
//! Invariant: an op's semantics read their operands only through [`Read`]. With [`ValueReader`](super::readers::ValueReader)
//! they are the reference evaluator; with [`SourceRecorder`](super::readers::SourceRecorder) the same semantics record
//! provenance, so that values and source cells cannot disagree.
//!
//! A called computation on scalars is compiled to a [`Region`], a list of instructions that each yield one scalar. They
//! run the same semantics as array instructions ([`super::Semantics::PerElement`]), so that every op is defined once.
//! Semantics call regions and a region runs semantics, so both are in this module.

use smallvec::SmallVec;

use super::attrs::ComputationId;
use super::provenance::Role;
use xla_array::Value;
use xla_messages::bug::OrBug;

/// Computes the output element at an index.
pub type ElementFn = Box<dyn Fn(&[i64], &mut dyn Read) -> Value + Send + Sync>;

/// Computes the elements at one index of all arrays of a tuple.
pub type ElementTupleFn = Box<dyn Fn(&[i64], &mut dyn Read, &mut [Value]) + Send + Sync>;

/// The placeholder in scratch buffers of values; overwritten before it is read.
pub(super) const UNSET: Value = Value::Int(0);

/// Reads elements of operands.
pub trait Read {
    /// The element at `index` of operand `operand`, an array. Semantics must not read out of bounds.
    fn get(&mut self, operand: usize, index: &[i64], role: Role) -> Value;

    /// Charges steps in addition to those of reads. Returns whether to continue: after `false` the result is not used,
    /// and a long loop should end. A loop without steps of its own charges 0 every few thousand iterations.
    fn charge_steps(&mut self, _steps: u64) -> bool {
        true
    }

    /// Runs a called computation on scalars, charges its steps and reports the call to the observer. Returns whether to
    /// continue, as [`Read::charge_steps`].
    fn apply(&mut self, region: &Region, arguments: &[Value], results: &mut [Value]) -> bool {
        region.run(arguments, results);
        self.charge_steps(region.cost())
    }
}

/// A compiled computation of scalars, whose result is a scalar or a tuple of scalars.
pub struct Region {
    steps: Vec<Step>,
    results: SmallVec<[u32; 2]>,
    cost: u64,
    computation: ComputationId,
}

enum Step {
    Parameter(usize),
    Constant(Value),
    Op { semantics: ElementFn, operands: SmallVec<[u32; 3]> },
}

impl Region {
    /// An empty region of a computation with a cost of `cost` evaluator steps per run; push its instructions in order,
    /// then call [`Region::set_results`].
    pub fn new(computation: ComputationId, cost: u64) -> Self {
        Self { steps: Vec::new(), results: SmallVec::new(), cost, computation }
    }

    fn push(&mut self, step: Step) -> u32 {
        self.steps.push(step);
        u32::try_from(self.steps.len() - 1).or_bug(u32::MAX, "a program has 2^32 instructions or more")
    }

    /// Pushes the value of a parameter. Returns the number of the instruction, as the other `push` methods.
    pub fn push_parameter(&mut self, number: usize) -> u32 {
        self.push(Step::Parameter(number))
    }

    /// Pushes a constant.
    pub fn push_constant(&mut self, value: Value) -> u32 {
        self.push(Step::Constant(value))
    }

    /// Pushes an op on the scalars of earlier instructions.
    pub fn push_op(&mut self, semantics: ElementFn, operands: impl IntoIterator<Item = u32>) -> u32 {
        self.push(Step::Op { semantics, operands: operands.into_iter().collect() })
    }

    /// Sets the instructions whose values are the results.
    pub fn set_results(&mut self, results: impl IntoIterator<Item = u32>) {
        self.results = results.into_iter().collect();
    }

    /// The cost of a run in evaluator steps, including the computations it calls.
    pub fn cost(&self) -> u64 {
        self.cost
    }

    /// The computation it was compiled from.
    pub fn computation(&self) -> ComputationId {
        self.computation
    }

    /// The number of results: 1, or the size of the tuple.
    pub fn result_count(&self) -> usize {
        self.results.len()
    }

    /// The numbers of the parameters that a result may depend on, ascending.
    pub fn parameters_of_result(&self, result: usize) -> Vec<usize> {
        let mut used = vec![false; self.steps.len()];
        let mut parameters = Vec::new();
        if let Some(step) = self.results.get(result).and_then(|slot| used.get_mut(*slot as usize)) {
            *step = true;
        }
        for (i, step) in self.steps.iter().enumerate().rev() {
            match step {
                Step::Parameter(number) if used[i] => parameters.push(*number),
                Step::Op { operands, .. } if used[i] => {
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

    /// Runs the computation. `results` has [`Region::result_count`] entries.
    pub fn run(&self, arguments: &[Value], results: &mut [Value]) {
        let mut values: SmallVec<[Value; 16]> = SmallVec::new();
        for step in &self.steps {
            let value = match step {
                Step::Parameter(number) => {
                    arguments.get(*number).copied().or_bug(UNSET, "an argument is missing")
                }
                Step::Constant(value) => *value,
                Step::Op { semantics, operands } => {
                    semantics(&[], &mut Scalars { values: &values, operands })
                }
            };
            values.push(value);
        }
        for (result, slot) in results.iter_mut().zip(&self.results) {
            *result = usize::try_from(*slot)
                .ok()
                .and_then(|s| values.get(s))
                .copied()
                .or_bug(UNSET, "a result is no step");
        }
    }

    /// Runs a computation with a scalar result.
    pub fn run_scalar(&self, arguments: &[Value]) -> Value {
        let mut result = [UNSET];
        self.run(arguments, &mut result);
        result[0]
    }
}

/// The operands of a step of a [`Region`].
struct Scalars<'a> {
    values: &'a [Value],
    operands: &'a [u32],
}

impl Read for Scalars<'_> {
    fn get(&mut self, operand: usize, _: &[i64], _: Role) -> Value {
        let slot = self.operands.get(operand).and_then(|slot| usize::try_from(*slot).ok());
        slot.and_then(|slot| self.values.get(slot)).copied().or_bug(UNSET, "no such scalar")
    }
}
