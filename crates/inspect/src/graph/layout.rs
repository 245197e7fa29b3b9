//! The drawing of one computation: nodes with their sizes and positions, and the open computations within them.

use std::collections::BTreeMap;

use xla_hlo::{InstructionId, Module};
use xla_ops::ComputationId;

use super::geometry::{Point, Rect};
use super::layered::Layered;
use super::order::Ordering;
use super::placement::{Placement, Positions};
use super::selection::{Selection, attached_label};
use super::source::Source;
use crate::calls::{Call, CallSite, index32};
use crate::flow::data_flow_order;
use crate::outline::{Folds, Group};
use crate::shortened::shortened;

/// The margin of the graph and of every open computation.
pub(super) const MARGIN_PIXELS: i32 = 12;
/// The height of the two lines of a node's label.
const LABEL_HEIGHT_PIXELS: i32 = 42;
/// The height of a line of attached constants.
const ATTACHED_HEIGHT_PIXELS: i32 = 18;
/// Maximum attached constants that a node lists.
pub(super) const MAX_ATTACHED: usize = 3;
/// The height of the header of an open computation.
const HEADER_HEIGHT_PIXELS: i32 = 24;
/// The space between two open computations.
const OPEN_GAP_PIXELS: i32 = 20;
/// The width of a character, in tenths of a pixel.
const CHAR_WIDTH_TENTHS: i32 = 74;
/// The space on both sides of a label.
const LABEL_PADDING_PIXELS: i32 = 20;
/// The width of the mark that opens a body.
const MARK_WIDTH_PIXELS: i32 = 18;
/// Minimum width of a node.
const MIN_NODE_PIXELS: i32 = 72;
/// Maximum number of characters of a name or shape.
pub(super) const MAX_LABEL_CHARS: usize = 28;
/// Maximum width and height of a computation that is drawn within its caller; a larger one is drawn folded.
const MAX_OPEN_PIXELS: i32 = 1 << 24;

/// An open computation within a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub site: CallSite,
    pub computation: ComputationId,
    /// Its box, from the top left of the node.
    pub rect: Rect,
    /// The origin of its drawing, from the top left of the node.
    pub origin: Point,
}

/// The edges of a node that are not routed.
pub(super) struct Stubs {
    /// The operands at their other ends, by number.
    pub operands: Vec<InstructionId>,
    /// The number of edges to users.
    pub users: usize,
}

/// The drawing of one computation.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    pub selection: Selection,
    pub layered: Layered,
    pub positions: Positions,
    pub sizes: Vec<(i32, i32)>,
    /// The open computations of each node.
    pub open: BTreeMap<u32, Vec<Open>>,
    /// The number of edges to users that are not routed, of each node that has any.
    far_users: BTreeMap<u32, usize>,
    /// Whether an open group is drawn folded, because it would be too large.
    pub has_oversized: bool,
}

/// The width of the text.
fn text_width(text: &str) -> i32 {
    i32::try_from(text.chars().count()).unwrap_or(0) * CHAR_WIDTH_TENTHS / 10
}

/// The stages of a layout after its nodes are measured.
#[derive(Debug)]
enum Stage {
    Order(Ordering),
    Place(Placement),
}

/// The layout of one computation in steps, each of which takes time linear in its size.
#[derive(Debug)]
pub(super) struct Steps {
    layout: Layout,
    stage: Stage,
}

impl Steps {
    /// Chooses and measures nodes, and assigns ranks, to some instructions of a computation, ascending; `layouts` are those
    /// of its callees that are open.
    pub fn new(
        source: Source<'_>,
        drawn: (ComputationId, &[InstructionId], Option<InstructionId>),
        layouts: &BTreeMap<ComputationId, Layout>,
    ) -> Self {
        let layout = Layout::ranked(source, drawn, layouts);
        let stage = Stage::Order(Ordering::new(&layout.layered));
        Self { layout, stage }
    }

    /// The number of items, to which the time of a step is proportional.
    pub fn items(&self) -> usize {
        self.layout.layered.rank.len()
    }

    /// Makes a step; returns the layout after the last one.
    pub fn advance(&mut self) -> Option<Layout> {
        let Layout { layered, sizes, .. } = &mut self.layout;
        match &mut self.stage {
            Stage::Order(ordering) => {
                if ordering.advance(layered) {
                    self.stage = Stage::Place(Placement::new(layered, sizes));
                }
                None
            }
            Stage::Place(placement) => {
                let positions = placement.advance(layered, sizes)?;
                Some(Layout { positions, ..std::mem::take(&mut self.layout) })
            }
        }
    }
}

impl Layout {
    /// A layout with nodes, edges and ranks, but without order and positions.
    fn ranked(
        Source { module, calls, folds }: Source<'_>,
        (id, drawn, kept): (ComputationId, &[InstructionId], Option<InstructionId>),
        layouts: &BTreeMap<ComputationId, Self>,
    ) -> Self {
        let Some(computation) = module.get(id) else { return Self::default() };
        let mut layout = Self { selection: Selection::new(computation, drawn, kept), ..Self::default() };
        let nodes = layout.selection.nodes.clone();
        for (node, instruction_id) in (0..).zip(&nodes) {
            let Some(instruction) = computation.get(*instruction_id) else { continue };
            let name = shortened(&instruction.name, MAX_LABEL_CHARS);
            let opcode = shortened(&instruction.opcode, MAX_LABEL_CHARS);
            let is_root = computation.root == Some(*instruction_id);
            let title = format!("{}{opcode} {name}", if is_root { "ROOT " } else { "" });
            let shape = shortened(&instruction.shape, MAX_LABEL_CHARS);
            let attached = layout.selection.attached.get(node as usize).map_or(&[][..], Vec::as_slice);
            // As drawn: `1: broadcast(0) +3`.
            let more = if attached.len() > MAX_ATTACHED { " +999" } else { "" };
            let label =
                |(number, id): &(u32, _)| format!("{number}: {}{more}", attached_label(computation, *id));
            let called = calls.calls_by((id, *instruction_id));
            let mark = if called.is_empty() { 0 } else { MARK_WIDTH_PIXELS };
            let labels = attached.iter().take(MAX_ATTACHED).map(label);
            let text = labels.chain([title, shape]).map(|text| text_width(&text)).max().unwrap_or(0);
            let width = (text + LABEL_PADDING_PIXELS + mark).max(MIN_NODE_PIXELS);
            let lines = i32::try_from(attached.len().min(MAX_ATTACHED)).unwrap_or(0);
            let height = LABEL_HEIGHT_PIXELS + lines * ATTACHED_HEIGHT_PIXELS;
            let size = layout.add_open(module, called, folds, layouts, (node, width, height));
            layout.sizes.push(size);
        }
        let order = drawing_order(&data_flow_order(computation), &nodes);
        let layered = Layered::new(nodes.len(), &layout.selection.uses, &order);
        for (edge, _) in layout.selection.uses.iter().zip(&layered.is_routed).filter(|(_, routed)| !**routed)
        {
            *layout.far_users.entry(edge.from).or_insert(0) += 1;
        }
        layout.layered = layered;
        layout
    }

    /// Adds the open computations of a node below its label; returns the size of the node.
    fn add_open(
        &mut self,
        module: &Module,
        calls: &[Call],
        folds: &Folds,
        layouts: &BTreeMap<ComputationId, Self>,
        (node, label_width, label_height): (u32, i32, i32),
    ) -> (i32, i32) {
        let (mut x, mut bottom) = (MARGIN_PIXELS, label_height);
        for call in calls.iter().filter(|call| folds.is_open(Group::Call(call.site))) {
            let Some(inner) = layouts.get(&call.callee) else { continue };
            let (width, height) = (inner.positions.width, inner.positions.height);
            if width.max(height) > MAX_OPEN_PIXELS || x > MAX_OPEN_PIXELS {
                self.has_oversized = true;
                continue;
            }
            let y = label_height + 4;
            let inner_width = width.max(text_width(&call.label(module)));
            let rect = Rect {
                x,
                y,
                width: inner_width + 2 * MARGIN_PIXELS,
                height: height + HEADER_HEIGHT_PIXELS + 2 * MARGIN_PIXELS,
            };
            let origin = Point {
                x: x + MARGIN_PIXELS + (inner_width - width) / 2,
                y: y + HEADER_HEIGHT_PIXELS + MARGIN_PIXELS,
            };
            let open = Open { site: call.site, computation: call.callee, rect, origin };
            self.open.entry(node).or_default().push(open);
            x += rect.width + OPEN_GAP_PIXELS;
            bottom = bottom.max(rect.bottom() + MARGIN_PIXELS);
        }
        let open_width = if self.open.contains_key(&node) { x - OPEN_GAP_PIXELS + MARGIN_PIXELS } else { 0 };
        (label_width.max(open_width), bottom)
    }

    /// The edges of a node that are not routed.
    pub fn stubs(&self, node: u32) -> Stubs {
        let uses = &self.selection.uses;
        let start = uses.partition_point(|edge| edge.to < node);
        let node_uses = (start..uses.len()).take_while(|edge| uses[*edge].to == node);
        let unrouted = node_uses.filter(|edge| !self.layered.is_routed[*edge]);
        let operands =
            unrouted.filter_map(|edge| self.selection.nodes.get(uses[edge].from as usize).copied()).collect();
        Stubs { operands, users: self.far_users.get(&node).copied().unwrap_or(0) }
    }

    /// The box of a node.
    pub fn rect(&self, node: u32) -> Rect {
        let node = node as usize;
        let (width, height) = self.sizes[node];
        let rank = self.layered.rank[node] as usize;
        Rect { x: self.positions.centre_x[node] - width / 2, y: self.positions.ranks[rank].0, width, height }
    }
}

/// The nodes, by index, in the order of their instructions in `order`.
fn drawing_order(order: &[InstructionId], nodes: &[InstructionId]) -> Vec<u32> {
    let node = |id: &InstructionId| nodes.binary_search(id).ok().map(index32);
    order.iter().filter_map(node).collect()
}
