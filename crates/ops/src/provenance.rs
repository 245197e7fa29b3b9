//! Where a result comes from: cells of operands, what each means for it, and the calls of computations on them.

use smallvec::SmallVec;

use super::attrs::ComputationId;
use xla_array::{Dims, Value};

/// The role of a source cell in the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The value itself, moved or computed with.
    Value,
    /// Padding, without an element.
    Fill,
    /// Left factor.
    Lhs,
    /// Right factor.
    Rhs,
    /// A start index: decides which cells are read.
    Start,
    /// Replaces a cell.
    Update,
    /// The initial value of a reduction.
    Init,
    /// Decides which of several values is taken.
    Choice,
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

    /// The result of an op with several results that the cell is in: its tuple index; 0 for a single result, which has
    /// no tuple path.
    pub fn result(&self) -> usize {
        self.path.first().copied().unwrap_or(0)
    }

    /// The cell of a tuple that has this cell's value as element `i`.
    #[must_use]
    pub fn within(&self, i: usize) -> Self {
        let mut path = SmallVec::from_slice(&[i]);
        path.extend_from_slice(&self.path);
        Self { path, index: self.index.clone() }
    }
}

/// A source cell of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The number of the operand.
    pub operand: usize,
    /// The cell of it.
    pub cell: CellAt,
    /// Its role in the result.
    pub role: Role,
}

/// A call of a computation on elements, for one output cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// The source cells read for it: positions in the list of the output cell's sources.
    pub sources: SmallVec<[usize; 2]>,
    /// The computation.
    pub computation: ComputationId,
    /// Its arguments, scalars.
    pub arguments: SmallVec<[Value; 2]>,
    /// Its results.
    pub results: SmallVec<[Value; 2]>,
}
