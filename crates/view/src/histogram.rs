//! Histograms of random numbers, with the expected counts of their distribution.

use xla_array::{ArrayLiteral, Value};
use xla_ops::Distribution;

/// The number of bins.
const BINS: usize = 32;

/// Minimum number of samples; fewer do not show their distribution.
pub const MIN_SAMPLES: usize = 64;

/// Range of the histogram of a normal distribution on either side of the mean, in standard deviations. The outermost
/// bins include the samples beyond.
const NORMAL_RANGE_DEVIATIONS: f64 = 4.0;

/// The counts of random numbers in bins of equal width, and the expected counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// Lower edge of the first bin.
    pub low: f64,
    /// Upper edge of the last bin.
    pub high: f64,
    /// Number of samples in each bin.
    pub counts: Vec<u32>,
    /// Expected number of samples in each bin.
    pub expected: Vec<f64>,
    /// Number of samples.
    pub count: u32,
    /// Mean of the samples.
    pub mean: f64,
    /// Standard deviation of the samples.
    pub deviation: f64,
}

impl Histogram {
    /// The histogram of the elements of a float array. `None` if there are fewer than [`MIN_SAMPLES`], or if the
    /// distribution has no finite, positive width.
    pub fn new(array: &ArrayLiteral, distribution: Distribution) -> Option<Self> {
        let deviation = distribution.mean_and_deviation().1;
        if !array.element_type().is_floating() || deviation.is_nan() || deviation <= 0.0 {
            return None;
        }
        let (low, high) = match distribution {
            Distribution::Uniform(a, b) => (a, b),
            Distribution::Normal(mean, deviation) => {
                let range = NORMAL_RANGE_DEVIATIONS * deviation;
                (mean - range, mean + range)
            }
        };
        if !(low.is_finite() && high.is_finite() && (high - low).is_finite()) {
            return None;
        }
        let samples: Vec<f64> = array
            .values()
            .filter_map(|value| if let Value::Float(x) = value { Some(x) } else { None })
            .filter(|x| x.is_finite())
            .collect();
        let count = u32::try_from(samples.len()).ok()?;
        if samples.len() < MIN_SAMPLES {
            return None;
        }
        let bins = u32::try_from(BINS).map_or(1.0, f64::from);
        let width = (high - low) / bins;
        let mut counts = vec![0; BINS];
        for x in &samples {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the cast saturates, so the outermost bins include the samples beyond"
            )]
            let bin = ((x - low) / width) as usize;
            counts[bin.min(BINS - 1)] += 1;
        }
        let edge = |bin: usize| low + width * u32::try_from(bin).map_or(0.0, f64::from);
        let expected_count = |bin: usize| {
            let below = if bin == 0 { 0.0 } else { distribution.cdf(edge(bin)) };
            let up_to = if bin + 1 == BINS { 1.0 } else { distribution.cdf(edge(bin + 1)) };
            f64::from(count) * (up_to - below)
        };
        let expected = (0..BINS).map(expected_count).collect();
        let n = f64::from(count);
        let mean = samples.iter().sum::<f64>() / n;
        let deviation = (samples.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n).sqrt();
        Some(Self { low, high, counts, expected, count, mean, deviation })
    }

    /// The maximum of counts and expected counts.
    pub fn max_count(&self) -> f64 {
        let counts = self.counts.iter().copied().map(f64::from);
        counts.chain(self.expected.iter().copied()).fold(1.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_array::{ArrayShape, ElementType};

    fn samples(n: i64, sample: impl Fn(i64) -> f64) -> ArrayLiteral {
        ArrayLiteral::from_fn(ArrayShape::new(ElementType::F64, [n]), |i, _| Value::Float(sample(i))).unwrap()
    }

    #[test]
    fn equidistant_samples_fill_every_bin_equally() {
        let even = samples(3200, |i| f64::from(i32::try_from(i).unwrap()) / 3200.0 * 4.0 - 1.0);
        let histogram = Histogram::new(&even, Distribution::Uniform(-1.0, 3.0)).unwrap();
        assert!(histogram.counts.iter().all(|count| (99..=101).contains(count)), "{:?}", histogram.counts);
        assert!(histogram.expected.iter().all(|expected| (expected - 100.0).abs() < 1e-9));
        assert!((histogram.mean - 1.0).abs() < 0.01 && histogram.count == 3200);
    }

    #[test]
    fn samples_beyond_the_range_are_in_the_outermost_bins() {
        let far = samples(100, |i| if i < 50 { -1e9 } else { 1e9 });
        let histogram = Histogram::new(&far, Distribution::Normal(0.0, 1.0)).unwrap();
        assert_eq!((histogram.counts[0], histogram.counts[31]), (50, 50));
        assert!((histogram.expected.iter().sum::<f64>() - 100.0).abs() < 1e-9);
        assert!(histogram.expected[15] > histogram.expected[8]);
    }

    #[test]
    fn few_samples_or_a_degenerate_distribution_have_no_histogram() {
        let few = samples(10, |_| 0.0);
        assert_eq!(Histogram::new(&few, Distribution::Uniform(0.0, 1.0)), None);
        let many = samples(100, |_| 0.0);
        for degenerate in [
            Distribution::Normal(0.0, 0.0),
            Distribution::Normal(0.0, f64::NAN),
            Distribution::Uniform(1.0, 0.0),
            Distribution::Uniform(f64::MIN, f64::MAX),
        ] {
            assert_eq!(Histogram::new(&many, degenerate), None, "{degenerate:?}");
        }
    }
}
