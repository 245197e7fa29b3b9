//! The description of a task: everything about an operation that holds for any kernel of it.

use std::fmt::Debug;

use crate::description::parts::Array;
use crate::description::words::Words;
use crate::ground::element::Type;
use crate::ground::view::View;

/// A buffer of a task, and which of its cells are accessed.
pub struct Buffer<'a> {
    /// The element type.
    pub ty: Type,
    /// Views whose cells are accessed.
    pub views: Vec<&'a View>,
    /// Cells that there are at least.
    pub min_cells: usize,
}

impl<'a> Buffer<'a> {
    /// The buffer of an array.
    pub fn of(array: &'a Array) -> Self {
        Self { ty: array.ty, views: vec![&array.view], min_cells: 0 }
    }

    /// The buffer of one element.
    pub fn scalar(ty: Type) -> Self {
        Self { ty, views: Vec::new(), min_cells: 1 }
    }

    /// Whether all cells that are accessed are within a buffer of so many.
    pub fn fits(&self, cells: usize) -> bool {
        cells >= self.min_cells && self.views.iter().all(|view| view.fits(cells))
    }

    /// The cells of the smallest buffer that it fits in.
    pub fn cells(&self) -> usize {
        self.views.iter().map(|view| view.reach()).fold(self.min_cells, usize::max)
    }
}

/// What the amount of work of a task is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Floating-point operations: two for a multiply-add.
    Flop,
    /// Bytes read and written.
    Byte,
}

/// The description of an operation on strided arrays: a struct of what it needs to know, and nothing of a kernel.
///
/// Serialisation, validation, tests of every kernel with the smallest buffers, and the benchmarks follow from it.
pub trait Describe: Words + Clone + Debug + PartialEq + 'static {
    /// The operation's name.
    const NAME: &'static str;
    /// What its work is counted in.
    const UNIT: Unit = Unit::Byte;

    /// The buffers that are read, in order.
    fn reads(&self) -> Vec<Buffer<'_>>;
    /// The buffers that are written, in order. No view of theirs names a cell twice.
    fn writes(&self) -> Vec<Buffer<'_>>;
    /// Whether ranks, sizes, types and attributes agree.
    fn is_consistent(&self) -> bool;
    /// Multiply-adds of sums of products, else cells that are read or written: decides whether the task is large enough for
    /// a kernel, and is the whole of which progress shows a part. What a kernel reports to [`Context::tick`] may add up to more
    /// or less; budgets charge the larger of both.
    ///
    /// [`Context::tick`]: crate::ground::context::Context::tick
    fn steps(&self) -> u64;
    /// Small tasks of each kind, for the tests of descriptions and kernels: together they reach every path of the kernels.
    /// Miri interprets them, some thousand times slower than the machine runs them: what is only larger to be more is left
    /// out there.
    fn examples() -> Vec<Self>;
    /// Large tasks that are measured, each with its name in the table of kernels.
    fn benchmarks() -> Vec<(&'static str, Self)>;
}

/// The number of elements of a view, or `u64::MAX`.
pub fn elements(view: &View) -> u64 {
    product(view.sizes.iter().copied())
}

/// The product, or `u64::MAX`.
pub fn product(sizes: impl IntoIterator<Item = usize>) -> u64 {
    sizes.into_iter().fold(1, |all: u64, size| all.saturating_mul(size as u64))
}
