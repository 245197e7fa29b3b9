//! Doubles to decimal text and back, correctly rounded.
//!
//! The standard library's parser and printer bring tables of 12 kB and 20 kB of code, more than what the landing page may spend
//! on the numbers that it shows. Most conversions are exact in a double or in 128 bits; the others need big integers.

mod big;
mod parse;
mod print;

pub use parse::parse;
pub use print::{Rounded, fixed, shortest};

use big::{Big, Binary};

/// Powers of ten that a double holds exactly.
const MAX_EXACT_POWER_OF_TEN: u64 = 22;

/// Powers of five that 64 bits hold.
const MAX_POWER_OF_FIVE_IN_64_BITS: u64 = 27;

/// The double nearest to an integer times ten to the power, the even one of two.
fn nearest(integer: u64, power: i64) -> f64 {
    if integer <= 1 << f64::MANTISSA_DIGITS && power.unsigned_abs() <= MAX_EXACT_POWER_OF_TEN {
        // Both operands are exact, so the result is rounded once (Clinger 1990).
        #[allow(clippy::cast_precision_loss, reason = "the integer has at most 53 bits")]
        let exact = integer as f64;
        let scale = (0..power.unsigned_abs()).fold(1.0, |scale, _| scale * 10.0);
        return if power < 0 { exact / scale } else { exact * scale };
    }
    scaled(integer, power).to_f64()
}

/// An integer times ten to the power, in binary.
fn scaled(integer: u64, power: i64) -> Binary {
    if integer == 0 || power.unsigned_abs() > MAX_POWER_OF_FIVE_IN_64_BITS {
        return Big::from(integer).scaled(power);
    }
    let five = (0..power.unsigned_abs()).fold(1_u128, |five, _| five * 5);
    if power >= 0 {
        return Binary::new(u128::from(integer) * five, power, false);
    }
    let zeros = integer.leading_zeros();
    let dividend = u128::from(integer << zeros) << 64;
    Binary::new(dividend / five, power - 64 - i64::from(zeros), dividend % five != 0)
}
