//! Products of all types except `f32`: plain loops over the same panels, which the compiler vectorizes if it can.
//!
//! Sums are accumulated in few types. Narrower elements are widened while they are packed: integers and `pred` to 32 or 64 bits,
//! wrapping (their low bits are those of any wider sum), half precision to `f32`, the others to their own type. A result type
//! narrower than its sum is rounded or truncated once, at the end.

#![allow(unsafe_code, reason = "the micro-kernel takes pointers to packed panels")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "integers wrap; f64 is rounded to f32 where f32 is asked for"
)]

use crate::gemm::matrix::{DepthBlock, GemmScalar, MR, MatrixOperand, NR, OperandSlice};
use crate::simd::half::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};
use crate::support::element::Type;
use crate::support::scalars::{canonicalized, canonicalized_f32};
use crate::support::slice::{Slice, SliceMut};

/// A scalar type that sums are accumulated in, with the conversions from element types of operands and to those of results.
pub trait AccumulatorScalar: GemmScalar {
    /// The element type whose elements are stored as `Self`.
    const TYPE: Type;
    /// The elements as a typed slice.
    fn slice(elements: &[Self]) -> Slice<'_>;
    /// Packs as [`GemmScalar::pack`] does, but converts each element.
    fn gather(
        operand: OperandSlice,
        free_offsets: &[isize],
        depth_offsets: &[isize],
        width: usize,
        to: &mut [Self],
    );
    /// Writes sums to slots of an array of type `ty`, rounded or truncated.
    fn narrow(sums: &[Self], ty: Type, slots: &[usize], to: &mut SliceMut);
}

/// [`AccumulatorScalar::gather`], for use in the `GemmScalar` implementation of the same type.
pub fn gather<E: AccumulatorScalar>(
    operand: OperandSlice,
    free_offsets: &[isize],
    depth_offsets: &[isize],
    width: usize,
    to: &mut [E],
) {
    E::gather(operand, free_offsets, depth_offsets, width, to);
}

/// [`AccumulatorScalar::gather`] of elements of one native type.
fn gather_converted<S: Copy, E>(
    elements: &[S],
    [free_offsets, depth_offsets]: [&[isize]; 2],
    width: usize,
    to: &mut [E],
    convert: impl Fn(S) -> E,
) {
    for (free, panel) in
        free_offsets.chunks_exact(width).zip(to.chunks_exact_mut(width * depth_offsets.len().max(1)))
    {
        for (at, to) in depth_offsets.iter().zip(panel.chunks_exact_mut(width)) {
            for (start, to) in free.iter().zip(to) {
                *to = convert(elements[(start + at).cast_unsigned()]);
            }
        }
    }
}

/// Writes sums to their slots.
fn scatter<E: Copy, T>(sums: &[E], slots: &[usize], to: &mut [T], convert: impl Fn(E) -> T) {
    for (sum, slot) in sums.iter().zip(slots) {
        to[*slot] = convert(*sum);
    }
}

macro_rules! typed {
    ($scalar:ty, $type:ident $slice:ident: $($from:pat => $from_slice:ident $convert:expr;)* => $($ty:pat => $variant:ident $narrow:expr;)*) => {
        impl AccumulatorScalar for $scalar {
            const TYPE: Type = Type::$type;
            fn slice(elements: &[Self]) -> Slice<'_> {
                Slice::$slice(elements)
            }
            fn gather(operand: OperandSlice, free_offsets: &[isize], depth_offsets: &[isize], width: usize, to: &mut [Self]) {
                match (operand.ty, operand.elements) {
                    $(($from, Slice::$from_slice(elements)) => gather_converted(elements, [free_offsets, depth_offsets], width, to, $convert),)*
                    _ => {}
                }
            }
            fn narrow(sums: &[Self], ty: Type, slots: &[usize], to: &mut SliceMut) {
                match (ty, to) {
                    $(($ty, SliceMut::$variant(to)) => scatter(sums, slots, to, $narrow),)*
                    _ => {}
                }
            }
        }
    };
}

typed! { f32, F32 F32:
    Type::F32 => F32 |x| x;
    Type::F16 => U16 f16_to_f32;
    Type::BF16 => U16 bf16_to_f32;
    =>
    Type::F32 => F32 |x| x;
    Type::F16 => U16 f32_to_f16;
    Type::BF16 => U16 f32_to_bf16;
}
typed! { f64, F64 F64:
    Type::F64 => F64 |x| x;
    Type::F32 => F32 f64::from;
    Type::F16 => U16 |x| f64::from(f16_to_f32(x));
    Type::BF16 => U16 |x| f64::from(bf16_to_f32(x));
    =>
    Type::F64 => F64 |x| x;
}
typed! { i32, S32 I32:
    _ => U8 i32::from;
    _ => I8 i32::from;
    _ => U16 i32::from;
    _ => I16 i32::from;
    _ => U32 |x| x as i32;
    _ => I32 |x| x;
    =>
    Type::Pred => U8 |x| u8::from(x != 0);
    _ => U8 |x| x as u8;
    _ => I8 |x| x as i8;
    _ => U16 |x| x as u16;
    _ => I16 |x| x as i16;
    _ => U32 |x| x as u32;
    _ => I32 |x| x;
}
typed! { i64, S64 I64:
    _ => U8 i64::from;
    _ => I8 i64::from;
    _ => U16 i64::from;
    _ => I16 i64::from;
    _ => U32 i64::from;
    _ => I32 i64::from;
    _ => U64 |x| x as i64;
    _ => I64 |x| x;
    =>
    _ => U64 |x| x as u64;
    _ => I64 |x| x;
}
typed! { [f32; 2], C64 C64:
    _ => C64 |x| x;
    =>
    _ => C64 |x| x;
}
typed! { [f64; 2], C128 C128:
    _ => C128 |x| x;
    _ => C64 |x: [f32; 2]| x.map(f64::from);
    =>
    _ => C128 |x| x;
}

macro_rules! number {
    ($($scalar:ty: $a:ident $b:ident $plus:expr, $product:expr, $canonicalized:expr, $is_nan:expr;)*) => {$(
        impl GemmScalar for $scalar {
            const PACKING: &'static str = concat!("panels of ", stringify!($scalar));
            fn pack(operand: &MatrixOperand, free_offsets: &[isize], depth_offsets: &[isize], width: usize, to: &mut [Self]) {
                gather(operand.operand_slice(), free_offsets, depth_offsets, width, to);
            }
            unsafe fn tile(
                size: [usize; 2],
                depth: usize,
                a: *const Self,
                b: *const Self,
                to: &[*mut Self; MR],
                depth_block: DepthBlock,
            ) {
                // SAFETY: panels and rows are as long as `GemmScalar::tile` demands, whose terms `tile` repeats.
                unsafe { tile(size, depth, a, b, to, depth_block) }
            }
            #[inline(always)]
            fn plus(self, $b: Self) -> Self {
                let $a = self;
                $plus
            }
            #[inline(always)]
            fn plus_product(self, $a: Self, $b: Self) -> Self {
                let product: Self = $product;
                self.plus(product)
            }
            fn canonicalized(self) -> Self {
                let canonicalize: fn(Self) -> Self = $canonicalized;
                canonicalize(self)
            }
            fn is_nan(self) -> bool {
                let is: fn(Self) -> bool = $is_nan;
                is(self)
            }
        }
    )*};
}

number! {
    f64: a b a + b, a * b, canonicalized, |x| x.is_nan();
    i32: a b a.wrapping_add(b), a.wrapping_mul(b), |x| x, |_| false;
    i64: a b a.wrapping_add(b), a.wrapping_mul(b), |x| x, |_| false;
    [f32; 2]: a b [a[0] + b[0], a[1] + b[1]], [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]],
        |x| x.map(canonicalized_f32), |x| x[0].is_nan() || x[1].is_nan();
    [f64; 2]: a b [a[0] + b[0], a[1] + b[1]], [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]],
        |x| x.map(canonicalized), |x| x[0].is_nan() || x[1].is_nan();
}

/// [`GemmScalar::tile`] as plain loops.
///
/// # Safety
/// As for [`GemmScalar::tile`].
#[inline(never)]
unsafe fn tile<E: GemmScalar>(
    [rows, columns]: [usize; 2],
    depth: usize,
    a: *const E,
    b: *const E,
    to: &[*mut E; MR],
    depth_block: DepthBlock,
) {
    // SAFETY: `a` has `depth * MR` elements and `b` has `depth * NR`, which are not written while these slices exist.
    let (a, b) =
        unsafe { (std::slice::from_raw_parts(a, depth * MR), std::slice::from_raw_parts(b, depth * NR)) };
    let mut sums = [[E::default(); NR]; MR];
    for (a, b) in a.as_chunks::<MR>().0.iter().zip(b.as_chunks::<NR>().0) {
        for (sums, a) in sums.iter_mut().zip(a) {
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum = sum.plus_product(*a, *b);
            }
        }
    }
    let columns = columns.next_multiple_of(4);
    for (sums, to) in sums.iter().zip(to).take(rows) {
        for (v, sum) in sums[..columns].iter().enumerate() {
            // SAFETY: `v` is less than the columns rounded up to a multiple of 4, as many elements as the row has.
            let to = unsafe { &mut *to.add(v) };
            let sum = if depth_block.is_first { *sum } else { to.plus(*sum) };
            *to = if depth_block.is_last { sum.canonicalized() } else { sum };
        }
    }
}
