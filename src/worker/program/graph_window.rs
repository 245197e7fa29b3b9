//! Transfers a window of a drawing from the query worker to the page: [`window`] is the query worker's side, [`picture`] the page's.

use super::ids::{call, site};
use super::wire::graph::{Area, Body, Frame, Node, Overview, Segment, Window};
use crate::hlo::InstructionId;
use crate::inspect::calls::Role;
use crate::inspect::graph::view::{self, Source};
use crate::inspect::graph::{self, Density, Graph, Point, Rect, View};
use crate::ops::{Category, ComputationId};

/// Maximum frames, maximum nodes and maximum segments of a window; with more, an overview is sent.
const MAX_ITEMS: usize = 1_600;

/// Maximum rows and columns of an overview.
const MAX_CELLS: u32 = 72;

/// The categories by their numbers on the wire.
const CATEGORIES: [Category; 11] = [
    Category::Unary,
    Category::Binary,
    Category::Movement,
    Category::Reduction,
    Category::Contraction,
    Category::Conversion,
    Category::Source,
    Category::Tuple,
    Category::Control,
    Category::Collective,
    Category::Host,
];

/// Converts a rectangle to the wire type.
pub fn area(rect: Rect) -> Area {
    Area { x: rect.x, y: rect.y, width: rect.width, height: rect.height }
}

fn rect(area: Area) -> Rect {
    Rect { x: area.x, y: area.y, width: area.width, height: area.height }
}

/// What intersects a rectangle of a drawing, or an overview of it with at most this many columns and rows.
pub fn window(graph: &Graph, source: Source<'_>, at: Area, (columns, rows): (u32, u32)) -> Window {
    let found = view::view(graph, source, rect(at), MAX_ITEMS);
    let mut window = Window { area: at, ..Window::default() };
    window.frames = found.frames.iter().map(frame).collect();
    if found.is_truncated {
        let density = Density::in_window(graph, rect(at), columns.min(MAX_CELLS), rows.min(MAX_CELLS));
        let cells = density.counts.iter().zip(&density.extents);
        let cells = cells.filter_map(|(count, extent)| Some((*count, area((*extent)?))));
        window.overview = Some(Overview { cells: cells.collect() });
        return window;
    }
    window.nodes = found.nodes.into_iter().map(node).collect();
    window.segments = found.segments.iter().map(segment).collect();
    window
}

fn frame(frame: &graph::Frame) -> Frame {
    Frame {
        computation: frame.computation.0,
        label: frame.label.clone(),
        caller: frame.caller.map(|(around, site)| (around, call(site))),
        area: area(frame.rect),
    }
}

fn node(node: graph::Node) -> Node {
    let category = node.category.and_then(|of_node| CATEGORIES.iter().position(|other| *other == of_node));
    Node {
        frame: node.frame,
        instruction: node.id.0,
        area: area(node.rect),
        name: node.name,
        opcode: node.opcode,
        category: category.and_then(|number| u8::try_from(number).ok()),
        shape: node.shape,
        is_root: node.is_root,
        attached: node.attached.into_iter().map(|each| (each.number, each.id.0, each.label)).collect(),
        more_attached: node.more_attached,
        far_operands: node.far_operands.into_iter().map(|far| (far.id.0, far.name)).collect(),
        more_operands: node.more_operands,
        more_users: node.more_users,
        bodies: node
            .groups
            .into_iter()
            .map(|group| Body {
                call: call(group.site),
                computation: group.computation.0,
                label: group.label,
                size: group.instructions,
                is_open: group.is_open,
            })
            .collect(),
    }
}

fn segment(segment: &graph::Segment) -> Segment {
    Segment {
        frame: segment.frame,
        from: segment.from.0,
        to: segment.to.map(|(user, number)| (user.0, number)),
        points: segment.points.iter().flat_map(|point| [point.x, point.y]).collect(),
        bytes: segment.bytes,
    }
}

/// Converts a received window for drawing.
pub fn picture(window: &Window) -> View {
    View {
        frames: window.frames.iter().map(drawn_frame).collect(),
        nodes: window.nodes.iter().map(drawn_node).collect(),
        segments: window.segments.iter().map(drawn_segment).collect(),
        is_truncated: window.overview.is_some(),
    }
}

/// Converts a received overview for drawing.
pub fn overview(found: &Overview) -> Density {
    Density {
        columns: 0,
        rows: 0,
        counts: found.cells.iter().map(|(count, _)| *count).collect(),
        extents: found.cells.iter().map(|(_, extent)| Some(rect(*extent))).collect(),
    }
}

fn drawn_frame(frame: &Frame) -> graph::Frame {
    graph::Frame {
        computation: ComputationId(frame.computation),
        label: frame.label.clone(),
        caller: frame.caller.map(|(around, call)| (around, site(call))),
        rect: rect(frame.area),
    }
}

fn drawn_node(node: &Node) -> graph::Node {
    graph::Node {
        frame: node.frame,
        id: InstructionId(node.instruction),
        rect: rect(node.area),
        name: node.name.clone(),
        opcode: node.opcode.clone(),
        category: node.category.and_then(|number| CATEGORIES.get(usize::from(number)).copied()),
        shape: node.shape.clone(),
        is_root: node.is_root,
        attached: node
            .attached
            .iter()
            .map(|(number, id, label)| graph::Attached {
                number: *number,
                id: InstructionId(*id),
                label: label.clone(),
            })
            .collect(),
        more_attached: node.more_attached,
        far_operands: node
            .far_operands
            .iter()
            .map(|(id, name)| graph::FarOperand { id: InstructionId(*id), name: name.clone() })
            .collect(),
        more_operands: node.more_operands,
        more_users: node.more_users,
        groups: node
            .bodies
            .iter()
            .map(|body| graph::NodeGroup {
                site: site(body.call),
                computation: ComputationId(body.computation),
                label: body.label.clone(),
                // Not drawn.
                role: Role::Called,
                instructions: body.size,
                is_open: body.is_open,
            })
            .collect(),
    }
}

fn drawn_segment(segment: &Segment) -> graph::Segment {
    let points = segment.points.chunks_exact(2).filter_map(|pair| match *pair {
        [x, y] => Some(Point { x, y }),
        _ => None,
    });
    graph::Segment {
        frame: segment.frame,
        from: InstructionId(segment.from),
        to: segment.to.map(|(user, number)| (InstructionId(user), number)),
        points: points.collect(),
        bytes: segment.bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::calls::CallGraph;
    use crate::inspect::outline::Folds;

    #[test]
    fn the_page_draws_what_the_query_worker_found() {
        let module = crate::hlo::parse(include_str!("../../../static/programs/scan.hlo")).module;
        let (calls, folds) = (CallGraph::new(&module), Folds::all_open());
        let graph = Graph::new(&module, &calls, module.entry.unwrap(), &folds);
        let source = Source { module: &module, calls: &calls, folds: &folds };
        let (width, height) = graph.size();
        let whole = Rect { x: 0, y: 0, width, height };
        let mut expected = view::view(&graph, source, whole, MAX_ITEMS);
        for group in expected.nodes.iter_mut().flat_map(|node| &mut node.groups) {
            group.role = Role::Called;
        }
        assert!(expected.nodes.len() > 20 && expected.frames.len() > 2);
        assert_eq!(picture(&window(&graph, source, area(whole), (8, 8))), expected);
    }
}
