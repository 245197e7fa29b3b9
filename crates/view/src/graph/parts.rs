//! The parts of a drawn program with their positions, and their edges as SVG paths.

use std::fmt::Write as _;

use xla_hlo::InstructionId;
pub use xla_inspect::graph::{Point, Rect};
use xla_ops::ComputationId;

/// The height of the label of a called computation.
pub(super) const CALLED_LABEL_HEIGHT: i32 = 24;
/// The space below the computations of a loop, for the back edge.
pub(super) const BACK_EDGE_DROP: i32 = 14;

/// The middle of the lower edge of a rectangle.
pub(super) fn bottom_middle(rect: Rect) -> Point {
    Point { x: rect.x + rect.width / 2, y: rect.y + rect.height }
}

/// An edge from an operand down to its user, or a stub above the user if the operand is not drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Points of the curve at which its tangents are vertical.
    pub points: Vec<Point>,
    /// The index of the operand; `None` if it is the only one.
    pub operand_index: Option<usize>,
    /// Whether the operand is not drawn.
    pub is_operand_hidden: bool,
}

/// An arrow head that points down to a point.
fn arrowhead_down(Point { x, y }: Point) -> String {
    format!("M{} {}L{x} {y}L{} {}", x - 4, y - 6, x + 4, y - 6)
}

impl Edge {
    /// The edge as an SVG path, with its arrow head.
    pub fn path(&self) -> String {
        let mut path = String::new();
        for (i, Point { x, y }) in self.points.iter().enumerate() {
            // Writing to a `String` cannot fail.
            let _ = match i.checked_sub(1).and_then(|before| self.points.get(before)) {
                None => write!(path, "M{x} {y}"),
                Some(from) => {
                    let middle = i32::midpoint(from.y, *y);
                    write!(path, "C{} {middle} {x} {middle} {x} {y}", from.x)
                }
            };
        }
        self.points.last().map_or(path.clone(), |end| path + &arrowhead_down(*end))
    }

    /// Whether it reaches its user from the right.
    pub fn is_from_right(&self) -> bool {
        matches!(self.points[..], [.., from, to] if from.x > to.x)
    }

    /// The end, at its user.
    pub fn end(&self) -> Option<Point> {
        self.points.last().copied()
    }
}

/// The arrows of a loop: from the condition to the body, and the back edge from the body to the condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopArrows {
    pub(super) condition: Rect,
    pub(super) body: Rect,
}

impl LoopArrows {
    /// The arrows as SVG paths, with their arrow heads.
    pub fn paths(&self) -> [String; 2] {
        let (from, to) = (self.condition.x + self.condition.width, self.body.x);
        let y = self.condition.y + CALLED_LABEL_HEIGHT / 2;
        let enter = format!("M{from} {y}H{to}M{} {}L{to} {y}L{} {}", to - 6, y - 4, to - 6, y + 4);
        let (end, start) = (bottom_middle(self.condition), bottom_middle(self.body));
        let low = start.y.max(end.y) + BACK_EDGE_DROP;
        let Point { x, y } = end;
        let back =
            format!("M{} {}V{low}H{x}V{y}M{} {}L{x} {y}L{} {}", start.x, start.y, x - 4, y + 6, x + 4, y + 6);
        [enter, back]
    }
}

/// A called computation, in a box within its caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalledComputation {
    /// The computation that is drawn in the box.
    pub computation: ComputationId,
    /// The attribute that names it.
    pub attribute: &'static str,
    /// Its index in the attribute; `None` if that names one computation.
    pub index: Option<usize>,
    /// Its name; empty if it is written within the attribute.
    pub name: String,
    /// Its box in the drawing.
    pub rect: Rect,
    /// Its drawn instructions.
    pub subgraph: Subgraph,
}

impl CalledComputation {
    /// The attribute, with the index, the name, and the part that is drawn: `body: step (24/300)`.
    pub fn label(&self) -> String {
        let (drawn, total) = (self.subgraph.nodes.len(), self.subgraph.instruction_count);
        let index = self.index.map(|index| format!("[{index}]")).unwrap_or_default();
        let name = if self.name.is_empty() { String::new() } else { format!(": {}", self.name) };
        let part = if drawn < total { format!(" ({drawn}/{total})") } else { String::new() };
        format!("{}{index}{name}{part}", self.attribute)
    }
}

/// A drawn instruction: its text and its box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its id in its computation.
    pub id: InstructionId,
    /// Its opcode, as in HLO text.
    pub opcode: String,
    /// Its name; empty if it is written within the operands of another.
    pub name: String,
    /// Its shape, as in HLO text.
    pub shape: String,
    /// The names of its first operands.
    pub operands: Vec<String>,
    /// Whether its value is the result of its computation.
    pub is_root: bool,
    /// Its box, including the computations it calls.
    pub rect: Rect,
    /// The box of its label.
    pub label_rect: Rect,
    /// The computations it calls.
    pub called: Vec<CalledComputation>,
    /// The number of computations it calls that are not drawn.
    pub hidden_computations: usize,
    /// The arrows between the computations of a loop.
    pub loop_arrows: Option<LoopArrows>,
}

/// The drawn instructions of a computation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subgraph {
    /// Its instructions, in source order.
    pub nodes: Vec<Node>,
    /// The edges between them.
    pub edges: Vec<Edge>,
    /// The number of its instructions, some of which may not be drawn.
    pub instruction_count: usize,
}
