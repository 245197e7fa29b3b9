//! One instruction as the Program screen shows it.

use super::ids::{at, call, find, reference, root};
use super::queries::Program;
use super::shapes::{short_shape, shorten};
use super::wire::{Called, Details, Edge, InstructionPath, Row, SourceLine};
use crate::diagnostic::Span;
use crate::hlo::InstructionId;
use crate::inspect::flow::{self, value_bytes};
use crate::inspect::performance::bytes::shape_bytes;
use crate::ops::ComputationId;

/// Maximum operands, and users, of an instruction that are shown.
const MAX_NEIGHBOURS: usize = 24;

/// Maximum characters of the text of an attribute.
const MAX_ATTRIBUTE_CHARS: usize = 400;

impl Program {
    /// An instruction in a list.
    pub(super) fn row(&self, id: (ComputationId, InstructionId)) -> Option<Row> {
        let (computation, instruction) = find(&self.module, at(id))?;
        let called = self.outline.calls().calls_by(id).len();
        Some(Row {
            instruction: id.1.0,
            name: instruction.unique_name(id.1),
            opcode: instruction.opcode.clone(),
            shape: short_shape(&instruction.shape),
            is_root: computation.root == Some(id.1),
            called: u32::try_from(called).unwrap_or(u32::MAX),
        })
    }

    fn called(&self, id: (ComputationId, InstructionId)) -> Vec<Called> {
        let calls = self.outline.calls().calls_by(id).iter().take(MAX_NEIGHBOURS);
        let called = calls.filter_map(|each| {
            let body = self.module.get(each.callee)?;
            let index = each.index.map(|index| format!("[{index}]")).unwrap_or_default();
            Some(Called {
                call: call(each.site),
                attribute: format!("{}{index}", each.attribute),
                name: body.name.clone(),
                size: body.instructions.len(),
                root: root(&self.module, each.callee),
            })
        });
        called.collect()
    }

    fn edge(&self, computation: ComputationId, edge: flow::Edge, other: InstructionId) -> Option<Edge> {
        Some(Edge {
            row: self.row((computation, other))?,
            number: edge.number,
            shape: edge.shape,
            layout: edge.layout.unwrap_or_default(),
            bytes: edge.bytes,
        })
    }

    /// An instruction with its neighbours.
    pub(super) fn details(&self, selected: &InstructionPath) -> Option<Details> {
        let (computation, instruction) = find(&self.module, selected.at)?;
        let id = reference(selected.at);
        let users = self.flow.users(id);
        let first_users = &users[..users.len().min(MAX_NEIGHBOURS)];
        let operands = (0..instruction.operands.len().min(MAX_NEIGHBOURS))
            .filter_map(|number| flow::Edge::new(computation, id.1, number));
        let written = |span: Span| {
            let value = self.text.get(span.range()).unwrap_or_default();
            let start: String = value.chars().take(2 * MAX_ATTRIBUTE_CHARS).collect();
            shorten(&start.split_whitespace().collect::<Vec<_>>().join(" "), MAX_ATTRIBUTE_CHARS)
        };
        let is_own = |name: &str| instruction.attrs.get(name).is_some();
        // Where the text is another dialect, every span is that of the op.
        let whole = instruction.spans.whole;
        let attributes = instruction
            .spans
            .attrs
            .iter()
            .filter(|(name, span)| is_own(name) && *span != whole)
            .map(|(name, span)| ((*name).to_owned(), written(*span)));
        let annotations = instruction
            .annotations
            .iter()
            .map(|(name, text)| (name.clone(), shorten(text, MAX_ATTRIBUTE_CHARS)));
        let metadata = instruction.source_metadata();
        let source = self.module.source_locations(&metadata).into_iter().map(|location| SourceLine {
            file: location.file.to_owned(),
            function: location.function.to_owned(),
            line: location.line,
        });
        Some(Details {
            at: selected.at,
            path: self.loaded().crumbs(&self.loaded().path(selected)),
            computation: computation.name.clone(),
            count: u32::try_from(computation.instructions.len()).unwrap_or(u32::MAX),
            row: self.row(id)?,
            span: (whole.start, whole.end),
            shape: shorten(&instruction.shape.to_string(), MAX_ATTRIBUTE_CHARS),
            bytes: value_bytes(&instruction.shape),
            padded_bytes: shape_bytes(&instruction.shape).memory,
            called: self.called(id),
            operands: operands
                .filter_map(|edge| {
                    let from = edge.from;
                    self.edge(id.0, edge, from)
                })
                .collect(),
            operand_count: instruction.operands.len(),
            users: flow::edge::edges_from(computation, id.1, first_users)
                .into_iter()
                .filter_map(|edge| {
                    let to = edge.to;
                    self.edge(id.0, edge, to)
                })
                .collect(),
            user_count: users.len(),
            attributes: attributes.collect(),
            annotations: annotations.collect(),
            op_name: instruction.op_name(),
            source: source.collect(),
        })
    }
}
