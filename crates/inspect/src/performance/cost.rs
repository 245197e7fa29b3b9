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

/// The number of iterations for which a loop is charged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Iterations {
    /// One, as in XLA.
    One,
    /// The trip count if it is known, else one.
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
            let instruction_costs: Vec<Cost> =
                computation.iter().map(|(at, instruction)| cx.instruction(at, instruction)).collect();
            let sum = instruction_costs.iter().fold(Cost::default(), |sum, cost| sum.plus(*cost));
            costs.instructions.push(instruction_costs);
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

/// The inputs of the cost of an instruction.
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
    /// The cost of the computation in an attribute.
    fn called_cost(&self, instruction: &Instruction, attribute: &str) -> Cost {
        match instruction.attrs.get(attribute) {
            Some(AttrValue::Computation(id)) => self.costs.computation(*id),
            _ => Cost::default(),
        }
    }

    /// The cost of a control-flow instruction, which includes the memory traffic of the called computations; `None` for others.
    fn control_flow_cost(&self, at: InstructionId, instruction: &Instruction) -> Option<Cost> {
        Some(match instruction.opcode.as_str() {
            "call" => self.called_cost(instruction, "to_apply"),
            "async-start" => self.called_cost(instruction, "calls"),
            "while" => {
                let iteration =
                    self.called_cost(instruction, "body").plus(self.called_cost(instruction, "condition"));
                if self.iterations == Iterations::One {
                    return Some(iteration);
                }
                match trip_count::trip_count(self.module, (self.id, at)) {
                    Some(count) => self
                        .called_cost(instruction, "body")
                        .times(count)
                        .plus(self.called_cost(instruction, "condition").times(count.saturating_add(1))),
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
        if let Some(cost) = self.control_flow_cost(at, instruction) {
            return cost;
        }
        let (read, written) = traffic::read_and_written(self.module, self.sizes, self.id, at, instruction);
        let traffic = Cost { bytes_read: read, bytes_written: written, ..Cost::default() };
        let work = match synchronous_opcode(&instruction.opcode) {
            "fusion" => self.called_cost(instruction, "calls").without_traffic(),
            "custom-call" => Cost { unknown: 1, ..Cost::default() },
            _ if instruction.opcode.ends_with("-done") || instruction.opcode.ends_with("-update") => {
                Cost::default()
            }
            _ => work::operation_cost(self.computation, instruction, &|attribute| {
                self.called_cost(instruction, attribute).without_traffic()
            }),
        };
        work.plus(traffic)
    }
}
