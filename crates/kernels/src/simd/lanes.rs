//! Four lanes of `f32`: the vector operations that kernels are written with.
//!
//! Every operation is IEEE, rounded once, except [`Lanes::madd`] in the fast mode. Comparisons answer masks, lanes of
//! all ones or all zeros. What is said of NaN holds on every machine.

/// Four `f32`.
#[allow(unsafe_code, reason = "reading without a bounds check is what inner loops are made of")]
#[allow(clippy::wrong_self_convention, reason = "named as its inverse")]
pub trait Lanes: Copy {
    /// Whether the four are one vector of the machine, and an operation on them one instruction.
    const IS_SIMD: bool;
    /// The same number in each lane.
    fn splat(x: f32) -> Self;
    /// The same bits in each lane.
    fn splat_bits(x: u32) -> Self;
    /// Four numbers from memory.
    fn load(from: &[f32; 4]) -> Self;
    /// Four numbers to memory.
    fn store(self, to: &mut [f32; 4]);

    /// Four numbers from memory, without bounds checks.
    ///
    /// # Safety
    /// Four numbers can be read at `from`; any alignment will do.
    unsafe fn read(from: *const f32) -> Self;
    /// Four numbers to memory, without bounds checks.
    ///
    /// # Safety
    /// Four numbers can be written at `to`; any alignment will do.
    unsafe fn write(self, to: *mut f32);
    /// The number in memory, in each lane.
    ///
    /// # Safety
    /// A number can be read at `from`.
    unsafe fn read_splat(from: *const f32) -> Self;

    /// `self + b`.
    #[must_use]
    fn add(self, b: Self) -> Self;
    /// `self - b`.
    #[must_use]
    fn sub(self, b: Self) -> Self;
    /// `self · b`.
    #[must_use]
    fn mul(self, b: Self) -> Self;
    /// `self / b`.
    #[must_use]
    fn div(self, b: Self) -> Self;
    /// `self · b + c`, the product rounded first; in the fast mode rounded once at the end, where the machine can.
    #[must_use]
    fn madd(self, b: Self, c: Self) -> Self;
    /// The root, correctly rounded.
    #[must_use]
    fn sqrt(self) -> Self;
    /// The sign taken away.
    #[must_use]
    fn abs(self) -> Self;
    /// The sign turned over, that of NaN too.
    #[must_use]
    fn neg(self) -> Self;
    /// Up to the next integer.
    #[must_use]
    fn ceil(self) -> Self;
    /// Down to the next integer.
    #[must_use]
    fn floor(self) -> Self;
    /// Towards zero.
    #[must_use]
    fn trunc(self) -> Self;
    /// To the nearest integer, ties to even.
    #[must_use]
    fn nearest(self) -> Self;

    /// `if self < b { b } else { self }`: the larger, and `self` where one is NaN or both are equal.
    #[must_use]
    fn max(self, b: Self) -> Self;
    /// `if b < self { b } else { self }`: the smaller, and `self` where one is NaN or both are equal.
    #[must_use]
    fn min(self, b: Self) -> Self;

    /// Mask: `self < b`.
    #[must_use]
    fn lt(self, b: Self) -> Self;
    /// Mask: `self <= b`.
    #[must_use]
    fn le(self, b: Self) -> Self;
    /// Mask: `self == b`.
    #[must_use]
    fn eq(self, b: Self) -> Self;
    /// Mask: `self != b`, true of NaN.
    #[must_use]
    fn ne(self, b: Self) -> Self;

    /// Both, bit by bit.
    #[must_use]
    fn and(self, b: Self) -> Self;
    /// Either, bit by bit.
    #[must_use]
    fn or(self, b: Self) -> Self;
    /// One of them, bit by bit.
    #[must_use]
    fn xor(self, b: Self) -> Self;
    /// What is in `self` and not in `b`, bit by bit.
    #[must_use]
    fn and_not(self, b: Self) -> Self;
    /// `self` where the mask is ones, `b` where it is zeros.
    #[must_use]
    fn select(self, b: Self, mask: Self) -> Self;
    /// Whether a lane of a mask is ones.
    fn any(self) -> bool;

    /// The lanes as `i32`, added, wrapping.
    #[must_use]
    fn add_i32(self, b: Self) -> Self;
    /// The lanes as `i32`, subtracted, wrapping.
    #[must_use]
    fn sub_i32(self, b: Self) -> Self;
    /// The lanes as `i32`, the smaller.
    #[must_use]
    fn min_i32(self, b: Self) -> Self;
    /// The lanes as `u32`, the smaller.
    #[must_use]
    fn min_u32(self, b: Self) -> Self;
    /// The lanes as `u32`, the larger.
    #[must_use]
    fn max_u32(self, b: Self) -> Self;
    /// The lanes as bits, shifted left.
    #[must_use]
    fn shl(self, by: u32) -> Self;
    /// The lanes as `i32`, shifted right with their sign.
    #[must_use]
    fn sar(self, by: u32) -> Self;
    /// The lanes as `i32`, made `f32`.
    #[must_use]
    fn from_i32(self) -> Self;
    /// The lanes made `i32`, towards zero; NaN gives 0, what is out of range the nearest.
    #[must_use]
    fn to_i32(self) -> Self;

    /// Lanes 0 and 2 of both: `[a0, a2, b0, b2]`.
    #[must_use]
    fn even(self, b: Self) -> Self;
    /// Lanes 1 and 3 of both: `[a1, a3, b1, b3]`.
    #[must_use]
    fn odd(self, b: Self) -> Self;
    /// `[a0, b0, a1, b1]`.
    #[must_use]
    fn zip_low(self, b: Self) -> Self;
    /// `[a2, b2, a3, b3]`.
    #[must_use]
    fn zip_high(self, b: Self) -> Self;
    /// `[a0, a1, b0, b1]`.
    #[must_use]
    fn low_halves(self, b: Self) -> Self;
    /// `[a2, a3, b2, b3]`.
    #[must_use]
    fn high_halves(self, b: Self) -> Self;
    /// `[a3, b0, b1, b2]`.
    #[must_use]
    fn concat_shift3(self, b: Self) -> Self;
    /// `[a1, a2, a3, b0]`.
    #[must_use]
    fn concat_shift1(self, b: Self) -> Self;
    /// `[a2, a3, b0, b1]`.
    #[must_use]
    fn concat_shift2(self, b: Self) -> Self;
    /// Every third of twelve, from the first, the second and the third on: `[a0, a3, b2, c1]`, `[a1, b0, b3, c2]`,
    /// `[a2, b1, c0, c3]`.
    #[must_use]
    fn thirds(self, b: Self, c: Self) -> [Self; 3];

    /// All four.
    fn to_array(self) -> [f32; 4] {
        let mut all = [0.0; 4];
        self.store(&mut all);
        all
    }

    /// Zero.
    fn zero() -> Self {
        Self::splat(0.0)
    }

    /// Four rows made four columns.
    fn transposed(rows: [Self; 4]) -> [Self; 4] {
        let [a, b, c, d] = rows;
        let (low, high) = (a.zip_low(b), a.zip_high(b));
        let (low2, high2) = (c.zip_low(d), c.zip_high(d));
        [low.low_halves(low2), low.high_halves(low2), high.low_halves(high2), high.high_halves(high2)]
    }

    /// The canonical NaN for each NaN: its sign and payload are the machine's, and a result must not show the machine.
    #[must_use]
    fn canonicalized(self) -> Self {
        self.select(Self::splat(f32::NAN), self.eq(self))
    }

    /// The sum of the lanes: `(a0 + a2) + (a1 + a3)`.
    fn sum(self) -> f32 {
        let [a, b, c, d] = self.to_array();
        (a + c) + (b + d)
    }
}
