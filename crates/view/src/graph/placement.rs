//! The positions of a computation's nodes and the edges between them.

use super::parts::{
    BACK_EDGE_DROP, CALLED_LABEL_HEIGHT, Edge, LoopArrows, Node, Point, Rect, Subgraph, bottom_middle,
};
use super::rows::{Neighbour, Operand, Rows, to_f64};

/// The margin of the graph and of every called computation.
pub(super) const MARGIN: i32 = 12;
/// The space between rows, for the edges.
const ROW_GAP: i32 = 34;
const COLUMN_GAP: i32 = 18;
/// The width of a dummy node, in which an edge crosses a row.
const DUMMY_WIDTH: i32 = 8;
/// The height of a node's label: two lines.
const NODE_LABEL_HEIGHT: i32 = 42;
/// The width of a character, in tenths of a pixel.
const CHAR_TENTHS: i32 = 74;
/// The space between called computations.
const CALLED_GAP: i32 = 16;
/// The space between the computations of a loop, for an arrow.
const LOOP_GAP: i32 = 34;

/// Passes over the rows, alternately down and up, that move items towards their neighbours.
const SWEEPS: usize = 5;

fn text_width(text: &str) -> i32 {
    i32::try_from(text.chars().count()).unwrap_or(0) * CHAR_TENTHS / 10
}

/// Lays out a node at the origin: its label, and below it the computations it calls. On entry, the rectangle of each has
/// the size of its subgraph; on return, that of its box.
pub(super) fn lay_out(node: &mut Node, is_loop: bool) {
    let title = format!("{}{} {}", if node.is_root { "ROOT " } else { "" }, node.opcode, node.name);
    let label_width = (text_width(&title).max(text_width(&node.shape)) + 20).max(72);
    let gap = if is_loop { LOOP_GAP } else { CALLED_GAP };
    let (mut x, mut bottom) = (MARGIN, NODE_LABEL_HEIGHT);
    for called in &mut node.called {
        let called_label_width = text_width(&called.label()) + 2 * MARGIN;
        let (width, height) = (called.rect.width, called.rect.height);
        called.rect = Rect {
            x,
            y: NODE_LABEL_HEIGHT + 4,
            width: (width + 2 * MARGIN).max(called_label_width),
            height: height + CALLED_LABEL_HEIGHT + 2 * MARGIN,
        };
        // Centres the subgraph if the label is wider.
        let inset = (called.rect.width - width) / 2;
        translate(&mut called.subgraph, x + inset, NODE_LABEL_HEIGHT + 4 + CALLED_LABEL_HEIGHT + MARGIN);
        x += called.rect.width + gap;
        bottom = bottom.max(called.rect.y + called.rect.height + MARGIN);
    }
    if let (true, [condition, body]) = (is_loop, &node.called[..]) {
        node.loop_arrows = Some(LoopArrows { condition: condition.rect, body: body.rect });
        bottom += BACK_EDGE_DROP;
    }
    let called_width = if node.called.is_empty() { 0 } else { x - gap + MARGIN };
    node.rect = Rect { x: 0, y: 0, width: label_width.max(called_width), height: bottom };
    node.label_rect = Rect { height: NODE_LABEL_HEIGHT, ..node.rect };
}

/// Moves a computation with everything in it.
pub(super) fn translate(subgraph: &mut Subgraph, dx: i32, dy: i32) {
    for node in &mut subgraph.nodes {
        move_node(node, dx, dy);
    }
    for point in subgraph.edges.iter_mut().flat_map(|edge| &mut edge.points) {
        (point.x, point.y) = (point.x + dx, point.y + dy);
    }
}

fn move_node(node: &mut Node, dx: i32, dy: i32) {
    let shift = |rect: &mut Rect| (rect.x, rect.y) = (rect.x + dx, rect.y + dy);
    shift(&mut node.rect);
    shift(&mut node.label_rect);
    if let Some(arrows) = &mut node.loop_arrows {
        shift(&mut arrows.condition);
        shift(&mut arrows.body);
    }
    for called in &mut node.called {
        shift(&mut called.rect);
        translate(&mut called.subgraph, dx, dy);
    }
}

/// The left edges closest to the desired ones, in the same order, without overlaps.
fn separate(desired: &[f64], widths: &[i32]) -> Vec<f64> {
    let gap = f64::from(COLUMN_GAP);
    let mut from_left: Vec<f64> = desired.to_vec();
    for i in 1..desired.len() {
        from_left[i] = from_left[i].max(from_left[i - 1] + f64::from(widths[i - 1]) + gap);
    }
    let mut from_right: Vec<f64> = desired.to_vec();
    for i in (1..desired.len()).rev() {
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
    for sweep in 0..SWEEPS {
        let count = rows.items.len();
        for step in 0..count {
            let is_down = sweep % 2 == 0;
            let row = &rows.items[if is_down { step } else { count - 1 - step }];
            let desired: Vec<f64> = row
                .iter()
                .map(|item| {
                    let half = f64::from(widths[*item]) / 2.0;
                    let neighbours = if is_down { &rows.above[*item] } else { &rows.below[*item] };
                    if neighbours.is_empty() {
                        return left[*item];
                    }
                    let targets = neighbours.iter().map(|neighbour| {
                        if is_down {
                            // Centres its port below the operand.
                            middle(&left, neighbour.0) - f64::from(widths[*item]) * neighbour.1
                        } else {
                            port(&left, *neighbour) - half
                        }
                    });
                    targets.sum::<f64>() / to_f64(neighbours.len())
                })
                .collect();
            let row_widths: Vec<i32> = row.iter().map(|item| widths[*item]).collect();
            for (item, x) in row.iter().zip(separate(&desired, &row_widths)) {
                left[*item] = x;
            }
        }
    }
    left
}

/// Rounds to whole pixels.
#[allow(clippy::cast_possible_truncation, reason = "positions are bounded by the number of nodes")]
fn pixels(x: f64) -> i32 {
    x.round() as i32
}

/// Places the nodes of a computation, and returns the edges, the width and the height.
pub(super) fn place_nodes(rows: &Rows, nodes: &mut [Node]) -> (Vec<Edge>, i32, i32) {
    let items = rows.above.len();
    let widths: Vec<i32> =
        (0..items).map(|item| nodes.get(item).map_or(DUMMY_WIDTH, |node| node.rect.width)).collect();
    let left = columns(rows, &widths);
    let first = left.iter().copied().fold(f64::INFINITY, f64::min);
    let left: Vec<i32> = left.iter().map(|x| pixels(x - first)).collect();
    let mut tops = Vec::with_capacity(rows.items.len());
    // Stubs start above the first row.
    let has_stub = rows.operands.iter().any(|o| o.from.is_none() && rows.row(o.to) == 0);
    let mut y = if has_stub { ROW_GAP / 2 } else { 0 };
    for row in &rows.items {
        let height =
            row.iter().filter_map(|item| nodes.get(*item)).map(|node| node.rect.height).max().unwrap_or(0);
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

/// The edge of an operand.
fn edge(rows: &Rows, operand: Operand, nodes: &[Node], (left, tops): (&[i32], &[(i32, i32)])) -> Edge {
    let user = &nodes[operand.to].rect;
    let end = Point { x: user.x + pixels(f64::from(user.width) * operand.port()), y: user.y };
    let mut points = Vec::new();
    for item in rows.edge_chain(operand) {
        if item == operand.to {
            continue;
        }
        if let Some(node) = nodes.get(item) {
            let from = bottom_middle(node.rect);
            points.push(from);
            // Straight down to the bottom of the row, past taller nodes in it.
            points.extend(Some(tops[rows.row(item)].1).filter(|y| *y > from.y).map(|y| Point { y, ..from }));
            continue;
        }
        let (top, bottom) = tops[rows.row(item)];
        let x = left[item] + DUMMY_WIDTH / 2;
        points.extend([Point { x, y: top }, Point { x, y: bottom }]);
    }
    let is_operand_hidden = points.is_empty();
    if is_operand_hidden {
        points.push(Point { x: end.x, y: end.y - ROW_GAP / 2 });
    }
    points.push(end);
    Edge { points, operand_index: (operand.count > 1).then_some(operand.index), is_operand_hidden }
}
