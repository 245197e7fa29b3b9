//! The wire types of the graph view.

use serde::{Deserialize, Serialize};

use super::parts::Crumb;
use crate::state::program::references::{Call, InstructionKey, InstructionPath};

/// A query of the graph view. The query worker lays out in steps: an answer [`Answer::LayingOut`] is to be followed by
/// [`Query::Continue`], after other queries that wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Query {
    /// Draws an instruction: in the current drawing if it can be shown there, else in one of its computation.
    Show(InstructionPath),
    /// Draws the computation that a path of calls leads to; the entry computation if it is empty.
    Enter(Vec<Call>),
    /// Opens or folds the body of a call in place.
    Fold {
        /// The call.
        call: Call,
        /// Whether it is opened.
        is_open: bool,
    },
    /// Folds all bodies.
    FoldAll,
    /// Continues the layout.
    Continue,
    /// What intersects a rectangle of the drawing.
    Window {
        /// The version of the drawing.
        version: u32,
        /// The rectangle.
        area: Area,
        /// The rows and columns of an overview, if there are too many nodes to draw.
        cells: (u32, u32),
    },
}

impl Query {
    /// Whether this query supersedes a queued one.
    pub fn supersedes(&self, queued: &Self) -> bool {
        match (self, queued) {
            (Self::Show(_), Self::Show(_)) | (Self::Window { .. }, Self::Window { .. }) => true,
            (new, queued) => new == queued,
        }
    }
}

/// The answer to a query of the graph view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// The layout is unfinished: the part that is done, in percent.
    LayingOut(u32),
    /// The drawing, and the box of the instruction to show.
    Drawn(Box<Drawing>, Option<Area>),
    /// To [`Query::Window`].
    Window(Box<Window>),
}

/// A drawing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Drawing {
    /// Differs for every layout.
    pub version: u32,
    /// The drawn computation.
    pub computation: u32,
    /// Its name.
    pub name: String,
    /// The calls that lead to it, the outermost first.
    pub path: Vec<Crumb>,
    /// The width and height.
    pub size: (i32, i32),
    /// The number of nodes.
    pub nodes: usize,
    /// Whether any body is open.
    pub has_open: bool,
    /// Whether an open body is drawn folded, because the drawing would be too large.
    pub has_oversized: bool,
}

/// A rectangle of a drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Area {
    /// The left edge.
    pub x: i32,
    /// The top edge.
    pub y: i32,
    /// The width.
    pub width: i32,
    /// The height.
    pub height: i32,
}

/// What intersects a rectangle of a drawing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// The version of the drawing.
    pub version: u32,
    /// The rectangle.
    pub area: Area,
    /// The frames; a frame precedes those within it.
    pub frames: Vec<Frame>,
    /// The nodes, by frame, rank and position.
    pub nodes: Vec<Node>,
    /// The segments, by frame and rank.
    pub segments: Vec<Segment>,
    /// Instead of nodes and segments, if there are too many.
    pub overview: Option<Overview>,
}

/// A computation within a drawing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// The computation.
    pub computation: u32,
    /// Its name, after the attribute that names it.
    pub label: String,
    /// The frame around it, by its index, and the call.
    pub caller: Option<(u32, Call)>,
    /// Its box.
    pub area: Area,
}

/// An instruction of a drawing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// The index of its frame.
    pub frame: u32,
    /// The instruction.
    pub instruction: u32,
    /// Its box.
    pub area: Area,
    /// Its name.
    pub name: String,
    /// Its opcode.
    pub opcode: String,
    /// The category of its op, by its position in the order of the ops' catalogue.
    pub category: Option<u8>,
    /// Its shape with the layout.
    pub shape: String,
    /// Whether its value is the result of its computation.
    pub is_root: bool,
    /// The first operands without nodes of their own: number, instruction, text.
    pub attached: Vec<(u32, u32, String)>,
    /// The number of further ones.
    pub more_attached: usize,
    /// The first operands whose edges are not drawn: instruction, name.
    pub far_operands: Vec<(u32, String)>,
    /// The number of further ones.
    pub more_operands: usize,
    /// The number of users whose edges are not drawn.
    pub more_users: usize,
    /// The bodies it calls.
    pub bodies: Vec<Body>,
}

/// A body that a node calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    /// The call.
    pub call: Call,
    /// The called computation.
    pub computation: u32,
    /// Its name, after the attribute that names it.
    pub label: String,
    /// The number of its instructions.
    pub size: usize,
    /// Whether it is drawn within the node.
    pub is_open: bool,
}

/// A part of an edge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// The index of its frame.
    pub frame: u32,
    /// The instruction whose value it carries.
    pub from: u32,
    /// The user that it reaches, with the index of the operand.
    pub to: Option<(u32, u32)>,
    /// The points from top to bottom: x and y of each.
    pub points: Vec<i32>,
    /// The bytes of the value, if they are known.
    pub bytes: Option<u64>,
}

/// The number of nodes in the cells of a grid.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overview {
    /// Of each cell with nodes: their number, and the smallest rectangle that contains them.
    pub cells: Vec<(u32, Area)>,
}

impl Window {
    /// The calls that lead from the drawn computation to a frame.
    pub fn path_of(&self, frame: u32) -> Vec<Call> {
        let mut path = Vec::new();
        let mut at = Some(frame);
        while let Some((caller, call)) =
            at.and_then(|at| self.frames.get(at as usize)).and_then(|frame| frame.caller)
        {
            path.push(call);
            // A frame precedes those within it.
            at = Some(caller).filter(|caller| at.is_none_or(|at| *caller < at));
        }
        path.reverse();
        path
    }

    /// The instruction of a node.
    pub fn at(&self, node: &Node) -> Option<InstructionKey> {
        let frame = self.frames.get(node.frame as usize)?;
        Some(InstructionKey { computation: frame.computation, instruction: node.instruction })
    }

    /// The node of an instruction, in the frame that a path leads to, else in any.
    pub fn node(&self, at: InstructionKey, path: &[Call]) -> Option<&Node> {
        let mut found = self.nodes.iter().filter(|node| self.at(node) == Some(at)).peekable();
        let first = found.peek().copied();
        found.find(|node| self.path_of(node.frame) == path).or(first)
    }
}
