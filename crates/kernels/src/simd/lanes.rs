//! Four lanes of `f32`: the vector operations that kernels are written with.
//!
//! Every operation is that of IEEE 754, rounded once, except [`Lanes::madd`] in the fast mode. Comparisons return masks:
//! lanes whose bits are all ones or all zeros. Which operand of NaN is
//! returned is the same on every machine.

/// Four `f32`.
#[allow(unsafe_code, reason = "inner loops load and store without bounds checks")]
#[allow(clippy::wrong_self_convention, reason = "named like its inverse, `to_i32`")]
pub trait Lanes: Copy {
    /// Whether the lanes are a machine vector, with one instruction per operation.
    const IS_SIMD: bool;
    /// The same number in each lane.
    fn splat(x: f32) -> Self;
    /// The same bits in each lane.
    fn splat_bits(x: u32) -> Self;
    /// Loads four numbers.
    fn load(from: &[f32; 4]) -> Self;
    /// Stores four numbers.
    fn store(self, to: &mut [f32; 4]);

    /// Loads four numbers without bounds checks.
    ///
    /// # Safety
    /// Four numbers can be read at `from`; any alignment is allowed.
    unsafe fn read(from: *const f32) -> Self;
    /// Stores four numbers without bounds checks.
    ///
    /// # Safety
    /// Four numbers can be written at `to`; any alignment is allowed.
    unsafe fn write(self, to: *mut f32);
    /// Loads a number into each lane.
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
    /// `self · b + c`, the product rounded first; in the fast mode rounded once at the end if the machine supports that.
    #[must_use]
    fn madd(self, b: Self, c: Self) -> Self;
    /// The square root, correctly rounded.
    #[must_use]
    fn sqrt(self) -> Self;
    /// The absolute value: clears the sign bit.
    #[must_use]
    fn abs(self) -> Self;
    /// The negation: flips the sign bit, that of NaN too.
    #[must_use]
    fn neg(self) -> Self;
    /// Rounds up to an integer.
    #[must_use]
    fn ceil(self) -> Self;
    /// Rounds down to an integer.
    #[must_use]
    fn floor(self) -> Self;
    /// Rounds towards zero.
    #[must_use]
    fn trunc(self) -> Self;
    /// Rounds to the nearest integer, ties to even.
    #[must_use]
    fn nearest(self) -> Self;

    /// `if self < b { b } else { self }`: the maximum, or `self` if one is NaN or both are equal.
    #[must_use]
    fn max(self, b: Self) -> Self;
    /// `if b < self { b } else { self }`: the minimum, or `self` if one is NaN or both are equal.
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

    /// Bitwise and.
    #[must_use]
    fn and(self, b: Self) -> Self;
    /// Bitwise or.
    #[must_use]
    fn or(self, b: Self) -> Self;
    /// Bitwise exclusive or.
    #[must_use]
    fn xor(self, b: Self) -> Self;
    /// Bitwise `self & !b`.
    #[must_use]
    fn and_not(self, b: Self) -> Self;
    /// Selects `self` where the mask is ones, `b` where it is zeros.
    #[must_use]
    fn select(self, b: Self, mask: Self) -> Self;
    /// Whether any lane of a mask is ones.
    fn any(self) -> bool;

    /// Wrapping addition of `i32`.
    #[must_use]
    fn add_i32(self, b: Self) -> Self;
    /// Wrapping subtraction of `i32`.
    #[must_use]
    fn sub_i32(self, b: Self) -> Self;
    /// The minimum as `i32`.
    #[must_use]
    fn min_i32(self, b: Self) -> Self;
    /// The minimum as `u32`.
    #[must_use]
    fn min_u32(self, b: Self) -> Self;
    /// The maximum as `u32`.
    #[must_use]
    fn max_u32(self, b: Self) -> Self;
    /// Shifts left.
    #[must_use]
    fn shl(self, by: u32) -> Self;
    /// Arithmetic shift right of `i32`.
    #[must_use]
    fn sar(self, by: u32) -> Self;
    /// Converts `i32` to `f32`.
    #[must_use]
    fn from_i32(self) -> Self;
    /// Converts to `i32`, towards zero; NaN becomes 0, numbers out of range saturate.
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
    /// Every third lane of twelve, beginning with the first, the second and the third: `[a0, a3, b2, c1]`, `[a1, b0, b3, c2]`,
    /// `[a2, b1, c0, c3]`.
    #[must_use]
    fn deinterleave3(self, b: Self, c: Self) -> [Self; 3];

    /// The four lanes as an array.
    fn to_array(self) -> [f32; 4] {
        let mut lanes = [0.0; 4];
        self.store(&mut lanes);
        lanes
    }

    /// Zero.
    fn zero() -> Self {
        Self::splat(0.0)
    }

    /// Transposes four rows.
    fn transposed(rows: [Self; 4]) -> [Self; 4] {
        let [a, b, c, d] = rows;
        let (low, high) = (a.zip_low(b), a.zip_high(b));
        let (low2, high2) = (c.zip_low(d), c.zip_high(d));
        [low.low_halves(low2), low.high_halves(low2), high.low_halves(high2), high.high_halves(high2)]
    }

    /// Canonicalizes NaN, whose sign and payload differ between machines.
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
