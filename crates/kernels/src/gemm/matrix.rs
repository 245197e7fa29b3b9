//! The matrices of a product, its block sizes [`MR`], [`NR`], [`KC`] and [`NC`] (named as in BLIS), and the types of its sums.

#![allow(unsafe_code, reason = "register tiles take pointers to packed panels")]

use crate::gemm::index_group::Group;
use crate::support::element::Type;
use crate::support::scratch::{Floats, Scratch};
use crate::support::slice::{Cell, Slice};

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

/// An operand of a product, as a matrix of outer x depth: a line is a row of the left or a column of the right matrix.
#[derive(Clone, Copy, Debug)]
pub struct MatrixOperand<'a> {
    /// The buffer.
    pub cells: Slice<'a>,
    /// The element type.
    pub ty: Type,
    /// The slot of the first element.
    pub offset: isize,
    /// The lines.
    pub outer: &'a Group,
    /// The contracting dimensions.
    pub depth: &'a Group,
}

/// The result of a product.
#[derive(Debug)]
pub struct Out<'a, E> {
    /// The buffer.
    pub cells: &'a mut [E],
    /// The slot of the first element.
    pub offset: isize,
    /// Its rows.
    pub rows: &'a Group,
    /// Its columns.
    pub columns: &'a Group,
}

/// The position of a block of depth among the blocks of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthBlock {
    /// The first: overwrites the result instead of adding to it.
    pub is_first: bool,
    /// The last: canonicalizes NaN.
    pub is_last: bool,
}

/// The type that sums are accumulated in.
pub trait Number: Cell {
    /// The key under which packed panels of this type are kept ([`crate::support::context::PackedOperand`]).
    const PACKING: &'static str;

    /// Packs lines (a multiple of `width`, which is [`MR`], [`NR`] or 4) of a block of depth into panels of `width` lines, one
    /// panel after the other; in a panel the `width` cells of one depth are contiguous.
    fn pack(operand: &MatrixOperand, outer: &[isize], depth: &[isize], width: usize, to: &mut [Self]);

    /// The micro-kernel: the product of two panels, `size` = rows x columns.
    ///
    /// # Safety
    /// `a` has `depth * MR` cells and `b` has `depth * NR`. From each of the first `rows` pointers in `to` on, `columns` cells,
    /// rounded up to a multiple of 4, can be read and written.
    unsafe fn tile(
        size: [usize; 2],
        depth: usize,
        a: *const Self,
        b: *const Self,
        to: &[*mut Self; MR],
        stage: DepthBlock,
    );

    /// [`Number::tile`] for consecutive whole panels of `b`. `columns` has [`NR`] offsets for each panel, which are contiguous.
    ///
    /// # Safety
    /// As of [`Number::tile`], for each panel; the pointers in `to` are what the offsets in `columns` are added to.
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
    /// Copies the cells of rows so short that a call of `memory.copy` would cost more than the copy.
    fn copy(from: &[Self], to: &mut [Self]) {
        to.copy_from_slice(from);
    }
    /// Deinterleaves: the cells of even indices to `even`, those of odd indices to `odd`.
    fn deinterleave(from: &[Self], even: &mut [Self], odd: &mut [Self]) {
        even.iter_mut().zip(from.iter().step_by(2)).for_each(|(to, from)| *to = *from);
        odd.iter_mut().zip(from.iter().skip(1).step_by(2)).for_each(|(to, from)| *to = *from);
    }
    /// The cells as `f32`; `None` where the type is another.
    fn floats(_: &mut [Self]) -> Option<&mut [f32]> {
        None
    }
}

/// Scratch memory as aligned cells of another type.
pub fn cells_of<E: Cell>(floats: &mut Floats) -> &mut [E] {
    // SAFETY: every bit pattern is a value of a `Cell`, which is a number or two; `align_to_mut` omits what is not aligned.
    unsafe { floats.as_mut_slice().align_to_mut::<E>().1 }
}

/// Scratch memory for `cells` cells of `E`.
pub fn room<E>(scratch: &mut Scratch, cells: usize) -> Floats {
    scratch.floats((cells * size_of::<E>()).div_ceil(size_of::<f32>()))
}
