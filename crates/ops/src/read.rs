//! Access of an op's semantics to the elements of its operands, through [`Read`], and computations called on scalars.
//!
//! Invariant: an op's semantics read their operands only through [`Read`]. With
//! [`ValueReader`](super::readers::ValueReader) they are the reference evaluator; with
//! [`SourceRecorder`](super::readers::SourceRecorder) the same semantics record provenance, so that values and source
//! cells cannot disagree.
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
    /// and a long loop should end.
    fn charge_steps(&mut self, _steps: u64) -> bool {
        true
    }

    /// Whether a loop that only reads should continue; to be called every few thousand iterations. Charges the reads so
    /// far.
    fn should_continue(&mut self) -> bool {
        self.charge_steps(0)
    }

    /// Runs a called computation on scalars, charges its steps and reports the call to the observer. Returns whether to
    /// continue, as [`Read::charge_steps`] does.
    fn apply(&mut self, region: &Region, arguments: &[Value], results: &mut [Value]) -> bool {
        region.run(arguments, results);
        self.charge_steps(region.cost())
    }
}

/// A compiled computation of scalars, whose result is a scalar or a tuple of scalars.
pub struct Region {
    instructions: Vec<Inst>,
    results: SmallVec<[u32; 2]>,
    cost: u64,
    computation: ComputationId,
}

/// An instruction of a region, which yields one scalar.
enum Inst {
    Parameter(usize),
    Constant(Value),
    Op { semantics: ElementFn, operands: SmallVec<[u32; 3]> },
}

impl Region {
    /// An empty region of a computation with a cost of `cost` evaluator steps per run; push its instructions in order,
    /// then call [`Region::set_results`].
    pub fn new(computation: ComputationId, cost: u64) -> Self {
        Self { instructions: Vec::new(), results: SmallVec::new(), cost, computation }
    }

    fn push(&mut self, inst: Inst) -> u32 {
        self.instructions.push(inst);
        u32::try_from(self.instructions.len() - 1).or_bug(u32::MAX, "a region has 2^32 instructions or more")
    }

    /// Pushes the value of a parameter. Returns the index of the instruction, like the other `push` methods.
    pub fn push_parameter(&mut self, number: usize) -> u32 {
        self.push(Inst::Parameter(number))
    }

    /// Pushes a constant.
    pub fn push_constant(&mut self, value: Value) -> u32 {
        self.push(Inst::Constant(value))
    }

    /// Pushes an op on the scalars of earlier instructions.
    pub fn push_op(&mut self, semantics: ElementFn, operands: impl IntoIterator<Item = u32>) -> u32 {
        self.push(Inst::Op { semantics, operands: operands.into_iter().collect() })
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
        let mut used = vec![false; self.instructions.len()];
        let mut parameters = Vec::new();
        if let Some(is_used) = self.results.get(result).and_then(|number| used.get_mut(*number as usize)) {
            *is_used = true;
        }
        for (i, inst) in self.instructions.iter().enumerate().rev() {
            match inst {
                Inst::Parameter(number) if used[i] => parameters.push(*number),
                Inst::Op { operands, .. } if used[i] => {
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
        for inst in &self.instructions {
            let value = match inst {
                Inst::Parameter(number) => {
                    arguments.get(*number).copied().or_bug(UNSET, "an argument is missing")
                }
                Inst::Constant(value) => *value,
                Inst::Op { semantics, operands } => {
                    semantics(&[], &mut ScalarOperands { values: &values, operands })
                }
            };
            values.push(value);
        }
        for (result, number) in results.iter_mut().zip(&self.results) {
            *result = usize::try_from(*number)
                .ok()
                .and_then(|i| values.get(i))
                .copied()
                .or_bug(UNSET, "a result is not an instruction");
        }
    }

    /// Runs a computation with a scalar result.
    pub fn run_scalar(&self, arguments: &[Value]) -> Value {
        let mut result = [UNSET];
        self.run(arguments, &mut result);
        result[0]
    }
}

/// The operands of an instruction of a [`Region`].
struct ScalarOperands<'a> {
    values: &'a [Value],
    operands: &'a [u32],
}

impl Read for ScalarOperands<'_> {
    fn get(&mut self, operand: usize, _: &[i64], _: Role) -> Value {
        let number = self.operands.get(operand).and_then(|number| usize::try_from(*number).ok());
        number.and_then(|i| self.values.get(i)).copied().or_bug(UNSET, "no such scalar")
    }
}
