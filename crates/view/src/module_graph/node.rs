//! Nodes: opcode and name, shape, attached constants, and marks of what is not drawn.

use xla_inspect::graph::Node;

use super::kind::Kind;
use super::viewport::{TEXT_SIZE, Viewport};
use crate::scene::{Anchor, Ink, Item, Label, Rect, Scene, Stroke};

/// The positions of the lines, from the top of the node.
const TITLE_LINE: i32 = 14;
const SHAPE_LINE: i32 = 30;
const ATTACHED_LINE: i32 = 48;
const LINE_HEIGHT: i32 = 18;
/// The width of a character at [`TEXT_SIZE`], and the space at the left.
const CHAR_WIDTH: f64 = 7.4;
const INSET: f64 = 10.0;
/// The side of the mark of a call.
const MARK_SIDE: f64 = 26.0;
/// The length of the stubs of edges that are not drawn.
const STUB_LENGTH: f64 = 12.0;

pub(super) fn draw(scene: &mut Scene, node: &Node, viewport: &Viewport) {
    let rect = viewport.rect(node.rect);
    let kind = Kind::new(node.category);
    let (radius, scale) = (5.0 * viewport.scale, viewport.scale);
    scene.fill(rect, radius, Ink::Background);
    if let Some(tint) = kind.tint() {
        scene.fill(rect, radius, tint);
    }
    if !viewport.has_details() {
        return;
    }
    // A call has a second outline, as its body is one click away.
    if !node.groups.is_empty() {
        scene.outline(rect.grown(2.5 * scale), radius, Stroke::solid(Ink::Line, 1.0));
    }
    scene.outline(
        rect,
        radius,
        Stroke::solid(kind.mark(), if node.is_root { 2.5 } else { 1.0 } * scale.max(0.5)),
    );
    if viewport.has_text() {
        draw_texts(scene, node, viewport);
    }
    draw_stubs(scene, node, rect, viewport);
}

/// The box of the mark that opens and folds what a node calls, if it has one.
pub(super) fn fold_mark(node: &Node, viewport: &Viewport) -> Option<Rect> {
    if node.groups.is_empty() || !viewport.has_text() {
        return None;
    }
    let side = MARK_SIDE * viewport.scale;
    let rect = viewport.rect(node.rect);
    Some(Rect::new(rect.x + rect.w - side, rect.y, side, side))
}

/// The lines of text, as wide as the layout assumes.
fn draw_texts(scene: &mut Scene, node: &Node, viewport: &Viewport) {
    let (left, size) = (f64::from(node.rect.x) + INSET, TEXT_SIZE * viewport.scale);
    let at = |x: f64, line: i32| viewport.point(x, f64::from(node.rect.y + line));
    let title = format!("{}{}", if node.is_root { "ROOT " } else { "" }, node.opcode);
    let title_width = CHAR_WIDTH * count(&title) + CHAR_WIDTH;
    let (x, y) = at(left, TITLE_LINE);
    let bold = Label { x, y, text: title, size, bold: true, anchor: Anchor::Start, ink: Ink::Strong };
    scene.items.push(Item::Label(bold));
    if !node.name.is_empty() {
        scene.label(at(left + title_width, TITLE_LINE), node.name.clone(), size, Anchor::Start, Ink::Soft);
    }
    if let Some(mark) = fold_mark(node, viewport) {
        let is_open = node.groups.iter().any(|group| group.is_open);
        scene.centred_label(mark, if is_open { "▾" } else { "▸" }, size, true, Ink::Strong);
    }
    scene.label(at(left, SHAPE_LINE), node.shape.clone(), size, Anchor::Start, Ink::Soft);
    for (line, attached) in (0..).zip(&node.attached) {
        let is_last = node.attached.len() == usize::try_from(line).unwrap_or(0) + 1;
        let more = if is_last && node.more_attached > 0 {
            format!(" +{}", node.more_attached)
        } else {
            String::new()
        };
        let text = format!("{}: {}{more}", attached.number, attached.label);
        let position = at(left, ATTACHED_LINE + line * LINE_HEIGHT);
        scene.label(position, text, size * 0.9, Anchor::Start, Ink::Faint);
    }
}

#[allow(clippy::cast_precision_loss, reason = "the length of a label")]
fn count(text: &str) -> f64 {
    text.chars().count() as f64
}

/// The edges that are not drawn: their number, and the operand if it is the only one.
fn draw_stubs(scene: &mut Scene, node: &Node, rect: Rect, viewport: &Viewport) {
    let operands = node.far_operands.len() + node.more_operands;
    let dashed = Stroke { ink: Ink::LineStrong, width: 1.0, dash: Some([2.0, 2.0]) };
    let length = STUB_LENGTH * viewport.scale;
    let size = 10.0 * viewport.scale;
    let x = rect.x + 12.0 * viewport.scale;
    if operands > 0 {
        scene.line((x, rect.y - length), (x, rect.y), dashed);
        if viewport.has_text() {
            let text = match &node.far_operands[..] {
                [only] if operands == 1 => only.name.clone(),
                _ => format!("+{operands}"),
            };
            scene.label((x + 4.0, rect.y - length * 0.6), text, size, Anchor::Start, Ink::Faint);
        }
    }
    if node.more_users > 0 {
        let bottom = rect.y + rect.h;
        scene.line((x, bottom), (x, bottom + length), dashed);
        if viewport.has_text() {
            let text = format!("+{}", node.more_users);
            scene.label((x + 4.0, bottom + length * 0.6), text, size, Anchor::Start, Ink::Faint);
        }
    }
}
