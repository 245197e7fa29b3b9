//! The matrices of a product, its block sizes [`MR`], [`NR`], [`KC`] and [`NC`] (named as in BLIS), and its scalar types.

#![allow(unsafe_code, reason = "register tiles take pointers to packed panels")]

use crate::gemm::offset_map::OffsetMap;
use crate::support::element::Type;
use crate::support::scratch::{Floats, Scratch};
use crate::support::slice::{Element, Slice};

/// Depth of a block: a panel of four rows is 4 kB of `f32`. Under Miri the smallest multiple of a vector that is not less than
/// the nine taps of a window.
pub const KC: usize = if cfg!(miri) { 16 } else { 256 };
/// Columns of a block: with [`KC`] 512 kB of `f32`, a quarter of a usual L2. Under Miri two panels.
pub const NC: usize = if cfg!(miri) { 2 * NR } else { 512 / NR * NR };
/// Whether multiply and add are one instruction: then no register holds a product, and the tile may be larger.
const HAS_FMA: bool = cfg!(target_feature = "relaxed-simd");
/// Rows of a panel.
pub const MR: usize = if HAS_FMA { 3 } else { 4 };
/// Columns of a panel, a multiple of four.
pub const NR: usize = if HAS_FMA { 12 } else { 8 };

/// An operand of a product, as a matrix of free x contracting dimensions. A *free index* is a row of the left or a column of the
/// right operand, a *depth* an index of the contracting dimensions.
#[derive(Clone, Copy, Debug)]
pub struct MatrixOperand<'a> {
    /// The buffer that contains the matrix.
    pub elements: Slice<'a>,
    /// The element type.
    pub ty: Type,
    /// The slot of the first element.
    pub offset: isize,
    /// The free dimensions.
    pub free: &'a OffsetMap,
    /// The contracting dimensions.
    pub depth: &'a OffsetMap,
}

/// The elements of an operand, without the dimensions in which a product reads them.
#[derive(Clone, Copy, Debug)]
pub struct OperandSlice<'a> {
    /// The buffer that contains the matrix.
    pub elements: Slice<'a>,
    /// The element type.
    pub ty: Type,
    /// The slot of the first element.
    pub offset: isize,
}

impl<'a> MatrixOperand<'a> {
    /// The operand without its dimensions.
    pub fn operand_slice(&self) -> OperandSlice<'a> {
        OperandSlice { elements: self.elements, ty: self.ty, offset: self.offset }
    }
}

/// The result of a product.
#[derive(Debug)]
pub struct Out<'a, E> {
    /// The buffer that the result is written to.
    pub elements: &'a mut [E],
    /// The slot of the first element.
    pub offset: isize,
    /// The offsets of its rows.
    pub rows: &'a OffsetMap,
    /// The offsets of its columns.
    pub columns: &'a OffsetMap,
}

/// The position of a block of depth among the blocks of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthBlock {
    /// Whether it is the first, whose sums overwrite the result instead of being added to it.
    pub is_first: bool,
    /// Whether it is the last, after which NaN is canonicalized.
    pub is_last: bool,
}

/// A scalar type that sums are accumulated in: its arithmetic, the packing of its panels, and its micro-kernel.
pub trait GemmScalar: Element {
    /// The key under which packed panels of this type are kept ([`crate::support::context::PackedOperand`]).
    const PACKING: &'static str;

    /// Packs the free indices and depths at these offsets into panels of `width` free indices ([`MR`], [`NR`] or 4, which divides
    /// their number), one panel after the other; in a panel the `width` elements of one depth are contiguous.
    fn pack(
        operand: &MatrixOperand,
        free_offsets: &[isize],
        depth_offsets: &[isize],
        width: usize,
        to: &mut [Self],
    );

    /// The micro-kernel: the product of two panels, `size` = rows x columns.
    ///
    /// # Safety
    /// `a` has `depth * MR` elements and `b` has `depth * NR`. From each of the first `rows` pointers in `to` on, `columns`
    /// elements, rounded up to a multiple of 4, can be read and written.
    unsafe fn tile(
        size: [usize; 2],
        depth: usize,
        a: *const Self,
        b: *const Self,
        to: &[*mut Self; MR],
        depth_block: DepthBlock,
    );

    /// [`GemmScalar::tile`] for consecutive whole panels of `b`. `columns` has [`NR`] offsets for each panel, which are
    /// contiguous.
    ///
    /// # Safety
    /// As for [`GemmScalar::tile`], for each panel: its rows begin at the pointers in `to` plus the first of its offsets in
    /// `columns`.
    unsafe fn strip(
        rows: usize,
        depth: usize,
        [a, b]: [*const Self; 2],
        to: &[*mut Self; MR],
        columns: &[isize],
        depth_block: DepthBlock,
    ) {
        for (j, columns) in columns.chunks_exact(NR).enumerate() {
            let row_starts = to.map(|row| row.wrapping_offset(columns[0]));
            // SAFETY: panel `j` of `b` begins `j * NR * depth` elements on, and `NR` elements can be written from its first
            // column on.
            unsafe { Self::tile([rows, NR], depth, a, b.add(j * NR * depth), &row_starts, depth_block) };
        }
    }

    /// `self + other`.
    #[must_use]
    fn plus(self, other: Self) -> Self;
    /// `self + a * b`.
    #[must_use]
    fn plus_product(self, a: Self, b: Self) -> Self;
    /// The canonical NaN for each NaN.
    #[must_use]
    fn canonicalized(self) -> Self;
    /// Whether it is NaN.
    fn is_nan(self) -> bool;
    /// Copies short rows, for which the overhead of `memory.copy` exceeds the copy.
    fn copy(from: &[Self], to: &mut [Self]) {
        to.copy_from_slice(from);
    }
    /// Deinterleaves: the elements of even indices to `even`, those of odd indices to `odd`.
    fn deinterleave(from: &[Self], even: &mut [Self], odd: &mut [Self]) {
        even.iter_mut().zip(from.iter().step_by(2)).for_each(|(to, from)| *to = *from);
        odd.iter_mut().zip(from.iter().skip(1).step_by(2)).for_each(|(to, from)| *to = *from);
    }
    /// The elements as `f32`; `None` if the type differs.
    fn as_f32_mut(_: &mut [Self]) -> Option<&mut [f32]> {
        None
    }
}

/// Scratch memory as aligned elements of another type.
pub fn elements_of<E: Element>(floats: &mut Floats) -> &mut [E] {
    // SAFETY: every bit pattern is a valid `Element`, which is one number or two; `align_to_mut` omits unaligned ends.
    unsafe { floats.as_mut_slice().align_to_mut::<E>().1 }
}

/// Scratch memory for `count` elements of `E`.
pub fn scratch_for<E>(scratch: &mut Scratch, count: usize) -> Floats {
    scratch.floats((count * size_of::<E>()).div_ceil(size_of::<f32>()))
}
