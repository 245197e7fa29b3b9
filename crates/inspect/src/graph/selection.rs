//! Selects the instructions of a computation that are nodes, and those that are attached to their users.
//!
//! Small constants and their broadcasts have no node of their own: they would be far from most of their users, and their
//! edges would hide those of the data. Each is attached to every user instead.

use xla_hlo::{Computation, Instruction, InstructionId};
use xla_ops::AttrValue;

use super::layered::Use;
use crate::calls::index32;
use crate::shortened::shortened;

/// Maximum number of elements of an attached constant.
const MAX_CONSTANT_ELEMENTS: i64 = 16;
/// Maximum number of characters of an attached constant.
const MAX_ATTACHED_CHARS: usize = 24;

/// The nodes of a drawing, and the edges between them.
#[derive(Clone, Debug, Default)]
pub(super) struct Selection {
    /// The instruction of each node, ascending.
    pub nodes: Vec<InstructionId>,
    /// The attached operands of each node: operand number and instruction.
    pub attached: Vec<Vec<(u32, InstructionId)>>,
    /// The edges, by user and operand number.
    pub uses: Vec<Use>,
    /// The operand number of each edge.
    pub numbers: Vec<u32>,
    /// The operands of each node that are neither nodes nor attached.
    pub hidden_operands: Vec<u32>,
}

impl Selection {
    /// The nodes and edges of these instructions, ascending; `kept` is a node in any case.
    pub fn new(computation: &Computation, drawn: &[InstructionId], kept: Option<InstructionId>) -> Self {
        let count = computation.instructions.len();
        let mut is_used = vec![false; count];
        for instruction in drawn.iter().filter_map(|id| computation.get(*id)) {
            instruction.operands.iter().for_each(|operand| is_used[operand.index()] = true);
        }
        let mut is_attached = vec![false; count];
        for id in drawn {
            let may_attach = is_used[id.index()] && computation.root != Some(*id) && kept != Some(*id);
            is_attached[id.index()] = may_attach
                && computation
                    .get(*id)
                    .is_some_and(|instruction| is_small_constant(instruction, &is_attached));
        }
        let mut node_of = vec![None; count];
        let nodes: Vec<InstructionId> = drawn.iter().copied().filter(|id| !is_attached[id.index()]).collect();
        for (node, id) in (0..).zip(&nodes) {
            node_of[id.index()] = Some(node);
        }
        let mut selection = Self { nodes, ..Self::default() };
        for (to, id) in (0..).zip(&selection.nodes) {
            let operands = computation.get(*id).map_or(&[][..], |instruction| &instruction.operands);
            let operands = operands.iter().copied().filter(|operand| operand < id);
            let (mut attached, mut hidden) = (Vec::new(), 0);
            for (number, operand) in (0..).zip(operands) {
                if let Some(from) = node_of[operand.index()] {
                    selection.uses.push(Use { from, to });
                    selection.numbers.push(number);
                } else if is_attached[operand.index()] {
                    attached.push((number, operand));
                } else {
                    hidden += 1;
                }
            }
            selection.attached.push(attached);
            selection.hidden_operands.push(hidden);
        }
        selection
    }
}

/// Whether an instruction is a constant of few elements, or broadcasts an attached one.
fn is_small_constant(instruction: &Instruction, is_attached: &[bool]) -> bool {
    match (instruction.opcode.as_str(), &instruction.operands[..]) {
        ("constant", []) => {
            let array = instruction.shape.as_array();
            array
                .and_then(xla_array::ArrayShape::elements)
                .is_some_and(|count| count <= MAX_CONSTANT_ELEMENTS)
        }
        ("broadcast", [operand]) => is_attached.get(operand.index()) == Some(&true),
        _ => false,
    }
}

/// The text of an attached instruction: the value of a constant, and `broadcast(0)`.
pub(super) fn attached_label(computation: &Computation, id: InstructionId) -> String {
    let Some(instruction) = computation.get(id) else { return String::new() };
    match (instruction.attrs.get("literal"), instruction.op.and_then(|op| op.meta().inline_attr.as_ref())) {
        (Some(value @ AttrValue::Literal(_)), _) => shortened(value, MAX_ATTACHED_CHARS),
        (_, Some(spec)) if instruction.attrs.get(spec.name).is_some() => instruction
            .attrs
            .get(spec.name)
            .map(|value| shortened(value, MAX_ATTACHED_CHARS))
            .unwrap_or_default(),
        _ => match instruction.operands.first() {
            // A broadcast of a constant, at most a few times.
            Some(operand) if instruction.opcode == "broadcast" && *operand < id => {
                let value = computation.get(*operand).filter(|i| i.operands.is_empty());
                let inner = value.map_or_else(|| "…".to_owned(), |_| attached_label(computation, *operand));
                shortened(format_args!("broadcast({inner})"), MAX_ATTACHED_CHARS)
            }
            _ => shortened(&instruction.opcode, MAX_ATTACHED_CHARS),
        },
    }
}

/// The index of a node's instruction among the nodes.
pub(super) fn node_of(nodes: &[InstructionId], id: InstructionId) -> Option<u32> {
    nodes.binary_search(&id).ok().map(index32)
}
