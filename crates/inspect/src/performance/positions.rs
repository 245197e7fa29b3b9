//! The positions of a convolution's windows that hold an element of the input, neither padding nor a gap of dilation.

use super::unsigned;
use xla_ops::attrs::WindowDim;

/// Maximum number of indices of a dimension that are visited one by one.
const MAX_VISITED_INDICES: i64 = 1 << 16;

/// The pairs of a kernel index and an output index whose position holds an input element, along one dimension.
///
/// Visits the smaller of kernel and output, and counts the other by arithmetic. If even the smaller one exceeds
/// [`MAX_VISITED_INDICES`], returns an upper bound: every pair, or every input element for each index.
pub(super) fn valid_positions(input: i64, kernel: i64, output: i64, window: &WindowDim) -> u64 {
    let gap = window.base_dilation.max(1);
    let (outer, inner, outer_step, inner_step) = if kernel <= output {
        (kernel, output, window.window_dilation, window.stride)
    } else {
        (output, kernel, window.stride, window.window_dilation)
    };
    if outer > MAX_VISITED_INDICES {
        let pairs = unsigned(outer).saturating_mul(unsigned(inner));
        return pairs.min(unsigned(outer).saturating_mul(unsigned(input)));
    }
    // The last position of the dilated input; none if the input is empty.
    let Some(end) = input.checked_sub(1).and_then(|last| last.checked_mul(gap)).filter(|end| *end >= 0)
    else {
        return 0;
    };
    let count_at = |index: i64| -> Option<u64> {
        let first = index.checked_mul(outer_step)?.checked_sub(window.pad_low)?;
        Some(multiples_in_range(first, inner_step.max(1), inner, gap, end))
    };
    (0..outer).fold(0, |sum: u64, index| sum.saturating_add(count_at(index).unwrap_or(0)))
}

/// The number of positions `first + i · step`, for i in `0..count`, that are in `0..=end` and multiples of `gap`.
fn multiples_in_range(first: i64, step: i64, count: i64, gap: i64, end: i64) -> u64 {
    let Some(distance) = first.min(0).checked_neg() else { return 0 };
    let Some(range) = end.checked_sub(first).filter(|range| *range >= 0) else { return 0 };
    let lowest = distance / step + i64::from(distance % step > 0);
    let highest = (range / step).min(count - 1);
    if lowest > highest {
        return 0;
    }
    // The solutions of first + i · step ≡ 0 (mod gap) are equal modulo the period gap / gcd(step, gap).
    let divisor = gcd(step, gap);
    if first % divisor != 0 {
        return 0;
    }
    let period = i128::from(gap / divisor);
    let factor = inverse(i128::from(step / divisor), period);
    let solution = (-i128::from(first / divisor) * factor).rem_euclid(period);
    let start = i128::from(lowest) + (solution - i128::from(lowest)).rem_euclid(period);
    let solutions = (i128::from(highest) - start).div_euclid(period) + 1;
    u64::try_from(solutions).unwrap_or(0)
}

fn gcd(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The inverse of a number that is coprime to the modulus, reduced by it.
fn inverse(number: i128, modulus: i128) -> i128 {
    let (mut old, mut new) = ((number.rem_euclid(modulus), 1), (modulus, 0));
    while new.0 != 0 {
        let quotient = old.0 / new.0;
        (old, new) = (new, (old.0 - quotient * new.0, old.1 - quotient * new.1));
    }
    old.1.rem_euclid(modulus)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pair, one at a time.
    fn by_enumeration(input: i64, kernel: i64, output: i64, window: &WindowDim) -> u64 {
        let pairs = (0..kernel).flat_map(|k| (0..output).map(move |o| (k, o)));
        let position = |(k, o): (i64, i64)| o * window.stride - window.pad_low + k * window.window_dilation;
        let is_valid = |position: &i64| {
            *position >= 0 && position % window.base_dilation == 0 && position / window.base_dilation < input
        };
        pairs.map(position).filter(is_valid).count() as u64
    }

    #[test]
    fn counts_the_pairs_that_enumeration_finds() {
        let mut cases = 0;
        for (input, kernel, output) in [(1, 1, 1), (5, 3, 5), (4, 7, 3), (9, 2, 11), (0, 2, 3), (6, 6, 6)] {
            for stride in 1..4 {
                for base_dilation in 1..5 {
                    for window_dilation in 1..4 {
                        for pad_low in -3..5 {
                            let window = WindowDim {
                                size: kernel,
                                stride,
                                pad_low,
                                base_dilation,
                                window_dilation,
                                ..WindowDim::default()
                            };
                            let expected = by_enumeration(input, kernel, output, &window);
                            assert_eq!(
                                valid_positions(input, kernel, output, &window),
                                expected,
                                "{input} {kernel} {output} {window:?}"
                            );
                            cases += 1;
                        }
                    }
                }
            }
        }
        assert_eq!(cases, 6 * 3 * 4 * 3 * 8);
    }

    #[test]
    fn huge_windows_take_bounded_time() {
        let window = WindowDim { size: i64::MAX, pad_low: i64::MIN, ..WindowDim::default() };
        assert!(valid_positions(3, i64::MAX, i64::MAX, &window) > 0);
        let window = WindowDim { pad_low: i64::MAX, base_dilation: i64::MAX, ..WindowDim::default() };
        assert_eq!(valid_positions(i64::MAX, 3, 3, &window), 0);
    }
}
