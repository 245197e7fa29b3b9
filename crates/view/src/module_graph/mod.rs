//! The visible window of a module's graph as a [`Scene`], for the canvas and for SVG.
//!
//! [`scene`] draws what [`xla_inspect::graph::view`](mod@xla_inspect::graph::view) found: boxes whose tint shows the kind of op,
//! edges whose width shows the bytes they carry, open computations as frames. Small scales omit texts. [`overlay`] draws the
//! selection and the hovered node over it, so that moving the pointer does not repaint the graph; [`density_scene`] draws an
//! overview of any size.

mod edge;
mod kind;
mod node;
mod viewport;

pub use edge::edge_width;
pub use kind::Kind;
pub use viewport::Viewport;

use xla_hlo::InstructionId;
use xla_inspect::graph::{Density, Frame, View};

use viewport::TEXT_SIZE;

use super::scene::{Anchor, Ink, Rect, Scene, Stroke};

/// An instruction of a view: its frame, by index, and its id.
pub type NodeRef = (u32, InstructionId);

/// The graph without selection.
pub fn scene(view: &View, viewport: &Viewport) -> Scene {
    let mut scene = Scene::new(viewport.width, viewport.height);
    // A frame covers its caller, and is covered by what is within it. Frames precede those within them.
    for (index, frame) in (0_u32..).zip(&view.frames) {
        if frame.caller.is_some() {
            draw_frame(&mut scene, frame, viewport);
        }
        for segment in of_frame(&view.segments, index, |segment| segment.frame) {
            edge::draw(&mut scene, segment, viewport, None);
        }
        for node in of_frame(&view.nodes, index, |node| node.frame) {
            node::draw(&mut scene, node, viewport);
        }
    }
    scene
}

/// The items of a frame, which are contiguous.
fn of_frame<T>(items: &[T], frame: u32, frame_of: impl Fn(&T) -> u32) -> &[T] {
    let start = items.partition_point(|item| frame_of(item) < frame);
    let count = items[start..].partition_point(|item| frame_of(item) == frame);
    &items[start..start + count]
}

/// The highlights over [`scene`]: the selected and the hovered node with the edges to their operands and users.
pub fn overlay(
    view: &View,
    viewport: &Viewport,
    selected: Option<NodeRef>,
    hovered: Option<NodeRef>,
) -> Scene {
    let mut scene = Scene::new(viewport.width, viewport.height);
    for (node, ink) in [(hovered, Ink::Hover), (selected, Ink::Select)] {
        let Some((frame, id)) = node else { continue };
        let touches = |from: InstructionId, to: Option<InstructionId>| from == id || to == Some(id);
        let segments = view.segments.iter().filter(|segment| segment.frame == frame);
        for segment in segments.filter(|segment| touches(segment.from, segment.to.map(|(user, _)| user))) {
            edge::draw(&mut scene, segment, viewport, Some(ink));
        }
        for node in view.nodes.iter().filter(|node| node.frame == frame && node.id == id) {
            let rect = viewport.rect(node.rect).grown(2.0);
            scene.outline(rect, 6.0, Stroke::solid(ink, 2.5));
        }
    }
    scene
}

/// The innermost node at a point of the picture.
pub fn node_at(view: &View, viewport: &Viewport, x: f64, y: f64) -> Option<NodeRef> {
    // Frames are in order of nesting, so that the last node is the innermost.
    let at = view.nodes.iter().filter(|node| viewport.rect(node.rect).contains(x, y));
    at.max_by_key(|node| node.frame).map(|node| (node.frame, node.id))
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
    let most = density.counts.iter().copied().max().unwrap_or(0);
    for (extent, count) in density.extents.iter().zip(&density.counts) {
        let Some(extent) = extent else { continue };
        let rect = viewport.rect(*extent);
        // At least one pixel, so that sparse parts are visible.
        let rect = Rect { w: rect.w.max(1.0), h: rect.h.max(1.0), ..rect };
        let ink = if *count > most / 2 {
            Ink::Soft
        } else if *count > most / 8 {
            Ink::LineStrong
        } else {
            Ink::Line
        };
        scene.fill(rect, 0.0, ink);
    }
    scene
}
