//! The wire types of traces and timelines.

use serde::{Deserialize, Serialize};

use super::window::Window;
use crate::state::program::references::{InstructionKey, InstructionPath};

/// A cell whose sources or uses are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceQuery {
    /// The instruction.
    pub at: InstructionKey,
    /// The execution of the instruction, from 0.
    pub execution: u64,
    /// The device, from 0.
    pub device: u32,
    /// The path through tuples.
    pub path: Vec<usize>,
    /// The index of the cell.
    pub cell: Vec<i64>,
}

/// The cells that a cell was computed from, or that are computed from it, in pictures. The cells of all windows are the
/// buffer sent with the frame, one after another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// The query.
    pub query: TraceQuery,
    /// Whether these are uses, not sources.
    pub is_forward: bool,
    /// The values: the nearest first.
    pub pictures: Vec<TracePicture>,
    /// The parameters of the program that sources are in.
    pub parameters: Vec<TracedParameter>,
    /// The number of values on the way without pictures.
    pub hidden_values: usize,
    /// Whether all cells are known.
    pub is_complete: bool,
}

/// The cells of a trace in a parameter of the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracedParameter {
    /// The parameter.
    pub instruction: InstructionPath,
    /// The device, from 0.
    pub device: u32,
    /// Its name.
    pub name: String,
    /// The path through tuples.
    pub path: Vec<usize>,
    /// The cells, as far as they are marked in the value.
    pub cells: Vec<Vec<i64>>,
    /// Where they are.
    pub region: Region,
}

/// Where the cells of a trace are in an array.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// The number of cells.
    pub count: usize,
    /// The smallest slice that contains them, such as `[0:8,0:1]`.
    pub slice: String,
    /// How much of it they are.
    pub extent: Extent,
}

/// How much of an array cells are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Extent {
    /// The whole array.
    Array,
    /// The whole slice.
    Slice,
    /// A part of the slice.
    PartOfSlice,
}

/// A value with the cells of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracePicture {
    /// The instruction, with the calls that lead to it.
    pub instruction: InstructionPath,
    /// Its execution, from 0.
    pub execution: u64,
    /// Whether it was executed several times.
    pub is_repeated: bool,
    /// The device, from 0.
    pub device: u32,
    /// Its name.
    pub name: String,
    /// Its opcode.
    pub opcode: String,
    /// The name of its computation, if that is not the one of the traced cell.
    pub within: Option<String>,
    /// The number of instructions to the one that was asked about.
    pub distance: u32,
    /// The path through tuples.
    pub path: Vec<usize>,
    /// The shown part of the array.
    pub window: Window,
    /// The bytes of the window's cells in the buffer.
    pub bytes: (u32, u32),
    /// The cells within the window: their indices in the window.
    pub cells: Vec<Vec<i64>>,
    /// Where they are in the array.
    pub region: Region,
    /// Few cells with their values; empty if there are many.
    pub described: String,
}

/// The executions of an instruction over a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// The instruction.
    pub at: InstructionKey,
    /// The array of its value, by position.
    pub leaf: usize,
    /// The device, from 0.
    pub device: u32,
    /// The number of executions.
    pub count: u64,
    /// Executions in order; of many, several share a point.
    pub points: Vec<TimelinePoint>,
}

/// One or several executions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimelinePoint {
    /// The first execution, from 0.
    pub execution: u64,
    /// The smallest finite element.
    pub min: Option<f64>,
    /// The largest finite element.
    pub max: Option<f64>,
    /// Whether an element is NaN.
    pub has_nan: bool,
    /// Whether an element is infinite.
    pub has_infinity: bool,
}
