//! References to instructions, cells and arguments that the page and its workers exchange.

use serde::{Deserialize, Serialize};

/// An instruction by numbers, as links and messages have it: the ids of its computation and, within it, of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct InstructionKey {
    /// The id of the computation.
    pub computation: u32,
    /// The id of the instruction in it.
    pub instruction: u32,
}

/// A call of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Call {
    /// The calling instruction.
    pub at: InstructionKey,
    /// The index of the body among the computations that the instruction calls.
    pub callee_index: u32,
}

/// An instruction, and the calls that lead to it from the entry computation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstructionPath {
    /// The instruction.
    pub at: InstructionKey,
    /// The calls, the outermost first. If they do not lead to the instruction, the first call path that does is used.
    pub calls: Vec<Call>,
}

/// A cell of a value that is to be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CellTarget {
    /// The cell at an index.
    Index {
        /// The path through tuples.
        path: Vec<usize>,
        /// The index in the array.
        index: Vec<i64>,
    },
    /// The first NaN in row-major order, of the first array that has one.
    FirstNan,
    /// The first infinity, like [`CellTarget::FirstNan`].
    FirstInfinity,
}

/// A cell of a value that the user chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenCell {
    /// The path through tuples.
    pub path: Vec<usize>,
    /// The index in the array.
    pub index: Vec<i64>,
}

/// A request to show a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellRequest {
    /// The cell.
    pub target: CellTarget,
    /// A serial number, so that a repeated request for the same cell is distinct.
    pub number: u32,
}

/// The value of a parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Argument {
    /// Pseudo-random, different for each parameter and each seed.
    #[default]
    Random,
    /// 0, 1, 2 … in logical order.
    Iota,
    /// Values as text.
    Text(String),
    /// Values from a file.
    File(FileArgument),
}

/// An array in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileArgument {
    /// The name of the file.
    pub file: String,
    /// The name of the array in an archive.
    pub member: Option<String>,
    /// The index of the file among those that were chosen in this tab; `None` for a file that only a link names, which
    /// has to be chosen again.
    pub number: Option<u32>,
}

impl FileArgument {
    /// The file and the array, as messages name them.
    pub fn name(&self) -> String {
        match &self.member {
            Some(member) => format!("{}/{member}", self.file),
            None => self.file.clone(),
        }
    }
}
