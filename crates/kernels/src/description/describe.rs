//! The description of a task: all properties of an operation that do not depend on the kernel.

use std::fmt::Debug;

use crate::description::parts::Array;
use crate::description::words::Words;
use crate::support::element::Type;
use crate::support::view::View;

/// A task's requirements for a buffer: its element type, and the elements that are accessed.
pub struct Buffer<'a> {
    /// The element type.
    pub ty: Type,
    /// The views whose elements are accessed.
    pub views: Vec<&'a View>,
    /// The minimum length in elements, even if the views require less.
    pub min_length: usize,
}

impl<'a> Buffer<'a> {
    /// The buffer of an array.
    pub fn array(array: &'a Array) -> Self {
        Self { ty: array.ty, views: vec![&array.view], min_length: 0 }
    }

    /// The buffer of one element.
    pub fn scalar(ty: Type) -> Self {
        Self { ty, views: Vec::new(), min_length: 1 }
    }

    /// Whether every element that is accessed is within a buffer of `length` elements.
    pub fn fits(&self, length: usize) -> bool {
        length >= self.min_length && self.views.iter().all(|view| view.fits(length))
    }

    /// The length in elements of the smallest buffer that it fits in.
    pub fn min_buffer_length(&self) -> usize {
        self.views.iter().map(|view| view.min_buffer_length()).fold(self.min_length, usize::max)
    }
}

/// The unit in which the work of a task is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Floating-point operations: two for a multiply-add.
    Flop,
    /// Bytes read and written.
    Byte,
}

/// The description of an operation on strided arrays, independent of kernels.
///
/// Serialization, validation, tests of every kernel with the smallest buffers, and the benchmarks are derived from it.
pub trait Describe: Words + Clone + Debug + PartialEq + 'static {
    /// The operation's name.
    const NAME: &'static str;
    /// The unit of its work.
    const UNIT: Unit = Unit::Byte;

    /// The buffers that are read, in order.
    fn reads(&self) -> Vec<Buffer<'_>>;
    /// The buffers that are written, in order. No view contains an element twice.
    fn writes(&self) -> Vec<Buffer<'_>>;
    /// Whether ranks, sizes, types and attributes agree.
    fn is_consistent(&self) -> bool;
    /// The amount of work: multiply-adds, or for other ops the elements read or written. It decides whether the task is large
    /// enough for a kernel, and is the total of the progress. A completed run is charged exactly this amount: a kernel reports
    /// no more to [`Context::tick`], and the remainder is reported at its end.
    ///
    /// [`Context::tick`]: crate::support::context::Context::tick
    fn steps(&self) -> u64;
    /// Small tasks of each kind, for the tests of descriptions and kernels: together they cover every path of the kernels.
    /// Under Miri, which is about a thousand times slower, tasks that differ only in size are omitted.
    fn examples() -> Vec<Self>;
    /// Large tasks to benchmark, each with its name in the table of kernels.
    fn benchmarks() -> Vec<(&'static str, Self)>;
}

/// The number of elements of a view, saturating.
pub fn elements(view: &View) -> u64 {
    product(view.sizes.iter().copied())
}

/// The product of sizes, saturating.
pub fn product(sizes: impl IntoIterator<Item = usize>) -> u64 {
    sizes.into_iter().fold(1, |product: u64, size| product.saturating_mul(size as u64))
}
