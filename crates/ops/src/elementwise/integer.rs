//! Integer arithmetic: wrapping, and defined for all operands.
//!
//! Results may have bits beyond the element type's width; the caller truncates them.

#![allow(
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_possible_truncation,
    reason = "casts reinterpret bits, and the high half of a product fits"
)]

use super::unexpected;
use xla_array::ElementType;
use xla_array::Value::{self, Int, Uint};
use xla_messages::bug::OrBug;

/// The bits of a value in its type.
fn bits(element_type: ElementType, value: Value) -> u64 {
    u64::try_from(value.to_bits(element_type)).or_bug(u64::MAX, "an integer of more than 64 bits")
}

fn same_class(value: Value, n: u64) -> Value {
    if matches!(value, Int(_)) { Int(n as i64) } else { Uint(n) }
}

/// The number of one bits.
pub(super) fn population_count(element_type: ElementType, value: Value) -> Value {
    same_class(value, bits(element_type, value).count_ones().into())
}

/// The number of leading zero bits; the width for zero.
pub(super) fn leading_zeros(element_type: ElementType, value: Value) -> Value {
    let unused = 64 - u32::from(element_type.bits());
    same_class(value, (bits(element_type, value).leading_zeros() - unused).into())
}

/// Rounds toward zero. Division by zero yields all ones: -1, or the maximum.
pub(super) fn divide(a: Value, b: Value) -> Value {
    match (a, b) {
        (Int(_), Int(0)) => Int(-1),
        (Int(a), Int(b)) => Int(a.wrapping_div(b)),
        (Uint(_), Uint(0)) => Uint(u64::MAX),
        (Uint(a), Uint(b)) => Uint(a / b),
        _ => unexpected(a),
    }
}

/// Has the sign of the dividend. Division by zero yields the dividend.
pub(super) fn remainder(a: Value, b: Value) -> Value {
    match (a, b) {
        (Int(_), Int(0)) | (Uint(_), Uint(0)) => a,
        (Int(a), Int(b)) => Int(a.wrapping_rem(b)),
        (Uint(a), Uint(b)) => Uint(a % b),
        _ => unexpected(a),
    }
}

/// Wraps. A negative exponent yields 1 for 1, ±1 for -1, else 0.
///
/// XLA's CPU backend uses only the low six bits of other exponents (so x^64 = 1), and treats an unsigned exponent of 8
/// bits or more as negative if its top bit is set.
pub(super) fn power(element_type: ElementType, a: Value, b: Value) -> Value {
    let width = u32::from(element_type.bits());
    let (exponent, is_negative) = match b {
        Int(n) => (n.unsigned_abs(), n < 0),
        Uint(n) => (n, width >= 8 && n >> (width - 1) == 1),
        other => {
            unexpected(other);
            (0, false)
        }
    };
    let minus_one = u64::MAX >> (64 - width);
    match a {
        Int(1) | Uint(1) => a,
        Int(-1) => Int(if exponent % 2 == 0 { 1 } else { -1 }),
        Uint(n) if is_negative && n == minus_one => Uint(if exponent % 2 == 0 { 1 } else { n }),
        Int(_) | Uint(_) if is_negative => same_class(a, 0),
        Int(n) => Int(wrapping_power(n as u64, exponent & 63) as i64),
        Uint(n) => Uint(wrapping_power(n, exponent & 63)),
        other => unexpected(other),
    }
}

fn wrapping_power(mut base: u64, mut exponent: u64) -> u64 {
    let mut product = 1_u64;
    while exponent > 0 {
        if exponent & 1 == 1 {
            product = product.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    product
}

/// The upper half of the product, whose width is twice that of the type.
pub(super) fn multiply_high(element_type: ElementType, a: Value, b: Value) -> Value {
    let width = u32::from(element_type.bits());
    match (a, b) {
        (Int(a), Int(b)) => Int(((i128::from(a) * i128::from(b)) >> width) as i64),
        (Uint(a), Uint(b)) => Uint(((u128::from(a) * u128::from(b)) >> width) as u64),
        _ => unexpected(a),
    }
}

/// The number of bits to shift, if less than the width.
fn shift_amount(element_type: ElementType, by: Value) -> Option<u32> {
    let n = match by {
        Int(n) => u64::try_from(n).ok()?,
        Uint(n) => n,
        other => {
            unexpected(other);
            return None;
        }
    };
    u32::try_from(n).ok().filter(|n| *n < element_type.bits().into())
}

/// 0 if the amount is negative, or the width or more.
pub(super) fn shift_left(element_type: ElementType, a: Value, by: Value) -> Value {
    same_class(a, shift_amount(element_type, by).map_or(0, |n| bits(element_type, a) << n))
}

/// Shifts in zeros; 0 if the amount is negative, or the width or more.
pub(super) fn shift_right_logical(element_type: ElementType, a: Value, by: Value) -> Value {
    same_class(a, shift_amount(element_type, by).map_or(0, |n| bits(element_type, a) >> n))
}

/// Shifts in copies of the top bit, also for unsigned types; only these if the amount is the width or more.
pub(super) fn shift_right_arithmetic(element_type: ElementType, a: Value, by: Value) -> Value {
    let unused = 64 - u32::from(element_type.bits());
    let signed = (bits(element_type, a) << unused) as i64 >> unused;
    same_class(a, (signed >> shift_amount(element_type, by).unwrap_or(63)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ElementType as T;

    #[test]
    fn edge_cases_of_division_power_and_shifts() {
        assert_eq!(divide(Int(i64::MIN), Int(-1)), Int(i64::MIN));
        assert_eq!([divide(Int(7), Int(0)), remainder(Int(-7), Int(0))], [Int(-1), Int(-7)]);
        assert_eq!(
            [power(T::S32, Int(-1), Int(-3)), power(T::S32, Int(0), Int(-1)), power(T::S32, Int(0), Int(0))],
            [Int(-1), Int(0), Int(1)]
        );
        assert_eq!([power(T::S64, Int(3), Int(64)), power(T::U8, Uint(3), Uint(254))], [Int(1), Uint(0)]);
        assert_eq!(multiply_high(T::S8, Int(-128), Int(-128)), Int(64));
        assert_eq!(multiply_high(T::U64, Uint(u64::MAX), Uint(u64::MAX)), Uint(u64::MAX - 1));
        assert_eq!(shift_left(T::S8, Int(-1), Int(8)), Int(0));
        assert_eq!(shift_right_arithmetic(T::S8, Int(-2), Int(-1)), Int(-1));
        assert_eq!(shift_right_arithmetic(T::U8, Uint(0x80), Uint(1)).convert(T::U8), Uint(0xC0));
        assert_eq!(shift_right_logical(T::S8, Int(-1), Int(4)), Int(15));
        assert_eq!(leading_zeros(T::U4, Uint(0)), Uint(4));
    }
}
