//! The spread of samples, and when two cases differ.

/// Minimum number of samples for quartiles; with fewer, minimum and maximum take their place.
const MIN_SAMPLES_FOR_QUARTILES: usize = 5;

/// The spread of the samples of a case, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The fastest sample.
    pub fastest: f64,
    /// The lower quartile: a quarter of the samples are faster.
    pub lower: f64,
    /// The median: cases are ranked by it.
    pub median: f64,
    /// The upper quartile: a quarter of the samples are slower.
    pub upper: f64,
}

impl Spread {
    /// The spread of samples; `None` if there are none.
    pub fn new(samples: &[f64]) -> Option<Self> {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (fastest, slowest) = (*sorted.first()?, *sorted.last()?);
        let is_range = sorted.len() < MIN_SAMPLES_FOR_QUARTILES;
        Some(Self {
            fastest,
            lower: if is_range { fastest } else { quantile(&sorted, 1) },
            median: quantile(&sorted, 2),
            upper: if is_range { slowest } else { quantile(&sorted, 3) },
        })
    }
}

/// A quartile of sorted samples, interpolated between the two nearest ones.
#[allow(clippy::cast_precision_loss, reason = "a few quarters")]
fn quantile(sorted: &[f64], quarters: usize) -> f64 {
    let position = sorted.len().saturating_sub(1) * quarters;
    let at = |i: usize| sorted.get(i).or(sorted.last()).copied().unwrap_or_default();
    let (low, high) = (at(position / 4), at(position / 4 + 1));
    low + (high - low) * (position % 4) as f64 / 4.0
}

/// Whether two cases differ clearly: the intervals from lower to upper quartile do not overlap.
pub fn is_clear_difference(a: Spread, b: Spread) -> bool {
    a.upper < b.lower || b.upper < a.lower
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(samples: &[f64]) -> Spread {
        Spread::new(samples).unwrap()
    }

    #[test]
    fn quartiles_are_interpolated_and_few_samples_span_their_range() {
        let five = spread(&[5.0, 1.0, 4.0, 2.0, 3.0]);
        assert_eq!(five, Spread { fastest: 1.0, lower: 2.0, median: 3.0, upper: 4.0 });
        let six = spread(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(six, Spread { fastest: 1.0, lower: 2.25, median: 3.5, upper: 4.75 });
        let three = spread(&[9.0, 1.0, 2.0]);
        assert_eq!(three, Spread { fastest: 1.0, lower: 1.0, median: 2.0, upper: 9.0 });
        assert_eq!(Spread::new(&[2.0, 4.0]).map(|spread| spread.median), Some(3.0));
        assert_eq!(spread(&[7.0]), Spread { fastest: 7.0, lower: 7.0, median: 7.0, upper: 7.0 });
        assert_eq!(Spread::new(&[]), None);
    }

    #[test]
    fn rows_differ_only_if_their_quartiles_do_not_overlap() {
        let low = spread(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        for (other, differs) in [
            ([4.0, 5.0, 6.0, 7.0, 8.0], true),
            ([3.0, 4.0, 6.0, 7.0, 8.0], false),
            ([2.0, 2.5, 3.0, 3.5, 90.0], false),
            ([0.1, 0.2, 0.3, 0.4, 0.5], true),
        ] {
            let other = spread(&other);
            assert_eq!(is_clear_difference(low, other), differs, "{other:?}");
            assert_eq!(is_clear_difference(other, low), differs, "{other:?}");
        }
        // An outlier changes neither quartile nor verdict.
        let disturbed = spread(&[1.0, 2.0, 3.0, 4.0, 500.0]);
        assert!(is_clear_difference(disturbed, spread(&[5.0, 6.0, 7.0, 8.0, 9.0])));
    }
}
