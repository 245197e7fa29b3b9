//! The items of a graph that intersect a rectangle.

use std::collections::BTreeMap;

use xla_hlo::{Computation, InstructionId};
use xla_ops::{Category, ComputationId};

use super::Graph;
use super::geometry::{Point, Rect};
use super::layered::Link;
use super::layout::{Layout, MARGIN_PIXELS, MAX_ATTACHED, MAX_LABEL_CHARS, Open};
use super::selection::attached_label;
pub use super::source::Source;
use crate::calls::{CallSite, Role, index32};
use crate::flow::{Edge, value_bytes};
use crate::outline::Group;
use crate::shortened::shortened;

/// Maximum number of operands with unrouted edges that a node names.
const MAX_FAR_OPERANDS: usize = 8;

/// A computation within the drawing: the whole, or an open group within a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The computation.
    pub computation: ComputationId,
    /// Its name, after the attribute that names it: `body: step`.
    pub label: String,
    /// The frame around it, by index, and the call site; `None` for the whole.
    pub caller: Option<(u32, CallSite)>,
    /// Its box.
    pub rect: Rect,
}

/// An operand without a node of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attached {
    /// The position among the operands.
    pub number: u32,
    /// The operand.
    pub id: InstructionId,
    /// Its value: `0`, `broadcast(0)`.
    pub label: String,
}

/// An operand whose edge is not routed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FarOperand {
    /// The operand.
    pub id: InstructionId,
    /// Its name, or its opcode if it has none.
    pub name: String,
}

/// A computation that a node calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeGroup {
    /// The call site.
    pub site: CallSite,
    /// The called computation.
    pub computation: ComputationId,
    /// Its name, after the attribute that names it: `body: step`.
    pub label: String,
    /// Its role for the instruction.
    pub role: Role,
    /// The number of its instructions.
    pub instructions: usize,
    /// Whether it is drawn within the node.
    pub is_open: bool,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The index of its frame.
    pub frame: u32,
    /// The instruction, in the computation of its frame.
    pub id: InstructionId,
    /// Its box, with the open computations.
    pub rect: Rect,
    /// Its name; empty if it is written within the operands of another.
    pub name: String,
    /// Its opcode.
    pub opcode: String,
    /// The category of its op; `None` for an unknown opcode.
    pub category: Option<Category>,
    /// Its shape with the layout.
    pub shape: String,
    /// Whether its value is the result of its computation.
    pub is_root: bool,
    /// The first operands without nodes of their own.
    pub attached: Vec<Attached>,
    /// The number of further ones.
    pub more_attached: usize,
    /// The first operands whose edges are not routed, because they are long or very many.
    pub far_operands: Vec<FarOperand>,
    /// The number of further operands that are not routed or not part of the drawing, and of such users.
    pub more_operands: usize,
    /// The number of users that are not routed or not part of the drawing.
    pub more_users: usize,
    /// The computations it calls.
    pub groups: Vec<NodeGroup>,
}

/// Part of an edge between adjacent ranks. An edge across several ranks has one in each, shared by all users of its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The index of its frame.
    pub frame: u32,
    /// The instruction whose value it carries.
    pub from: InstructionId,
    /// The user that it reaches, with the position of the operand; `None` if it continues.
    pub to: Option<(InstructionId, u32)>,
    /// Points of the curve, from top to bottom, in which its tangents are vertical.
    pub points: Vec<Point>,
    /// The bytes of the value; `None` if they are unknown.
    pub bytes: Option<u64>,
}

/// The items of a graph that intersect a rectangle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The frames of the nodes and segments; a frame precedes those within it.
    pub frames: Vec<Frame>,
    /// The nodes, by frame, rank and position.
    pub nodes: Vec<Node>,
    /// The segments, by frame and rank.
    pub segments: Vec<Segment>,
    /// Whether `max_items` excluded an item.
    pub is_truncated: bool,
}

/// The frames, nodes and segments that intersect a rectangle, at most `max_items` of each.
pub fn view(graph: &Graph, source: Source<'_>, window: Rect, max_items: usize) -> View {
    let mut view = View::default();
    // A worklist of drawings with their origins, as nesting may be deep. The first is the whole.
    let mut queue = vec![(graph.root, Point { x: MARGIN_PIXELS, y: MARGIN_PIXELS })];
    let (width, height) = graph.size();
    let whole = Rect { x: 0, y: 0, width, height };
    view.frames.extend(frame(source, graph.root, None, whole));
    let mut next = 0;
    while let (Some((computation, origin)), true) = (queue.get(next).copied(), next < view.frames.len()) {
        let visit = Visit { source, window, origin, computation, frame: index32(next), max_items };
        next += 1;
        let (Some(layout), Some(body)) = (graph.layouts.get(&computation), source.module.get(computation))
        else {
            continue;
        };
        visit.add_segments(layout, body, &mut view);
        let hidden = (computation == graph.root).then_some(&graph.hidden);
        for open in visit.add_nodes(layout, body, hidden, &mut view) {
            if view.frames.len() >= max_items {
                view.is_truncated = true;
                break;
            }
            let (open, node) = open;
            let caller = Some((visit.frame, open.site));
            view.frames.extend(frame(source, open.computation, caller, open.rect.moved(node.x, node.y)));
            queue.push((open.computation, Point { x: node.x + open.origin.x, y: node.y + open.origin.y }));
        }
    }
    view
}

fn frame(
    source: Source<'_>,
    id: ComputationId,
    caller: Option<(u32, CallSite)>,
    rect: Rect,
) -> Option<Frame> {
    let label = match caller.and_then(|(_, site)| source.calls.get(site)) {
        Some(call) => call.label(source.module),
        None => shortened(&source.module.get(id)?.name, MAX_LABEL_CHARS),
    };
    Some(Frame { computation: id, label, caller, rect })
}

/// The visit of one drawing.
struct Visit<'m> {
    source: Source<'m>,
    window: Rect,
    origin: Point,
    computation: ComputationId,
    frame: u32,
    max_items: usize,
}

impl Visit<'_> {
    /// The ranks that intersect the window, extended by those above and below it.
    fn ranks(&self, layout: &Layout) -> std::ops::Range<usize> {
        let ranks = &layout.positions.ranks;
        let top = self.window.y.saturating_sub(self.origin.y);
        let bottom = self.window.bottom().saturating_sub(self.origin.y);
        let start = ranks.partition_point(|(_, rank_bottom)| *rank_bottom < top);
        let end = ranks.partition_point(|(rank_top, _)| *rank_top <= bottom);
        start.saturating_sub(1)..end.max(start)
    }

    /// Adds the nodes; returns the open computations that intersect the window, with the boxes of their nodes.
    fn add_nodes(
        &self,
        layout: &Layout,
        body: &Computation,
        hidden: Option<&BTreeMap<InstructionId, (usize, usize)>>,
        view: &mut View,
    ) -> Vec<(Open, Rect)> {
        let mut opens = Vec::new();
        for rank in self.ranks(layout) {
            let items = layout.layered.ranks.get(rank).map_or(&[][..], Vec::as_slice);
            let left = self.window.x.saturating_sub(self.origin.x);
            let middle = |item: u32| layout.positions.centre_x[item as usize];
            let half =
                |item: u32| layout.sizes.get(item as usize).map_or(0, |(width, _)| width.div_euclid(2) + 1);
            // The items are in order, and do not overlap.
            let first = items.partition_point(|item| middle(*item) + half(*item) < left);
            for item in items[first..].iter().copied() {
                if middle(item) - half(item) > self.window.right().saturating_sub(self.origin.x) {
                    break;
                }
                if layout.layered.is_dummy(item) {
                    continue;
                }
                let rect = layout.rect(item).moved(self.origin.x, self.origin.y);
                if !rect.intersects(self.window) {
                    continue;
                }
                if view.nodes.len() >= self.max_items {
                    view.is_truncated = true;
                    return opens;
                }
                view.nodes.extend(self.node(layout, body, item, rect, hidden));
                let open = layout.open.get(&item).map_or(&[][..], Vec::as_slice);
                let is_visible = |open: &&Open| open.rect.moved(rect.x, rect.y).intersects(self.window);
                opens.extend(open.iter().filter(is_visible).map(|open| (*open, rect)));
            }
        }
        opens
    }

    fn node(
        &self,
        layout: &Layout,
        body: &Computation,
        node: u32,
        rect: Rect,
        hidden: Option<&BTreeMap<InstructionId, (usize, usize)>>,
    ) -> Option<Node> {
        let id = *layout.selection.nodes.get(node as usize)?;
        let instruction = body.get(id)?;
        let all_attached = layout.selection.attached.get(node as usize)?;
        let attached = all_attached.iter().take(MAX_ATTACHED).map(|(number, operand)| Attached {
            number: *number,
            id: *operand,
            label: attached_label(body, *operand),
        });
        let stubs = layout.stubs(node);
        let far_operand = |id: &InstructionId| {
            let operand = body.get(*id)?;
            Some(FarOperand { id: *id, name: shortened(operand.display_name(), MAX_LABEL_CHARS) })
        };
        let far_operands: Vec<FarOperand> =
            stubs.operands.iter().take(MAX_FAR_OPERANDS).filter_map(far_operand).collect();
        let (more_operands, more_users) = hidden.and_then(|h| h.get(&id)).copied().unwrap_or_default();
        let groups = self.source.calls.calls_by((self.computation, id)).iter().filter_map(|call| {
            let callee = self.source.module.get(call.callee)?;
            let open = layout.open.get(&node).map_or(&[][..], Vec::as_slice);
            Some(NodeGroup {
                site: call.site,
                computation: call.callee,
                label: call.label(self.source.module),
                role: call.role,
                instructions: callee.instructions.len(),
                is_open: self.source.folds.is_open(Group::Call(call.site))
                    && open.iter().any(|open| open.site == call.site),
            })
        });
        Some(Node {
            frame: self.frame,
            id,
            rect,
            name: shortened(&instruction.name, MAX_LABEL_CHARS),
            opcode: shortened(&instruction.opcode, MAX_LABEL_CHARS),
            category: instruction.op.map(|op| op.meta().category),
            shape: shortened(&instruction.shape, MAX_LABEL_CHARS),
            is_root: body.root == Some(id),
            attached: attached.collect(),
            more_attached: all_attached.len().saturating_sub(MAX_ATTACHED),
            more_operands: more_operands + stubs.operands.len() - far_operands.len(),
            more_users: more_users + stubs.users,
            far_operands,
            groups: groups.collect(),
        })
    }

    fn add_segments(&self, layout: &Layout, body: &Computation, view: &mut View) {
        let mut value_sizes: BTreeMap<InstructionId, Option<u64>> = BTreeMap::new();
        for rank in self.ranks(layout) {
            for link in layout.layered.links_below(rank) {
                // Cheap to check, and most links of a wide rank are far away.
                let (left, right) = self.extent(layout, link);
                if left > self.window.right() || right < self.window.x {
                    continue;
                }
                let points = self.points(layout, link);
                if !bounds(&points).intersects(self.window) {
                    continue;
                }
                if view.segments.len() >= self.max_items {
                    view.is_truncated = true;
                    return;
                }
                let nodes = &layout.selection.nodes;
                let Some(from) = nodes.get(layout.layered.source_of(link.upper) as usize).copied() else {
                    continue;
                };
                let to = link.edge.and_then(|edge| {
                    let user = nodes.get(link.lower as usize)?;
                    Some((*user, *layout.selection.numbers.get(edge as usize)?))
                });
                let bytes = match to.filter(|(user, _)| body.get(*user).is_some_and(reads_element)) {
                    Some((user, number)) => {
                        Edge::new(body, user, number as usize).and_then(|edge| edge.bytes)
                    }
                    // A tuple of many elements is measured once.
                    None => *value_sizes
                        .entry(from)
                        .or_insert_with(|| body.get(from).and_then(|value| value_bytes(&value.shape))),
                };
                view.segments.push(Segment { frame: self.frame, from, to, points, bytes });
            }
        }
    }

    /// The left and right ends of a link.
    fn extent(&self, layout: &Layout, link: &Link) -> (i32, i32) {
        let (a, b) = (layout.positions.centre_x[link.upper as usize], lower_end(layout, link));
        (a.min(b).saturating_add(self.origin.x), a.max(b).saturating_add(self.origin.x))
    }

    /// The points of a link, from the bottom of the upper item to the top of the lower one, or to its bottom if that is a
    /// dummy.
    fn points(&self, layout: &Layout, link: &Link) -> Vec<Point> {
        let rank = layout.layered.rank[link.upper as usize] as usize;
        let (upper, lower) = (layout.positions.ranks[rank], layout.positions.ranks[rank + 1]);
        let x = layout.positions.centre_x[link.upper as usize];
        let start = layout.sizes.get(link.upper as usize).map_or(upper.1, |(_, height)| upper.0 + height);
        let mut points = vec![Point { x, y: start }];
        // Straight down past taller nodes of the rank.
        if start < upper.1 {
            points.push(Point { x, y: upper.1 });
        }
        let x = lower_end(layout, link);
        points.push(Point { x, y: lower.0 });
        if layout.layered.is_dummy(link.lower) && lower.0 < lower.1 {
            points.push(Point { x, y: lower.1 });
        }
        points
            .iter()
            .map(|p| Point { x: p.x.saturating_add(self.origin.x), y: p.y.saturating_add(self.origin.y) })
            .collect()
    }
}

/// The position of a link's end on the upper edge of the lower item.
fn lower_end(layout: &Layout, link: &Link) -> i32 {
    let width = layout.sizes.get(link.lower as usize).map_or(0, |(width, _)| *width);
    layout.positions.centre_x[link.lower as usize] - width / 2 + port_offset(width, link.port)
}

/// Whether an instruction reads only part of its operand.
fn reads_element(instruction: &xla_hlo::Instruction) -> bool {
    instruction.opcode == "get-tuple-element"
}

#[allow(clippy::cast_possible_truncation, reason = "a fraction of an `i32`")]
fn port_offset(width: i32, port: f32) -> i32 {
    (f64::from(width) * f64::from(port)).round() as i32
}

/// The smallest rectangle that contains points.
fn bounds(points: &[Point]) -> Rect {
    let range = |value: fn(&Point) -> i32| {
        let (min, max) =
            points.iter().map(value).fold((i32::MAX, i32::MIN), |(a, b), v| (a.min(v), b.max(v)));
        (min, max.saturating_sub(min))
    };
    let ((x, width), (y, height)) = (range(|p| p.x), range(|p| p.y));
    Rect { x, y, width, height }
}
