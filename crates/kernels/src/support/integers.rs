//! Arithmetic on integers of every width and sign: wrapping, and total. Edge cases are XLA's (see `ops::elementwise`).

use crate::support::slice::Element;

/// The element-wise functions of integers.
pub trait Integer: Element + Ord {
    /// The quotient, rounded toward zero, wrapping; all ones for a divisor of zero.
    #[must_use]
    fn quotient(self, b: Self) -> Self;
    /// The remainder, with the sign of the dividend; the dividend for a divisor of zero.
    #[must_use]
    fn remainder(self, b: Self) -> Self;
    /// The power, wrapping, by the six lowest bits of the exponent; with a negative exponent 1, ±1 or 0.
    #[must_use]
    fn power(self, b: Self) -> Self;
    /// Shifts left; 0 for the width or more.
    #[must_use]
    fn shift_left(self, b: Self) -> Self;
    /// Shifts right with sign extension; the sign bit everywhere for the width or more.
    #[must_use]
    fn shift_right_arithmetic(self, b: Self) -> Self;
    /// Shifts right with zeros; 0 for the width or more.
    #[must_use]
    fn shift_right_logical(self, b: Self) -> Self;
    /// The wrapping sum.
    #[must_use]
    fn wrapping_plus(self, b: Self) -> Self;
    /// The wrapping difference.
    #[must_use]
    fn wrapping_minus(self, b: Self) -> Self;
    /// The wrapping product.
    #[must_use]
    fn wrapping_times(self, b: Self) -> Self;
    /// Bitwise and.
    #[must_use]
    fn bit_and(self, b: Self) -> Self;
    /// Bitwise or.
    #[must_use]
    fn bit_or(self, b: Self) -> Self;
    /// Bitwise exclusive or.
    #[must_use]
    fn bit_xor(self, b: Self) -> Self;
    /// The absolute value, wrapping.
    #[must_use]
    fn magnitude(self) -> Self;
    /// The sign: -1, 0 or 1.
    #[must_use]
    fn sign(self) -> Self;
    /// The number of one bits.
    #[must_use]
    fn population_count(self) -> Self;
    /// The number of leading zeros.
    #[must_use]
    fn leading_zeros(self) -> Self;
    /// Bitwise not.
    #[must_use]
    fn bit_not(self) -> Self;
}

macro_rules! integers {
    ($($native:ident $signed:ident $unsigned:ident;)*) => {
        $(
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_possible_wrap,
                clippy::cast_sign_loss,
                clippy::cast_lossless,
                unused_comparisons,
                reason = "bits are reinterpreted with and without sign, and counts fit"
            )]
            impl Integer for $native {
                #[inline(always)]
                fn quotient(self, b: Self) -> Self {
                    if b == 0 { !0 } else { self.wrapping_div(b) }
                }
                #[inline(always)]
                fn remainder(self, b: Self) -> Self {
                    if b == 0 { self } else { self.wrapping_rem(b) }
                }
                #[inline(always)]
                fn power(self, b: Self) -> Self {
                    let is_negative = (b as $signed) < 0;
                    if is_negative {
                        let is_odd = b & 1 == 1;
                        return match self {
                            1 => 1,
                            _ if self == !0 => if is_odd { self } else { 1 },
                            _ => 0,
                        };
                    }
                    // The six lowest bits suffice for ±1, too: their power depends on the lowest bit alone.
                    let (mut product, mut base, mut exponent) = (1 as $native, self, b as u64 & 63);
                    while exponent > 0 {
                        if exponent & 1 == 1 {
                            product = product.wrapping_mul(base);
                        }
                        base = base.wrapping_mul(base);
                        exponent >>= 1;
                    }
                    product
                }
                #[inline(always)]
                fn shift_left(self, b: Self) -> Self {
                    if (b as $unsigned) < $native::BITS as $unsigned { self << (b as u32 & ($native::BITS - 1)) } else { 0 }
                }
                #[inline(always)]
                fn shift_right_arithmetic(self, b: Self) -> Self {
                    let max_shift = ($native::BITS - 1) as $unsigned;
                    ((self as $signed) >> (b as $unsigned).min(max_shift) as u32) as $native
                }
                #[inline(always)]
                fn shift_right_logical(self, b: Self) -> Self {
                    let is_within = (b as $unsigned) < $native::BITS as $unsigned;
                    if is_within { ((self as $unsigned) >> (b as u32 & ($native::BITS - 1))) as $native } else { 0 }
                }
                #[inline(always)]
                fn wrapping_plus(self, b: Self) -> Self { self.wrapping_add(b) }
                #[inline(always)]
                fn wrapping_minus(self, b: Self) -> Self { self.wrapping_sub(b) }
                #[inline(always)]
                fn wrapping_times(self, b: Self) -> Self { self.wrapping_mul(b) }
                #[inline(always)]
                fn bit_and(self, b: Self) -> Self { self & b }
                #[inline(always)]
                fn bit_or(self, b: Self) -> Self { self | b }
                #[inline(always)]
                fn bit_xor(self, b: Self) -> Self { self ^ b }
                #[inline(always)]
                fn magnitude(self) -> Self { if self < 0 { (0 as $native).wrapping_sub(self) } else { self } }
                #[inline(always)]
                fn sign(self) -> Self { if self < 0 { !0 } else { (self > 0) as $native } }
                #[inline(always)]
                fn population_count(self) -> Self { self.count_ones() as $native }
                #[inline(always)]
                fn leading_zeros(self) -> Self { $native::leading_zeros(self) as $native }
                #[inline(always)]
                fn bit_not(self) -> Self { !self }
            }
        )*
    };
}

integers! {
    u8 i8 u8; u16 i16 u16; u32 i32 u32; u64 i64 u64; i8 i8 u8; i16 i16 u16; i32 i32 u32; i64 i64 u64;
}
