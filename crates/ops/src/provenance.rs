//! Provenance of a result cell: its source cells, their roles, and the calls of computations on them.

use smallvec::SmallVec;

use super::attrs::ComputationId;
use xla_array::{Dims, Value};

/// The role of a source cell in the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// A value that is copied or computed with.
    Value,
    /// The padding value.
    Fill,
    /// The left factor.
    Lhs,
    /// The right factor.
    Rhs,
    /// The lower bound of a value.
    Low,
    /// The upper bound of a value.
    High,
    /// A start index, which selects the cells that are read.
    Start,
    /// An update, which replaces a cell or is combined with it.
    Update,
    /// The initial value of a reduction.
    Init,
    /// A value that decides which value is taken: a predicate, an index, or a compared candidate.
    Choice,
}

impl Role {
    /// All roles. Files contain their positions, so the order must not change.
    pub const ALL: [Self; 10] = [
        Self::Value,
        Self::Fill,
        Self::Lhs,
        Self::Rhs,
        Self::Low,
        Self::High,
        Self::Start,
        Self::Update,
        Self::Init,
        Self::Choice,
    ];

    /// The name of the role in files and programs, the same in every language.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::Fill => "fill",
            Self::Lhs => "lhs",
            Self::Rhs => "rhs",
            Self::Low => "low",
            Self::High => "high",
            Self::Start => "start",
            Self::Update => "update",
            Self::Init => "init",
            Self::Choice => "choice",
        }
    }
}

/// A cell of a value: the path through its tuples, and the index in the array there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CellAt {
    /// Tuple indices, the outermost first.
    pub path: SmallVec<[usize; 2]>,
    /// The index in the array.
    pub index: Dims,
}

impl CellAt {
    /// A cell of an array that is in no tuple.
    pub fn array(index: &[i64]) -> Self {
        Self { path: SmallVec::new(), index: index.into() }
    }

    /// The outermost tuple index, which is the index of the result of an op with several; 0 for a single result, which
    /// has no tuple path.
    pub fn result(&self) -> usize {
        self.path.first().copied().unwrap_or(0)
    }

    /// The cell as it is addressed in a tuple that has its value as element `i`.
    #[must_use]
    pub fn in_tuple(&self, i: usize) -> Self {
        let mut path = SmallVec::from_slice(&[i]);
        path.extend_from_slice(&self.path);
        Self { path, index: self.index.clone() }
    }
}

/// A source cell of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The index of the operand.
    pub operand: usize,
    /// The cell of the operand.
    pub cell: CellAt,
    /// Its role in the result.
    pub role: Role,
}

/// A call of a computation on scalars, for one output cell.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalarCall {
    /// The source cells that were read for the arguments, as positions in the list of the output cell's sources.
    pub sources: SmallVec<[usize; 2]>,
    /// The called computation.
    pub computation: ComputationId,
    /// Its arguments, scalars.
    pub arguments: SmallVec<[Value; 2]>,
    /// The scalars that the call returned.
    pub results: SmallVec<[Value; 2]>,
}
