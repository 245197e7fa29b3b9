//! Matrices to read and write, the block sizes [`MR`], [`NR`], [`KC`] and [`NC`] (named as in BLIS), and the number types of products.

#![allow(unsafe_code, reason = "register tiles take pointers to packed panels")]

use crate::gemm::index_group::Group;
use crate::ground::element::Type;
use crate::ground::scratch::{Floats, Scratch};
use crate::ground::slice::{Cell, Slice};

/// Depth of a block: a panel of four rows is 4 kB of `f32`. Under Miri the smallest multiple of a vector that is not less than
/// the nine cells of a window.
pub const KC: usize = if cfg!(miri) { 16 } else { 256 };
/// Columns of a block: with [`KC`] 512 kB of `f32`, a quarter of a usual L2. Under Miri two panels.
pub const NC: usize = if cfg!(miri) { 2 * NR } else { 512 / NR * NR };
/// Whether multiply and add are one instruction: then no register holds a product, and the tile may be larger.
const IS_FUSED: bool = cfg!(target_feature = "relaxed-simd");
/// Rows of a panel.
pub const MR: usize = if IS_FUSED { 3 } else { 4 };
/// Columns of a panel, a multiple of four.
pub const NR: usize = if IS_FUSED { 12 } else { 8 };

/// A matrix to read.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The cells.
    pub cells: Slice<'a>,
    /// What they are.
    pub ty: Type,
    /// The slot of the first.
    pub offset: isize,
    /// Rows of the left, columns of the right matrix.
    pub lines: &'a Group,
    /// What is summed over.
    pub depth: &'a Group,
}

/// A matrix to write.
#[derive(Debug)]
pub struct Out<'a, E> {
    /// The cells.
    pub cells: &'a mut [E],
    /// The slot of the first.
    pub offset: isize,
    /// Its rows.
    pub rows: &'a Group,
    /// Its columns.
    pub columns: &'a Group,
}

/// Where a block of depth stands among the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthBlock {
    /// Nothing is in the result yet.
    pub is_first: bool,
    /// Nothing comes after: NaN is canonicalized.
    pub is_last: bool,
}

/// What sums are kept in.
pub trait Number: Cell {
    /// By what name panels of these are held.
    const PACKING: &'static str;

    /// Packs lines (a multiple of `width`, which is [`MR`], [`NR`] or 4) of some depth: a panel of `width` lines after
    /// the other, in each the cells of a depth adjacent.
    fn pack(side: &Side, lines: &[isize], depth: &[isize], width: usize, to: &mut [Self]);

    /// Sums of products of two panels, `rows` x `columns`.
    ///
    /// # Safety
    /// `a` has `depth * MR` cells and `b` has `depth * NR`; from each of the first `rows` pointers in `to` on, so many cells
    /// can be read and written as there are columns, rounded up to a multiple of 4.
    unsafe fn tile(
        size: [usize; 2],
        depth: usize,
        a: *const Self,
        b: *const Self,
        to: &[*mut Self; MR],
        stage: DepthBlock,
    );

    /// Tiles of whole panels, contiguous; `columns` are [`NR`] for each, of which the first is where it begins.
    ///
    /// # Safety
    /// As of [`Number::tile`], for each; pointers in `to` are to where columns are counted from.
    unsafe fn strip(
        rows: usize,
        depth: usize,
        [a, b]: [*const Self; 2],
        to: &[*mut Self; MR],
        columns: &[isize],
        stage: DepthBlock,
    ) {
        for (j, columns) in columns.chunks_exact(NR).enumerate() {
            let rows_at = to.map(|row| row.wrapping_offset(columns[0]));
            // SAFETY: panel `j` of `b` begins `j * NR * depth` cells on, and `NR` cells can be written from its first column on.
            unsafe { Self::tile([rows, NR], depth, a, b.add(j * NR * depth), &rows_at, stage) };
        }
    }

    /// The sum.
    #[must_use]
    fn plus(self, other: Self) -> Self;
    /// The sum with a product.
    #[must_use]
    fn plus_product(self, a: Self, b: Self) -> Self;
    /// The canonical NaN for each NaN.
    #[must_use]
    fn canonicalized(self) -> Self;
    /// Whether it is NaN.
    fn is_nan(self) -> bool;
    /// Copies cells: rows short enough that a call would cost more than the copy.
    fn copy(from: &[Self], to: &mut [Self]) {
        to.copy_from_slice(from);
    }
    /// Takes cells apart: the first, third, … to one place, the second, fourth, … to another.
    fn part(from: &[Self], even: &mut [Self], odd: &mut [Self]) {
        even.iter_mut().zip(from.iter().step_by(2)).for_each(|(to, from)| *to = *from);
        odd.iter_mut().zip(from.iter().skip(1).step_by(2)).for_each(|(to, from)| *to = *from);
    }
    /// The cells, if they are `f32`.
    fn floats(_: &mut [Self]) -> Option<&mut [f32]> {
        None
    }
}

/// Scratch memory as cells of another type.
pub fn cells_of<E: Cell>(floats: &mut Floats) -> &mut [E] {
    // SAFETY: every pattern of bits is a value of a `Cell`, a number or two of them; what is not aligned is left out.
    unsafe { floats.as_mut_slice().align_to_mut::<E>().1 }
}

/// So many cells of scratch memory.
pub fn room<E>(scratch: &mut Scratch, cells: usize) -> Floats {
    scratch.floats((cells * size_of::<E>()).div_ceil(size_of::<f32>()))
}
