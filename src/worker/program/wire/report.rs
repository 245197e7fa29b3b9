//! The wire types of memory reports.

use serde::{Deserialize, Serialize};

/// What a report is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReportKind {
    /// The error of a program that needs more memory than there is.
    OutOfMemory,
    /// A dump of a buffer assignment.
    BufferAssignment,
    /// A memory usage report.
    MemoryUsage,
}

/// A report of memory: an error, or a dump of the compiler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryReport {
    /// What it is.
    pub kind: ReportKind,
    /// The bytes that the program needs, if they are stated.
    pub used: Option<u64>,
    /// The bytes that there are, if they are stated.
    pub capacity: Option<u64>,
    /// The bytes of the allocation that failed.
    pub requested: Option<u64>,
    /// The bytes of all buffers, and of their padding.
    pub memory: u64,
    /// The bytes of padding of all buffers.
    pub padding: u64,
    /// The first buffers: those with the most padding, then those with the most bytes.
    pub buffers: Vec<ReportBuffer>,
    /// The number of all buffers.
    pub buffer_count: usize,
}

/// A buffer of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportBuffer {
    /// The shape as written.
    pub shape: String,
    /// The bytes in memory.
    pub memory: u64,
    /// The bytes of padding.
    pub padding: u64,
    /// The instruction.
    pub label: String,
    /// The operation of the source program.
    pub operator: String,
    /// The line of the report, from 1.
    pub line: usize,
    /// What the tiles pad.
    pub tiles: Option<TilePicture>,
    /// The link that opens the array, or a part of it, in the Layout screen.
    pub layout: Option<LayoutLink>,
    /// Changes that waste less, those that save the most first.
    pub suggestions: Vec<ReportSuggestion>,
}

/// The two most minor dimensions of a tiled array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TilePicture {
    /// The size of the second most minor dimension, and its size in memory.
    pub rows: (i64, i64),
    /// The size of the most minor dimension, and its size in memory.
    pub columns: (i64, i64),
}

/// A link to the Layout screen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayoutLink {
    /// The fragment of the link.
    pub fragment: String,
    /// Whether the array is too large for that screen, so that the link has a smaller one with the same tiles.
    pub is_part: bool,
}

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReportChange {
    /// Another order of the dimensions in memory: the array stays the same.
    Order,
    /// This dimension and the next one as one.
    Merge(usize),
    /// Another size of a dimension.
    Size(usize, i64),
}

/// A change of a buffer that wastes less.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportSuggestion {
    /// The change.
    pub change: ReportChange,
    /// The changed shape.
    pub shape: String,
    /// Its bytes in memory.
    pub memory: u64,
    /// The bytes that it saves; 0 if it only uses what is padding now.
    pub saved: u64,
    /// The link that opens it in the Layout screen.
    pub layout: LayoutLink,
}
