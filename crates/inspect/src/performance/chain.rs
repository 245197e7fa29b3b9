//! The causes of copies and transposes: for each, the chain back to the instruction that determines the layout it reads, and
//! the chain forward to the instruction that requires the layout it writes.

use std::collections::{BTreeSet, VecDeque};

use super::bytes::Sizes;
use super::movement::{FusedKinds, Movement, movement_with};
use super::roles::{ComputationRole, ComputationRoles};
use super::{InstructionRef, computations, instruction, synchronous_opcode, traffic};
use xla_hlo::{Computation, InstructionId, Module};
use xla_ops::{AttrValue, ComputationId};

/// The reason for a layout, at the last instruction of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A parameter of the program, by number: the caller determines its layout.
    EntryParameter(usize),
    /// The result of the program.
    EntryResult,
    /// The state of a loop has one layout in all iterations.
    LoopState,
    /// The branches of a conditional have one layout.
    Branch,
    /// A parameter or the result of a called computation.
    Call,
    /// A constant.
    Constant,
    /// The instruction reads this operand in the layout: `dot`, `convolution`, `custom-call`, `reduce`, ….
    Operand(usize),
    /// The instruction writes the layout.
    Result,
    /// Another copy, transpose or reshape.
    Movement,
    /// Not found: the value is not used, or too many instructions away from its uses.
    Unknown,
}

/// A chain of instructions that propagate a layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// From the neighbour of the copy to the instruction with the reason; empty if there is none.
    pub path: Vec<InstructionRef>,
    /// The reason.
    pub reason: Reason,
}

/// An instruction that only moves bytes: a copy, transpose, reshape, `bitcast-convert`, or a fusion of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataMovement {
    /// The instruction.
    pub at: InstructionRef,
    /// The bytes that it moves in one execution.
    pub movement: Movement,
    /// The number of its executions.
    pub executions: u64,
    /// The instructions that determine the layout it reads.
    pub source: Chain,
    /// The instructions that require the layout it writes.
    pub demand: Chain,
}

impl DataMovement {
    /// The bytes of all executions.
    pub fn bytes(&self) -> u64 {
        self.movement.bytes().saturating_mul(self.executions)
    }
}

/// Maximum number of instructions visited from a copy in one direction.
const MAX_VISITED: usize = 256;
/// Maximum number of uses examined from a copy in the forward direction.
const MAX_USES: usize = 2048;

/// The instructions that only move bytes in memory, those with the most bytes first.
pub fn copies(module: &Module, sizes: &Sizes, roles: &ComputationRoles) -> Vec<DataMovement> {
    let mut copies = Vec::new();
    let mut fused = FusedKinds::new();
    let determines_layouts: Vec<bool> = module
        .computations
        .iter()
        .map(|computation| {
            computation.instructions.iter().any(|i| DETERMINING_OPS.binary_search(&i.opcode.as_str()).is_ok())
        })
        .collect();
    for (id, computation) in computations(module) {
        if !roles.role(id).materializes_values() {
            continue;
        }
        let mut walker = None;
        for (at, instruction) in computation.iter() {
            let is_candidate = matches!(
                synchronous_opcode(&instruction.opcode),
                "copy" | "transpose" | "reshape" | "bitcast-convert" | "fusion"
            );
            if !is_candidate {
                continue;
            }
            let movement = movement_with(module, sizes, (id, at), &mut fused);
            let is_listed = match movement {
                Movement::Relayout { .. } => true,
                Movement::Copies { .. } => synchronous_opcode(&instruction.opcode) == "copy",
                _ => false,
            };
            if is_listed {
                let walker = walker.get_or_insert_with(|| Walker {
                    determines_layouts: &determines_layouts,
                    roles,
                    id,
                    computation,
                    users: traffic::users(computation),
                });
                let (source, demand) = (walker.source_chain(at), walker.demand_chain(at));
                copies.push(DataMovement {
                    at: (id, at),
                    movement,
                    executions: roles.executions(id),
                    source,
                    demand,
                });
            }
        }
    }
    copies.sort_by_key(|copy| (std::cmp::Reverse(copy.bytes()), copy.at));
    copies
}

/// Ops that propagate the order of dimensions from their operands to their result.
const PROPAGATING_OPS: &[&str] = &[
    "add-dependency",
    "all-reduce",
    "bitcast",
    "broadcast",
    "clamp",
    "collective-permute",
    "concatenate",
    "convert",
    "domain",
    "dynamic-slice",
    "dynamic-update-slice",
    "opt-barrier",
    "pad",
    "reverse",
    "select",
    "slice",
];

/// Ops whose implementation determines layouts.
const DETERMINING_OPS: &[&str] = &[
    "cholesky",
    "convolution",
    "custom-call",
    "dot",
    "fft",
    "gather",
    "ragged-dot",
    "reduce",
    "reduce-window",
    "scaled-dot",
    "scatter",
    "select-and-scatter",
    "sort",
    "topk",
    "triangular-solve",
];

/// Finds chains within a computation.
struct Walker<'m> {
    /// Per computation, whether an op in it determines layouts.
    determines_layouts: &'m [bool],
    roles: &'m ComputationRoles,
    id: ComputationId,
    computation: &'m Computation,
    users: Vec<Vec<InstructionId>>,
}

impl Walker<'_> {
    /// Whether an instruction propagates layouts: element-wise ops do, and fusions without an op that determines them.
    fn propagates(&self, at: InstructionId) -> bool {
        let Some(instruction) = self.computation.get(at) else { return false };
        let opcode = synchronous_opcode(&instruction.opcode);
        if let Some(AttrValue::Computation(id)) =
            instruction.attrs.get("calls").filter(|_| opcode == "fusion")
        {
            return self.determines_layouts.get(id.0 as usize) == Some(&false);
        }
        PROPAGATING_OPS.binary_search(&opcode).is_ok() || super::work::is_element_wise(opcode)
    }

    /// Whether an instruction is a copy, transpose or reshape.
    fn is_movement(&self, at: InstructionId) -> bool {
        let opcode = self.computation.get(at).map(|instruction| synchronous_opcode(&instruction.opcode));
        matches!(opcode, Some("copy" | "transpose" | "reshape"))
    }

    /// The operand that has the sizes of the result, else the first one.
    fn main_operand(&self, at: InstructionId) -> Option<InstructionId> {
        let instruction = self.computation.get(at)?;
        let sizes = |id: InstructionId| Some(&self.computation.get(id)?.shape.as_array()?.dimensions);
        let result = sizes(at);
        let same = instruction.operands.iter().copied().find(|id| result.is_some() && sizes(*id) == result);
        same.or_else(|| instruction.operands.first().copied())
    }

    /// The chain from a copy back to the instruction that determines the layout of its operand.
    fn source_chain(&self, copy: InstructionId) -> Chain {
        let mut path = Vec::new();
        let mut at = self.computation.get(copy).and_then(|instruction| instruction.operands.first().copied());
        let mut elements: Vec<usize> = Vec::new();
        while let Some(id) = at.take() {
            path.push((self.id, id));
            let Some(instruction) = self.computation.get(id) else { break };
            let reason = match instruction.opcode.as_str() {
                "parameter" => match self.roles.role(self.id) {
                    ComputationRole::Entry => {
                        let number =
                            self.computation.parameters.iter().position(|parameter| *parameter == id);
                        number.map_or(Reason::Unknown, Reason::EntryParameter)
                    }
                    ComputationRole::LoopBody | ComputationRole::LoopCondition => Reason::LoopState,
                    ComputationRole::Branch => Reason::Branch,
                    _ => Reason::Call,
                },
                "constant" => Reason::Constant,
                "while" => Reason::LoopState,
                "conditional" => Reason::Branch,
                "call" => Reason::Call,
                "get-tuple-element" => {
                    let Some(AttrValue::Int(index)) = instruction.attrs.get("index") else { break };
                    elements.extend(usize::try_from(*index));
                    at = instruction.operands.first().copied();
                    continue;
                }
                "tuple" => {
                    at = elements.pop().and_then(|index| instruction.operands.get(index)).copied();
                    continue;
                }
                _ if path.len() >= MAX_VISITED => Reason::Unknown,
                _ if self.is_movement(id) => Reason::Movement,
                _ if self.propagates(id) && !instruction.operands.is_empty() => {
                    at = self.main_operand(id);
                    continue;
                }
                _ => Reason::Result,
            };
            return Chain { path, reason };
        }
        Chain { path, reason: Reason::Unknown }
    }

    /// The chain from a copy forward to the nearest instruction that requires its layout.
    fn demand_chain(&self, copy: InstructionId) -> Chain {
        // Visited values, with the followed element of a tuple, and the index of the visit that led here.
        let mut visited: Vec<(InstructionId, Option<usize>, usize)> = vec![(copy, None, 0)];
        let mut queued: BTreeSet<(InstructionId, Option<usize>)> = BTreeSet::from([(copy, None)]);
        let mut queue = VecDeque::from([0]);
        let mut uses = 0;
        let path_to = |visited: &[(InstructionId, Option<usize>, usize)], mut at: usize| {
            let mut path = Vec::new();
            while at > 0 {
                let Some((id, _, from)) = visited.get(at) else { break };
                path.push((self.id, *id));
                at = *from;
            }
            path.reverse();
            path
        };
        while let Some(number) = queue.pop_front() {
            let Some((at, element, _)) = visited.get(number).copied() else { break };
            if self.computation.root == Some(at)
                && let Some(reason) = self.result_reason()
            {
                return Chain { path: path_to(&visited, number), reason };
            }
            for user in self.users.get(at.index()).into_iter().flatten() {
                uses += 1;
                if uses > MAX_USES {
                    return Chain { path: Vec::new(), reason: Reason::Unknown };
                }
                match self.use_of(at, element, *user) {
                    Use::Requires(reason) => {
                        let mut path = path_to(&visited, number);
                        path.push((self.id, *user));
                        return Chain { path, reason };
                    }
                    Use::Propagates(element) => {
                        if visited.len() < MAX_VISITED && queued.insert((*user, element)) {
                            queue.push_back(visited.len());
                            visited.push((*user, element, number));
                        }
                    }
                    Use::None => {}
                }
            }
        }
        Chain { path: Vec::new(), reason: Reason::Unknown }
    }

    /// The reason for the layout of the computation's result.
    fn result_reason(&self) -> Option<Reason> {
        Some(match self.roles.role(self.id) {
            ComputationRole::Entry => Reason::EntryResult,
            ComputationRole::LoopBody => Reason::LoopState,
            ComputationRole::Branch => Reason::Branch,
            ComputationRole::Called => Reason::Call,
            _ => return None,
        })
    }

    /// How `user` uses a value, or the element of it.
    fn use_of(&self, at: InstructionId, element: Option<usize>, user: InstructionId) -> Use {
        let Some(instruction) = self.computation.get(user) else { return Use::None };
        let operand = instruction.operands.iter().position(|operand| *operand == at).unwrap_or_default();
        match instruction.opcode.as_str() {
            "tuple" => Use::Propagates(Some(operand)),
            "get-tuple-element" => {
                let index = match instruction.attrs.get("index") {
                    Some(AttrValue::Int(index)) => usize::try_from(*index).ok(),
                    _ => None,
                };
                if index == element { Use::Propagates(None) } else { Use::None }
            }
            "while" => Use::Requires(Reason::LoopState),
            "conditional" => Use::Requires(Reason::Branch),
            "call" => Use::Requires(Reason::Call),
            _ if self.is_movement(user) => Use::Requires(Reason::Movement),
            _ if self.propagates(user) => Use::Propagates(element),
            _ => Use::Requires(Reason::Operand(operand)),
        }
    }
}

/// How a value is used.
enum Use {
    /// Its layout is required.
    Requires(Reason),
    /// The user has the same layout. The element of its value to follow, if that is a tuple.
    Propagates(Option<usize>),
    None,
}

/// The opcode at the end of a chain.
pub fn opcode_at_end<'m>(module: &'m Module, chain: &Chain) -> Option<&'m str> {
    Some(&instruction(module, *chain.path.last()?)?.opcode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_for_binary_search() {
        assert!(PROPAGATING_OPS.is_sorted() && DETERMINING_OPS.is_sorted());
    }
}
