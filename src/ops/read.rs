//! How an op sees its operands: one cell at a time, through [`Read`].
//!
//! Invariant: an op's body reads nothing in any other way. Run with [`Plain`] it is the reference evaluator, run
//! with [`Recording`] the very same body tells where its result came from; number and arrows cannot disagree.

use smallvec::SmallVec;

use super::data::Data;
use crate::array::{Dims, Value};

/// What a cell that is read means for the result; it gives an arrow its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The value itself, moved or computed with.
    Value,
    /// What stands where there is no element: padding.
    Fill,
    /// Left factor.
    Lhs,
    /// Right factor.
    Rhs,
    /// Says which cells are read.
    Start,
    /// Replaces a cell.
    Update,
    /// Where a fold begins.
    Init,
    /// Says which of several values is taken.
    Choice,
}

/// Reads cells of operands.
pub trait Read {
    /// Element `index` of operand `operand`, which is an array. Outside of it, which no body reads, zero.
    fn get(&mut self, operand: usize, index: &[i64], role: Role) -> Value;

    /// Counts steps that were taken beside reading: those of a region.
    fn took(&mut self, _steps: u64) {}
}

/// A cell of a value: the way through its tuples, and the index in the array there.
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

    /// The cell of the tuple of which this is in element `i`.
    #[must_use]
    pub fn within(&self, i: usize) -> Self {
        let mut path = SmallVec::from_slice(&[i]);
        path.extend_from_slice(&self.path);
        Self { path, index: self.index.clone() }
    }
}

/// A cell that a result came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The number of the operand.
    pub operand: usize,
    /// The cell of it.
    pub cell: CellAt,
    /// What it means for the result.
    pub role: Role,
}

/// Reads operands as they are, and counts.
pub struct Plain<'a> {
    operands: &'a [Data],
    /// Cells read so far, and other steps.
    pub reads: u64,
}

impl<'a> Plain<'a> {
    /// A reader of these operands.
    pub fn new(operands: &'a [Data]) -> Self {
        Self { operands, reads: 0 }
    }
}

impl Read for Plain<'_> {
    fn took(&mut self, steps: u64) {
        self.reads = self.reads.saturating_add(steps);
    }

    fn get(&mut self, operand: usize, index: &[i64], _: Role) -> Value {
        self.reads += 1;
        let value = self.operands.get(operand).and_then(Data::as_array).and_then(|array| array.get(index));
        debug_assert!(value.is_some(), "operand {operand} has no cell {index:?}");
        value.unwrap_or(Value::Int(0))
    }
}

/// Reads operands and notes each cell that was read.
pub struct Recording<'a> {
    plain: Plain<'a>,
    sources: Vec<Source>,
    limit: usize,
}

impl<'a> Recording<'a> {
    /// A reader of these operands that notes the first `limit` reads.
    pub fn new(operands: &'a [Data], limit: usize) -> Self {
        Self { plain: Plain::new(operands), sources: Vec::new(), limit }
    }

    /// How many cells were read, those past the limit included.
    pub fn reads(&self) -> u64 {
        self.plain.reads
    }

    /// What was noted, in the order it was read.
    pub fn into_sources(self) -> Vec<Source> {
        self.sources
    }
}

impl Read for Recording<'_> {
    fn get(&mut self, operand: usize, index: &[i64], role: Role) -> Value {
        if self.sources.len() < self.limit {
            self.sources.push(Source { operand, cell: CellAt::array(index), role });
        }
        self.plain.get(operand, index, role)
    }
}

/// Scalars in a row, as the operands of an instruction of a [`Region`](super::region::Region).
pub(super) struct Scalars<'a> {
    pub values: &'a [Value],
    pub operands: &'a [u32],
}

impl Read for Scalars<'_> {
    fn get(&mut self, operand: usize, _: &[i64], _: Role) -> Value {
        let slot = self.operands.get(operand).and_then(|slot| usize::try_from(*slot).ok());
        slot.and_then(|slot| self.values.get(slot)).copied().unwrap_or(Value::Int(0))
    }
}
