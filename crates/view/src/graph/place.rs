//! The places of a computation's nodes and the lines between them.

use super::parts::{Edge, Frame, LOOP_DROP, Loop, Node, Plane, Point, REGION_HEAD};
use super::rows::{Neighbour, Operand, Rows, real};

/// The space around everything.
pub(super) const MARGIN: i32 = 12;
/// The space between rows, for the lines.
const ROW_GAP: i32 = 34;
const COLUMN_GAP: i32 = 18;
/// The width of a lane.
const LANE: i32 = 8;
/// The height of a node's own text: two lines.
const HEAD: i32 = 42;
const CHAR_TENTHS: i32 = 74;
const REGION_GAP: i32 = 16;
/// The space between the computations of a loop, for an arrow.
const LOOP_GAP: i32 = 34;

fn text_width(text: &str) -> i32 {
    i32::try_from(text.chars().count()).unwrap_or(0) * CHAR_TENTHS / 10
}

/// Composes a node at the origin of its text and the computations it calls, whose frames have their inner sizes.
pub(super) fn compose(node: &mut Node, is_loop: bool) {
    let title = format!("{}{} {}", if node.is_root { "ROOT " } else { "" }, node.opcode, node.name);
    let own = (text_width(&title).max(text_width(&node.shape)) + 20).max(72);
    let gap = if is_loop { LOOP_GAP } else { REGION_GAP };
    let (mut x, mut bottom) = (MARGIN, HEAD);
    for region in &mut node.regions {
        let label = text_width(&region.label()) + 2 * MARGIN;
        let (width, height) = (region.frame.width, region.frame.height);
        region.frame = Frame {
            x,
            y: HEAD + 4,
            width: (width + 2 * MARGIN).max(label),
            height: height + REGION_HEAD + 2 * MARGIN,
        };
        // In the middle, if the label is wider.
        let inset = (region.frame.width - width) / 2;
        translate(&mut region.plane, x + inset, HEAD + 4 + REGION_HEAD + MARGIN);
        x += region.frame.width + gap;
        bottom = bottom.max(region.frame.y + region.frame.height + MARGIN);
    }
    if let (true, [condition, body]) = (is_loop, &node.regions[..]) {
        node.arrows = Some(Loop { condition: condition.frame, body: body.frame });
        bottom += LOOP_DROP;
    }
    let inner = if node.regions.is_empty() { 0 } else { x - gap + MARGIN };
    node.frame = Frame { x: 0, y: 0, width: own.max(inner), height: bottom };
    node.head = Frame { height: HEAD, ..node.frame };
}

/// Moves everything of a computation.
pub(super) fn translate(plane: &mut Plane, dx: i32, dy: i32) {
    for node in &mut plane.nodes {
        move_node(node, dx, dy);
    }
    for point in plane.edges.iter_mut().flat_map(|edge| &mut edge.points) {
        (point.x, point.y) = (point.x + dx, point.y + dy);
    }
}

fn move_node(node: &mut Node, dx: i32, dy: i32) {
    let moved = |frame: &mut Frame| (frame.x, frame.y) = (frame.x + dx, frame.y + dy);
    moved(&mut node.frame);
    moved(&mut node.head);
    if let Some(arrows) = &mut node.arrows {
        moved(&mut arrows.condition);
        moved(&mut arrows.body);
    }
    for region in &mut node.regions {
        moved(&mut region.frame);
        translate(&mut region.plane, dx, dy);
    }
}

/// The left edges nearest to the wanted ones, without overlaps, in the given order.
fn separate(wanted: &[f64], widths: &[i32]) -> Vec<f64> {
    let gap = f64::from(COLUMN_GAP);
    let mut from_left: Vec<f64> = wanted.to_vec();
    for i in 1..wanted.len() {
        from_left[i] = from_left[i].max(from_left[i - 1] + f64::from(widths[i - 1]) + gap);
    }
    let mut from_right: Vec<f64> = wanted.to_vec();
    for i in (1..wanted.len()).rev() {
        from_right[i - 1] = from_right[i - 1].min(from_right[i] - f64::from(widths[i - 1]) - gap);
    }
    // The mean of two arrangements without overlaps has none.
    from_left.iter().zip(&from_right).map(|(a, b)| f64::midpoint(*a, *b)).collect()
}

/// The left edge of every item.
fn columns(rows: &Rows, widths: &[i32]) -> Vec<f64> {
    let mut left = vec![0.0; widths.len()];
    let middle = |left: &[f64], item: usize| left[item] + f64::from(widths[item]) / 2.0;
    let port = |left: &[f64], (item, at): Neighbour| left[item] + f64::from(widths[item]) * at;
    for sweep in 0..5 {
        let count = rows.items.len();
        for step in 0..count {
            let is_down = sweep % 2 == 0;
            let row = &rows.items[if is_down { step } else { count - 1 - step }];
            let wanted: Vec<f64> = row
                .iter()
                .map(|item| {
                    let half = f64::from(widths[*item]) / 2.0;
                    let own = if is_down { &rows.above[*item] } else { &rows.below[*item] };
                    if own.is_empty() {
                        return left[*item];
                    }
                    let aims = own.iter().map(|neighbour| {
                        if is_down {
                            // Its own port comes under the middle of what is above.
                            middle(&left, neighbour.0) - f64::from(widths[*item]) * neighbour.1
                        } else {
                            port(&left, *neighbour) - half
                        }
                    });
                    aims.sum::<f64>() / real(own.len())
                })
                .collect();
            let own: Vec<i32> = row.iter().map(|item| widths[*item]).collect();
            for (item, x) in row.iter().zip(separate(&wanted, &own)) {
                left[*item] = x;
            }
        }
    }
    left
}

/// A whole number of pixels; positions are bounded by the number of nodes.
#[allow(clippy::cast_possible_truncation, reason = "positions are bounded by the number of nodes")]
fn pixels(x: f64) -> i32 {
    x.round() as i32
}

/// Places the nodes of a computation, and returns the lines, the width and the height.
pub(super) fn place(rows: &Rows, nodes: &mut [Node]) -> (Vec<Edge>, i32, i32) {
    let items = rows.above.len();
    let widths: Vec<i32> =
        (0..items).map(|item| nodes.get(item).map_or(LANE, |node| node.frame.width)).collect();
    let left = columns(rows, &widths);
    let first = left.iter().copied().fold(f64::INFINITY, f64::min);
    let left: Vec<i32> = left.iter().map(|x| pixels(x - first)).collect();
    let mut tops = Vec::with_capacity(rows.items.len());
    // Lines from nowhere start above the first row.
    let has_cut = rows.operands.iter().any(|o| o.from.is_none() && rows.row(o.to) == 0);
    let mut y = if has_cut { ROW_GAP / 2 } else { 0 };
    for row in &rows.items {
        let height =
            row.iter().filter_map(|item| nodes.get(*item)).map(|node| node.frame.height).max().unwrap_or(0);
        tops.push((y, y + height));
        y += height + ROW_GAP;
    }
    for (item, node) in nodes.iter_mut().enumerate() {
        move_node(node, left[item], tops[rows.row(item)].0);
    }
    let edges = rows.operands.iter().map(|operand| edge(rows, *operand, nodes, (&left, &tops))).collect();
    let width = (0..items).map(|item| left[item] + widths[item]).max().unwrap_or(0);
    (edges, width, (y - ROW_GAP).max(0))
}

/// The line of an operand.
fn edge(rows: &Rows, operand: Operand, nodes: &[Node], (left, tops): (&[i32], &[(i32, i32)])) -> Edge {
    let user = &nodes[operand.to].frame;
    let end = Point { x: user.x + pixels(f64::from(user.width) * operand.port()), y: user.y };
    let mut points = Vec::new();
    for item in rows.line(operand) {
        if item == operand.to {
            continue;
        }
        if let Some(node) = nodes.get(item) {
            let from = node.frame.bottom();
            points.push(from);
            // Past taller nodes beside it.
            points.extend(Some(tops[rows.row(item)].1).filter(|y| *y > from.y).map(|y| Point { y, ..from }));
            continue;
        }
        let (top, bottom) = tops[rows.row(item)];
        let x = left[item] + LANE / 2;
        points.extend([Point { x, y: top }, Point { x, y: bottom }]);
    }
    let is_cut = points.is_empty();
    if is_cut {
        points.push(Point { x: end.x, y: end.y - ROW_GAP / 2 });
    }
    points.push(end);
    Edge { points, number: (operand.count > 1).then_some(operand.number), is_cut }
}
