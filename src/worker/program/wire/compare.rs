//! The wire types of the comparison of two texts, which the query worker answers.

use serde::{Deserialize, Serialize};

use crate::state::program::references::InstructionKey;

/// A query about two programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompareQuery {
    /// Compares two texts, which replaces the comparison before.
    Open {
        /// The id of the comparison.
        id: u32,
        /// The first text; `None` for the program that is open.
        first: Option<String>,
        /// The second text.
        second: String,
        /// The tag of the language of diagnostics.
        language: String,
    },
    /// A range of rows.
    Rows {
        /// The id of the comparison.
        id: u32,
        /// Which rows are counted.
        shown: Shown,
        /// The index of the first row among the shown ones.
        start: usize,
        /// The number of rows.
        count: usize,
    },
    /// The next difference among the shown rows.
    Seek {
        /// The id of the comparison.
        id: u32,
        /// Which rows are counted.
        shown: Shown,
        /// The row to start from, which does not count.
        from: usize,
        /// Whether to look at later rows; else at earlier ones.
        is_forward: bool,
    },
    /// Counts the differences of two texts and forgets them.
    Count {
        /// The index of the step.
        id: u32,
        /// The first text.
        first: String,
        /// The second text.
        second: String,
    },
}

/// An answer about two programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompareAnswer {
    /// To [`CompareQuery::Open`].
    Opened(u32, Box<CompareSummary>),
    /// One of the texts of [`CompareQuery::Open`] has an error, or is not a program.
    Rejected(u32, Rejection),
    /// To [`CompareQuery::Rows`].
    Rows {
        /// The id of the comparison.
        id: u32,
        /// Which rows are counted.
        shown: Shown,
        /// The index of the first row.
        start: usize,
        /// The rows.
        rows: Vec<CompareRow>,
        /// The total number of shown rows.
        total: usize,
    },
    /// To [`CompareQuery::Seek`]: the row; `None` if there is none.
    Sought(u32, Option<usize>),
    /// To [`CompareQuery::Count`]; `None` if either text has errors.
    Counted(u32, Option<Counts>),
}

/// Why two texts cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejection {
    /// Whether it is the second text.
    pub is_second: bool,
    /// The sentence.
    pub message: String,
    /// The 1-based line.
    pub line: usize,
}

/// The kind of a difference, the one that matters most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    /// The operation changed.
    Changed,
    /// Only the first program has it.
    Deleted,
    /// Only the second program has it.
    Inserted,
    /// It is in another computation.
    Moved,
    /// Only the layout changed.
    LayoutChanged,
    /// Only annotations changed.
    AnnotationsChanged,
    /// Only the name changed.
    Renamed,
    /// Only its position changed.
    Reordered,
}

impl Kind {
    /// All, the one that matters most first.
    pub const ALL: [Self; 8] = [
        Self::Changed,
        Self::Deleted,
        Self::Inserted,
        Self::Moved,
        Self::LayoutChanged,
        Self::AnnotationsChanged,
        Self::Renamed,
        Self::Reordered,
    ];

    /// Its position in [`Kind::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}

/// Number of differences by [`Kind::index`].
pub type Counts = [usize; 8];

/// The kinds of rows that are shown: a bit for each [`Kind`], and one for rows without a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown(pub u16);

impl Default for Shown {
    /// The kinds that change what is computed or how its values are stored.
    fn default() -> Self {
        Self(0b1_1111)
    }
}

impl Shown {
    fn bit(kind: Option<Kind>) -> u16 {
        1 << kind.map_or(Kind::ALL.len(), Kind::index)
    }

    /// Whether rows of a kind are shown.
    pub fn has(self, kind: Option<Kind>) -> bool {
        self.0 & Self::bit(kind) != 0
    }

    /// The same, with or without the rows of a kind.
    #[must_use]
    pub fn toggled(self, kind: Option<Kind>) -> Self {
        Self(self.0 ^ Self::bit(kind))
    }
}

/// What two programs have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompareSummary {
    /// The names of the modules.
    pub names: [String; 2],
    /// The number of instructions of each.
    pub instructions: [usize; 2],
    /// Number of differences.
    pub counts: Counts,
    /// Number of matched instructions without any difference.
    pub unchanged: usize,
    /// Number of computations that only the first program has, and that only the second one has.
    pub one_sided_computations: [usize; 2],
    /// Whether the programs compute the same with the same operations.
    pub is_equivalent: bool,
}

/// A row of the aligned list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompareRow {
    /// Whether it is the header of a computation.
    pub is_header: bool,
    /// The difference.
    pub kind: Option<Kind>,
    /// The parts that changed, as XLA names them: `shape`, `operand 1`, `dimensions=`.
    pub parts: Vec<String>,
    /// The instruction or computation of the first program, and of the second.
    pub sides: [Option<CompareSide>; 2],
}

/// An instruction of a row, or the name of a computation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompareSide {
    /// The instruction; of a computation, its root.
    pub at: InstructionKey,
    /// The name.
    pub name: String,
    /// The text in pieces.
    pub pieces: Vec<(String, Mark)>,
}

/// How a piece compares with the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mark {
    /// It is the same there.
    Same,
    /// Only a name differs.
    Renamed,
    /// It differs.
    Different,
    /// The matched instruction of the other side, after an operand whose name is the same there.
    Counterpart,
}
