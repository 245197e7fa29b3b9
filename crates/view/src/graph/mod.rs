//! The graph of a program: instructions as nodes, operands as edges, called computations as boxes within their callers.
//!
//! [`Graph::new`] returns nothing for a single chain, and a bounded part of a large program around the selected instruction
//! (`visible`). `parts` has the types of a drawing; `rows` orders the nodes of a computation in rows, operands above their
//! users; `placement` computes their positions. Lengths are CSS pixels, from the top left of the graph.

mod parts;
mod placement;
mod rows;
mod visible;

#[cfg(test)]
mod tests;

pub use self::parts::{CalledComputation, Edge, LoopArrows, Node, Point, Rect, Subgraph};
use self::visible::visible;
use xla_array::{ElementType, shape_util};
use xla_hlo::{Computation, Instruction, InstructionId, Module};
use xla_ops::{AttrValue, ComputationId};

/// Bound on the drawn instructions of the entry computation, and of a called one.
const MAX_ENTRY_NODES: usize = 40;
const MAX_CALLED_NODES: usize = 24;
/// Bound on the drawn instructions of all computations.
const MAX_NODES: usize = 160;
/// Bound on the drawn computations that one instruction calls, and on their nesting.
const MAX_CALLED: usize = 6;
const MAX_DEPTH: usize = 4;
/// Bound on the characters of a name or shape.
const MAX_CHARS: usize = 28;
/// Bound on the operands that the description of a node names.
const MAX_NAMED_OPERANDS: usize = 8;

/// A drawn program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// The entry computation.
    pub entry: Subgraph,
    /// The width of the drawing.
    pub width: i32,
    /// The height of the drawing.
    pub height: i32,
}

impl Graph {
    /// The graph of a module around an instruction of its entry computation; `None` if that is a chain of instructions
    /// that call nothing.
    pub fn new(module: &Module, selected: InstructionId) -> Option<Self> {
        let entry = module.entry_computation()?;
        let calls = entry.instructions.iter().any(|i| i.attrs.computations().next().is_some());
        if !calls && is_chain(entry) {
            return None;
        }
        let mut builder = Builder { module, remaining: MAX_NODES };
        let (mut subgraph, width, height) = builder.subgraph(entry, Some(selected), MAX_ENTRY_NODES, 0);
        placement::translate(&mut subgraph, placement::MARGIN, placement::MARGIN);
        Some(Self {
            entry: subgraph,
            width: width + 2 * placement::MARGIN,
            height: height + 2 * placement::MARGIN,
        })
    }

    /// Whether a loop is among the drawn instructions.
    pub fn has_loop(&self) -> bool {
        fn has_loop(subgraph: &Subgraph) -> bool {
            subgraph.nodes.iter().any(|node| {
                node.loop_arrows.is_some() || node.called.iter().any(|called| has_loop(&called.subgraph))
            })
        }
        has_loop(&self.entry)
    }
}

/// Whether the operands of every instruction are the previous instruction, parameters and constants.
fn is_chain(entry: &Computation) -> bool {
    let is_source = |id: InstructionId| entry.get(id).is_some_and(|i| i.operands.is_empty());
    let mut last = None;
    entry.iter().filter(|(_, instruction)| !instruction.operands.is_empty()).all(|(id, instruction)| {
        let previous = last.replace(id);
        let mut operands = instruction.operands.iter();
        let uses_previous = previous.is_none_or(|previous| instruction.operands.contains(&previous));
        uses_previous && operands.all(|operand| is_source(*operand) || Some(*operand) == previous)
    })
}

/// The start of a long text, with an ellipsis.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The condition and the body of a loop. A loop is an instruction that calls two computations, each with one parameter of
/// the instruction's shape, of which one returns a scalar predicate and the other that shape.
fn loop_parts(module: &Module, instruction: &Instruction) -> Option<[ComputationId; 2]> {
    let called: Vec<ComputationId> = instruction.attrs.computations().collect();
    let [first, second] = called[..] else { return None };
    let signature = |id| module.get(id).and_then(Computation::signature);
    let carried = &instruction.shape;
    let takes_carried = |id| {
        signature(id).is_some_and(
            |s| matches!(&s.parameters[..], [parameter] if shape_util::compatible(parameter, carried)),
        )
    };
    let is_body = |id| signature(id).is_some_and(|s| shape_util::compatible(&s.result, carried));
    let is_condition = |id| {
        let result = signature(id).and_then(|s| s.result.as_array());
        result.is_some_and(|array| array.element_type == ElementType::Pred && array.rank() == 0)
    };
    if !(takes_carried(first) && takes_carried(second)) {
        return None;
    }
    [[first, second], [second, first]].into_iter().find(|[c, body]| is_condition(*c) && is_body(*body))
}

/// Builds the graph of a bounded number of a module's instructions.
struct Builder<'m> {
    module: &'m Module,
    /// The number of instructions that may still be drawn.
    remaining: usize,
}

impl Builder<'_> {
    /// Draws a computation at the origin; returns its width and height too.
    fn subgraph(
        &mut self,
        computation: &Computation,
        around: Option<InstructionId>,
        max_nodes: usize,
        depth: usize,
    ) -> (Subgraph, i32, i32) {
        let ids = visible(computation, around, max_nodes.min(self.remaining));
        self.remaining -= ids.len();
        let mut nodes: Vec<Node> = Vec::with_capacity(ids.len());
        for id in &ids {
            if let Some(instruction) = computation.get(*id) {
                nodes.push(self.node(computation, *id, instruction, depth));
            }
        }
        let rows = rows::Rows::new(computation, &ids);
        let (edges, width, height) = placement::place_nodes(&rows, &mut nodes);
        (Subgraph { nodes, edges, instruction_count: computation.instructions.len() }, width, height)
    }

    /// Draws an instruction at the origin.
    fn node(
        &mut self,
        computation: &Computation,
        id: InstructionId,
        instruction: &Instruction,
        depth: usize,
    ) -> Node {
        let name_of = |id: &InstructionId| Some(shorten(computation.get(*id)?.display_name()));
        let parts = loop_parts(self.module, instruction);
        let mut calls: Vec<(&'static str, Option<usize>, ComputationId)> = Vec::new();
        for (attribute, value) in instruction.attrs.iter() {
            match value {
                AttrValue::Computation(id) => calls.push((attribute, None, *id)),
                AttrValue::Computations(ids) => {
                    calls.extend(ids.iter().enumerate().map(|(i, id)| (attribute, Some(i), *id)));
                }
                _ => {}
            }
        }
        // The condition comes first.
        if parts.is_some_and(|[condition, _]| calls.first().is_some_and(|(.., id)| *id != condition)) {
            calls.reverse();
        }
        let (mut called, count) = (Vec::new(), calls.len());
        for (attribute, index, id) in calls.into_iter().take(MAX_CALLED) {
            let Some(computation) =
                self.module.get(id).filter(|_| depth + 1 < MAX_DEPTH && self.remaining > 0)
            else {
                break;
            };
            let (subgraph, width, height) = self.subgraph(computation, None, MAX_CALLED_NODES, depth + 1);
            let rect = Rect { width, height, ..Rect::default() };
            called.push(CalledComputation {
                computation: id,
                attribute,
                index,
                name: shorten(&computation.name),
                rect,
                subgraph,
            });
        }
        let is_loop = parts.is_some() && called.len() == 2;
        let operands = instruction.operands.iter().take(MAX_NAMED_OPERANDS).filter_map(name_of).collect();
        let mut node = Node {
            id,
            opcode: shorten(&instruction.opcode),
            name: shorten(&instruction.name),
            shape: shorten(&instruction.shape.human_string()),
            operands,
            is_root: computation.root == Some(id),
            rect: Rect::default(),
            label_rect: Rect::default(),
            hidden_computations: count - called.len(),
            called,
            loop_arrows: None,
        };
        placement::lay_out(&mut node, is_loop);
        node
    }
}
