//! The wire types of traces and timelines.

use serde::{Deserialize, Serialize};

use super::window::Window;
use crate::array::index::Indices;
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
    /// The first arrays of parameters of the program that have sources.
    pub parameters: Vec<TracedParameter>,
    /// The number of parameters that have sources.
    pub parameter_count: usize,
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
    /// The cells.
    pub region: Region,
}

/// Cells of an array: a slice of it, or some of the cells of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// The smallest slice that contains the cells: per dimension, the first index and the end.
    pub bounds: Vec<(i64, i64)>,
    /// Whether the slice is the whole array.
    pub is_whole_array: bool,
    /// The indices of the cells, unless they are all cells of the slice.
    pub cells: Option<Vec<Vec<i64>>>,
}

impl Region {
    /// The indices of the cells.
    pub fn indices(&self) -> Vec<Vec<i64>> {
        if let Some(cells) = &self.cells {
            return cells.clone();
        }
        let sizes: Vec<i64> = self.bounds.iter().map(|(first, end)| end - first).collect();
        let mut indices = Indices::row_major(&sizes);
        let mut cells = Vec::new();
        while let Some(index) = indices.advance() {
            cells.push(index.iter().zip(&self.bounds).map(|(at, (first, _))| at + first).collect());
        }
        cells
    }

    /// The number of cells.
    pub fn count(&self) -> usize {
        let of_slice = || self.bounds.iter().map(|(first, end)| end - first).product::<i64>();
        self.cells.as_ref().map_or_else(|| usize::try_from(of_slice()).unwrap_or(usize::MAX), Vec::len)
    }

    /// The slice as text, such as `[0:8,0:1]`.
    pub fn slice(&self) -> String {
        let bounds: Vec<String> = self.bounds.iter().map(|(first, end)| format!("{first}:{end}")).collect();
        format!("[{}]", bounds.join(","))
    }
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
    /// The cells of the trace.
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
