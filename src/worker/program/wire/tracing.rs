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
    /// Whether all cells are known and all values have pictures.
    pub is_complete: bool,
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
    /// The number of cells of the trace in the array.
    pub cell_count: usize,
    /// The first cells in words: index and value.
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
