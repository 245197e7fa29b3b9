//! The cost of a module: arithmetic, transcendental functions and bytes of memory of every instruction, computation and loop.
//!
//! The definitions are those of XLA's `HloCostAnalysis`, so that the figures can be compared with `cost_analysis()` of
//! JAX. They differ in three ways: sizes include the padding by tiles; a custom call is counted as unknown, where XLA
//! subtracts 1 from each total; and with [`Iterations::Known`] the cost of a loop is multiplied by its trip count, where
//! XLA counts one iteration.

use super::bytes::Sizes;
pub use super::work::Cost;
use super::{computations, synchronous_opcode, traffic, trip_count, work};
use xla_hlo::{Computation, Instruction, InstructionId, Module};
use xla_ops::{AttrValue, ComputationId};

/// How often the body of a loop is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Iterations {
    /// Once, as XLA does.
    One,
    /// As often as it runs, if its trip count is known; else once.
    #[default]
    Known,
}

/// The costs of a module.
pub struct Costs {
    /// Per computation and instruction, the cost of one execution with the computations that it calls.
    instructions: Vec<Vec<Cost>>,
    /// Per computation, the cost of one execution.
    computations: Vec<Cost>,
    entry: Option<ComputationId>,
}

impl Costs {
    /// The costs of a module.
    pub fn of(module: &Module, iterations: Iterations) -> Self {
        Self::with_sizes(module, &Sizes::of(module), iterations)
    }

    /// The costs of a module whose sizes are known.
    pub fn with_sizes(module: &Module, sizes: &Sizes, iterations: Iterations) -> Self {
        let mut costs = Self { instructions: Vec::new(), computations: Vec::new(), entry: module.entry };
        for (id, computation) in computations(module) {
            let cx = Context { module, sizes, id, computation, costs: &costs, iterations };
            let of_instructions: Vec<Cost> =
                computation.iter().map(|(at, instruction)| cx.instruction(at, instruction)).collect();
            let sum = of_instructions.iter().fold(Cost::default(), |sum, cost| sum.plus(*cost));
            costs.instructions.push(of_instructions);
            costs.computations.push(sum);
        }
        costs
    }

    /// The cost of one execution of an instruction, with the computations that it calls.
    pub fn instruction(&self, computation: ComputationId, instruction: InstructionId) -> Cost {
        let costs = self.instructions.get(computation.0 as usize);
        costs.and_then(|costs| costs.get(instruction.index())).copied().unwrap_or_default()
    }

    /// The cost of one execution of a computation.
    pub fn computation(&self, id: ComputationId) -> Cost {
        self.computations.get(id.0 as usize).copied().unwrap_or_default()
    }

    /// The cost of the program.
    pub fn total(&self) -> Cost {
        self.entry.map(|entry| self.computation(entry)).unwrap_or_default()
    }
}

/// What the cost of an instruction depends on.
struct Context<'a> {
    module: &'a Module,
    sizes: &'a Sizes,
    id: ComputationId,
    computation: &'a Computation,
    /// The costs of the computations before this one.
    costs: &'a Costs,
    iterations: Iterations,
}

impl Context<'_> {
    /// The cost of a computation in an attribute.
    fn called(&self, instruction: &Instruction, attribute: &str) -> Cost {
        match instruction.attrs.get(attribute) {
            Some(AttrValue::Computation(id)) => self.costs.computation(*id),
            _ => Cost::default(),
        }
    }

    /// The cost of an instruction that calls other computations, which includes their memory traffic.
    fn control(&self, at: InstructionId, instruction: &Instruction) -> Option<Cost> {
        Some(match instruction.opcode.as_str() {
            "call" => self.called(instruction, "to_apply"),
            "async-start" => self.called(instruction, "calls"),
            "while" => {
                let iteration = self.called(instruction, "body").plus(self.called(instruction, "condition"));
                if self.iterations == Iterations::One {
                    return Some(iteration);
                }
                match trip_count::trip_count(self.module, (self.id, at)) {
                    Some(count) => self
                        .called(instruction, "body")
                        .times(count)
                        .plus(self.called(instruction, "condition").times(count.saturating_add(1))),
                    None => iteration.plus(Cost { unknown_loops: 1, ..Cost::default() }),
                }
            }
            "conditional" => instruction
                .attrs
                .computations()
                .fold(Cost::default(), |max, branch| max.max(self.costs.computation(branch))),
            _ => return None,
        })
    }

    fn instruction(&self, at: InstructionId, instruction: &Instruction) -> Cost {
        if let Some(cost) = self.control(at, instruction) {
            return cost;
        }
        let (read, written) = traffic::of(self.module, self.sizes, self.id, at, instruction);
        let traffic = Cost { bytes_read: read, bytes_written: written, ..Cost::default() };
        let work = match synchronous_opcode(&instruction.opcode) {
            "fusion" => self.called(instruction, "calls").without_traffic(),
            "custom-call" => Cost { unknown: 1, ..Cost::default() },
            _ if instruction.opcode.ends_with("-done") || instruction.opcode.ends_with("-update") => {
                Cost::default()
            }
            _ => work::of(self.computation, instruction, &|attribute| {
                self.called(instruction, attribute).without_traffic()
            }),
        };
        work.plus(traffic)
    }
}
