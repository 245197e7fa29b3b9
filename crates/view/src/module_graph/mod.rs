//! The visible window of a module's graph as a [`Scene`], for the canvas and for SVG.
//!
//! [`scene`] draws what [`xla_inspect::graph::view`](mod@xla_inspect::graph::view) found: boxes whose tint shows the kind of op,
//! edges whose width shows the bytes they carry, open computations as frames. Small scales omit texts. [`overlay`] draws the
//! selection and the part under the pointer over it, so that moving the pointer does not repaint the graph; [`density_scene`] draws an
//! overview of any size.

mod edge;
mod kind;
mod node;
mod viewport;

use edge::Labels;
pub use edge::edge_width;
pub use kind::Kind;
pub use viewport::Viewport;

use xla_hlo::InstructionId;
use xla_inspect::graph::{Density, Frame, Segment, View};

use viewport::TEXT_SIZE;

use super::scene::{Anchor, Ink, Rect, Scene, Stroke};

/// An instruction of a view: its frame, by index, and its id.
pub type NodeRef = (u32, InstructionId);

/// A part of a view under the pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A node.
    Node(NodeRef),
    /// The mark of a node that expands and folds the computations it calls.
    Fold(NodeRef),
    /// A segment of an edge, by its index.
    Segment(usize),
}

impl Part {
    /// The node.
    pub fn node(self) -> Option<NodeRef> {
        match self {
            Self::Node(node) | Self::Fold(node) => Some(node),
            Self::Segment(_) => None,
        }
    }
}

/// Pixels around an edge in which the pointer is on it.
const EDGE_REACH: f64 = 6.0;

/// The graph without selection.
pub fn scene(view: &View, viewport: &Viewport) -> Scene {
    let mut scene = Scene::new(viewport.width, viewport.height);
    // A frame covers its caller, and its content covers it. Outer frames precede nested ones.
    for (index, frame) in (0_u32..).zip(&view.frames) {
        if frame.caller.is_some() {
            draw_frame(&mut scene, frame, viewport);
        }
        for segment in items_in_frame(&view.segments, index, |segment| segment.frame) {
            edge::draw(&mut scene, segment, viewport, None);
        }
        for node in items_in_frame(&view.nodes, index, |node| node.frame) {
            node::draw(&mut scene, node, viewport);
        }
    }
    scene
}

/// The items of a frame, which are contiguous.
fn items_in_frame<T>(items: &[T], frame: u32, frame_of: impl Fn(&T) -> u32) -> &[T] {
    let start = items.partition_point(|item| frame_of(item) < frame);
    let count = items[start..].partition_point(|item| frame_of(item) == frame);
    &items[start..start + count]
}

/// The highlights over [`scene`]: the selected node and the part under the pointer. A node has the edges to its operands and
/// users, which carry the index of the operand and the shape of the value.
pub fn overlay(view: &View, viewport: &Viewport, selected: Option<NodeRef>, hovered: Option<Part>) -> Scene {
    let mut scene = Scene::new(viewport.width, viewport.height);
    let mut labels = Labels::default();
    let hovered_segment = hovered.and_then(|part| match part {
        Part::Segment(index) => view.segments.get(index),
        _ => None,
    });
    let mut hovered_edge = Vec::new();
    if let Some(segment) = hovered_segment {
        // The whole edge: what the value passes on its way to this user, or to all of them.
        let is_of_edge = |other: &&Segment| {
            (other.frame, other.from) == (segment.frame, segment.from)
                && (segment.to.is_none() || other.to.is_none() || other.to == segment.to)
        };
        for part in view.segments.iter().filter(is_of_edge) {
            edge::draw(&mut scene, part, viewport, Some(Ink::Hover));
            hovered_edge.push(part);
        }
    }
    for (node, ink) in [(hovered.and_then(Part::node), Ink::Hover), (selected, Ink::Select)] {
        let Some((frame, id)) = node else { continue };
        let touches = |from: InstructionId, to: Option<InstructionId>| from == id || to == Some(id);
        let segments = view.segments.iter().filter(|segment| segment.frame == frame);
        for segment in segments.filter(|segment| touches(segment.from, segment.to.map(|(user, _)| user))) {
            let value = view.nodes.iter().find(|node| node.frame == frame && node.id == segment.from);
            let shape = value.map_or("", |node| node.shape.as_str());
            edge::draw(&mut scene, segment, viewport, Some(ink));
            labels.add(segment, viewport, shape);
        }
        for node in view.nodes.iter().filter(|node| node.frame == frame && node.id == id) {
            let rect = viewport.rect(node.rect).grown(2.0);
            scene.outline(rect, 6.0, Stroke::solid(ink, 2.5));
        }
    }
    for segment in hovered_edge {
        labels.add(segment, viewport, "");
    }
    labels.draw(&mut scene, viewport);
    scene
}

/// The part at a point of the picture: the innermost node, else the nearest edge.
pub fn part_at(view: &View, viewport: &Viewport, x: f64, y: f64) -> Option<Part> {
    // Frames are in order of nesting, so that the last node is the innermost.
    let at = view.nodes.iter().filter(|node| viewport.rect(node.rect).contains(x, y));
    let frame_at = view.frames.iter().zip(0..).filter(|(frame, _)| viewport.rect(frame.rect).contains(x, y));
    let innermost: Option<u32> = frame_at.map(|(_, index)| index).last();
    if let Some(node) = at.max_by_key(|node| node.frame) {
        let found = (node.frame, node.id);
        let is_on_mark = node::fold_mark(node, viewport).is_some_and(|mark| mark.contains(x, y));
        // Between the nodes of an open body, the pointer is on the body and not on its caller.
        if innermost.is_none_or(|frame| frame <= node.frame) || is_on_mark {
            return Some(if is_on_mark { Part::Fold(found) } else { Part::Node(found) });
        }
    }
    let near = (0..).zip(&view.segments).filter_map(|(index, segment)| {
        let distance = edge::distance(segment, viewport, x, y, EDGE_REACH)?;
        Some((index, distance))
    });
    let nearest = near.min_by(|a, b| a.1.total_cmp(&b.1));
    nearest.map(|(index, _)| Part::Segment(index))
}

fn draw_frame(scene: &mut Scene, frame: &Frame, viewport: &Viewport) {
    let rect = viewport.rect(frame.rect);
    let stroke = Stroke { ink: Ink::LineStrong, width: 1.0, dash: Some([4.0, 3.0]) };
    scene.fill(rect, 6.0, Ink::Background);
    scene.outline(rect, 6.0, stroke);
    if viewport.has_text() {
        let at = viewport.point(f64::from(frame.rect.x + 12), f64::from(frame.rect.y + 13));
        scene.label(at, frame.label.clone(), TEXT_SIZE * viewport.scale, Anchor::Start, Ink::Soft);
    }
}

/// An overview: the extents of the nodes in each cell, darker where there are more.
pub fn density_scene(density: &Density, viewport: &Viewport) -> Scene {
    let mut scene = Scene::new(viewport.width, viewport.height);
    let max_count = density.counts.iter().copied().max().unwrap_or(0);
    for (extent, count) in density.extents.iter().zip(&density.counts) {
        let Some(extent) = extent else { continue };
        let rect = viewport.rect(*extent);
        // At least one pixel, so that sparse parts are visible.
        let rect = Rect { w: rect.w.max(1.0), h: rect.h.max(1.0), ..rect };
        let ink = if *count > max_count / 2 {
            Ink::Soft
        } else if *count > max_count / 8 {
            Ink::LineStrong
        } else {
            Ink::Line
        };
        scene.fill(rect, 0.0, ink);
    }
    scene
}
