//! How often which numbers were drawn, beside how often the distribution expects them.

use xla_array::{ArrayLiteral, Value};
use xla_ops::Distribution;

/// The number of bars.
const BARS: usize = 32;

/// Fewer numbers than this say nothing of what they were drawn from.
pub const ENOUGH: usize = 64;

/// How far from the mean a normal distribution is shown, in standard deviations; what lies beyond is in the last bars.
const SPREAD: f64 = 4.0;

/// Drawn numbers, counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// Where the first bar begins.
    pub low: f64,
    /// Where the last bar ends.
    pub high: f64,
    /// How many numbers are in each bar.
    pub counts: Vec<u32>,
    /// How many the distribution expects there.
    pub expected: Vec<f64>,
    /// How many numbers there are.
    pub count: u32,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
}

impl Histogram {
    /// Of the elements of an array of floats; `None` where they are too few, or the distribution has no width.
    pub fn new(array: &ArrayLiteral, distribution: Distribution) -> Option<Self> {
        let deviation = distribution.moments().1;
        if !array.element_type().is_floating() || deviation.is_nan() || deviation <= 0.0 {
            return None;
        }
        let (low, high) = match distribution {
            Distribution::Uniform(a, b) => (a, b),
            Distribution::Normal(mean, deviation) => (mean - SPREAD * deviation, mean + SPREAD * deviation),
        };
        if !(low.is_finite() && high.is_finite() && (high - low).is_finite()) {
            return None;
        }
        let numbers: Vec<f64> = array
            .values()
            .filter_map(|value| if let Value::Float(x) = value { Some(x) } else { None })
            .filter(|x| x.is_finite())
            .collect();
        let count = u32::try_from(numbers.len()).ok()?;
        if numbers.len() < ENOUGH {
            return None;
        }
        let bars = u32::try_from(BARS).map_or(1.0, f64::from);
        let width = (high - low) / bars;
        let mut counts = vec![0; BARS];
        for x in &numbers {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a float becomes the nearest integer there is; the last bars take the rest"
            )]
            let bar = ((x - low) / width) as usize;
            counts[bar.min(BARS - 1)] += 1;
        }
        let edge = |bar: usize| low + width * u32::try_from(bar).map_or(0.0, f64::from);
        let expect = |bar: usize| {
            let from = if bar == 0 { 0.0 } else { distribution.below(edge(bar)) };
            let to = if bar + 1 == BARS { 1.0 } else { distribution.below(edge(bar + 1)) };
            f64::from(count) * (to - from)
        };
        let expected = (0..BARS).map(expect).collect();
        let n = f64::from(count);
        let mean = numbers.iter().sum::<f64>() / n;
        let deviation = (numbers.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n).sqrt();
        Some(Self { low, high, counts, expected, count, mean, deviation })
    }

    /// The tallest of bars and curve.
    pub fn tallest(&self) -> f64 {
        let counts = self.counts.iter().copied().map(f64::from);
        counts.chain(self.expected.iter().copied()).fold(1.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_array::{ArrayShape, ElementType};

    fn drawn(n: i64, of: impl Fn(i64) -> f64) -> ArrayLiteral {
        ArrayLiteral::from_fn(ArrayShape::new(ElementType::F64, [n]), |i, _| Value::Float(of(i))).unwrap()
    }

    #[test]
    fn an_even_spread_fills_every_bar_as_expected() {
        let even = drawn(3200, |i| f64::from(i32::try_from(i).unwrap()) / 3200.0 * 4.0 - 1.0);
        let histogram = Histogram::new(&even, Distribution::Uniform(-1.0, 3.0)).unwrap();
        assert!(histogram.counts.iter().all(|count| (99..=101).contains(count)), "{:?}", histogram.counts);
        assert!(histogram.expected.iter().all(|expected| (expected - 100.0).abs() < 1e-9));
        assert!((histogram.mean - 1.0).abs() < 0.01 && histogram.count == 3200);
    }

    #[test]
    fn a_normal_curve_sums_to_all_and_what_lies_beyond_is_in_the_last_bars() {
        let far = drawn(100, |i| if i < 50 { -1e9 } else { 1e9 });
        let histogram = Histogram::new(&far, Distribution::Normal(0.0, 1.0)).unwrap();
        assert_eq!((histogram.counts[0], histogram.counts[31]), (50, 50));
        assert!((histogram.expected.iter().sum::<f64>() - 100.0).abs() < 1e-9);
        assert!(histogram.expected[15] > histogram.expected[8]);
    }

    #[test]
    fn few_numbers_or_no_width_make_none() {
        let few = drawn(10, |_| 0.0);
        assert_eq!(Histogram::new(&few, Distribution::Uniform(0.0, 1.0)), None);
        let many = drawn(100, |_| 0.0);
        for none in [
            Distribution::Normal(0.0, 0.0),
            Distribution::Normal(0.0, f64::NAN),
            Distribution::Uniform(1.0, 0.0),
            Distribution::Uniform(f64::MIN, f64::MAX),
        ] {
            assert_eq!(Histogram::new(&many, none), None, "{none:?}");
        }
    }
}
