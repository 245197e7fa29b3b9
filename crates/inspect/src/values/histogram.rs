//! Histograms of an array's finite elements, with a fixed number of bins.
//!
//! Invariant: an element is in bin `i` if and only if `edges[i] <= x < edges[i + 1]`; the last bin includes its upper edge.
//! Elements are compared with the edges themselves, so that rounding never puts one into an adjacent bin.

use super::cells::{for_each, is_finite, magnitude};
use super::statistics::Statistics;
use xla_array::{ArrayLiteral, Value};

/// The scale of the edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Bins of equal width over the elements; of complex numbers, over their moduli.
    Linear,
    /// Bins of equal ratio over the magnitudes, with powers of two as edges. Zeros are in no bin.
    Log,
}

/// A histogram.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// The scale.
    pub scale: Scale,
    /// The edges of the bins, ascending: one more than bins.
    pub edges: Vec<f64>,
    /// The number of elements in each bin.
    pub counts: Vec<u64>,
    /// The number of finite elements outside of the bins: zeros on a log scale, and elements beyond edges that were given.
    pub outside: u64,
}

impl Histogram {
    /// The histogram of an array over its own range, whose `statistics` are known. `None` without bins or without
    /// elements for them.
    pub fn new(array: &ArrayLiteral, statistics: &Statistics, scale: Scale, bins: usize) -> Option<Self> {
        let edges = match scale {
            Scale::Linear => linear_edges(number(statistics.min?), number(statistics.max?), bins)?,
            Scale::Log => log_edges(statistics.min_magnitude?, statistics.max_magnitude?, bins)?,
        };
        Some(Self::with_edges(array, scale, edges))
    }

    /// The histogram over given ascending edges, e.g. those of another array to be compared with.
    pub fn with_edges(array: &ArrayLiteral, scale: Scale, edges: Vec<f64>) -> Self {
        let bins = edges.len().saturating_sub(1);
        let mut histogram = Self { scale, edges, counts: vec![0; bins], outside: 0 };
        let estimate = BinEstimate::new(scale, &histogram.edges);
        let is_magnitude = scale == Scale::Log || array.element_type().is_complex();
        for_each(array, |value| {
            if is_finite(value) {
                histogram.add(&estimate, if is_magnitude { magnitude(value) } else { number(value) });
            }
        });
        histogram
    }

    fn add(&mut self, estimate: &BinEstimate, x: f64) {
        let bin = estimate.bin(x, &self.edges).and_then(|bin| self.counts.get_mut(bin));
        *bin.unwrap_or(&mut self.outside) += 1;
    }
}

/// Estimates the bin of an element by arithmetic, which rounds; the edges correct it.
struct BinEstimate {
    is_log: bool,
    low: f64,
    bins_per_unit: f64,
}

impl BinEstimate {
    #[allow(clippy::cast_precision_loss, reason = "an estimate")]
    fn new(scale: Scale, edges: &[f64]) -> Self {
        let is_log = scale == Scale::Log;
        let position = |edge: Option<&f64>| edge.map_or(0.0, |edge| if is_log { edge.log2() } else { *edge });
        let (low, high) = (position(edges.first()), position(edges.last()));
        // The difference of two doubles may overflow, that of their halves may not.
        let width = (high / 2.0 - low / 2.0) * 2.0;
        let bins_per_unit = if width > 0.0 { edges.len().saturating_sub(1) as f64 / width } else { 0.0 };
        Self { is_log, low, bins_per_unit }
    }

    /// The bin of an element, if it is in one.
    fn bin(&self, x: f64, edges: &[f64]) -> Option<usize> {
        let (low, high, last) = (*edges.first()?, *edges.last()?, edges.len().checked_sub(2)?);
        if x < low || x > high {
            return None;
        }
        let position = if self.is_log { x.log2() } else { x } - self.low;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates; an estimate")]
        let estimated = (position * self.bins_per_unit) as usize;
        let mut bin = estimated.min(last);
        let starts_above = |bin: usize| edges.get(bin).is_some_and(|edge| x < *edge);
        if starts_above(bin.saturating_sub(1)) || !starts_above(bin + 2) && bin + 1 < last {
            // Given edges need not be regular.
            bin = edges.partition_point(|edge| *edge <= x).saturating_sub(1).min(last);
        }
        while bin > 0 && starts_above(bin) {
            bin -= 1;
        }
        while bin < last && !starts_above(bin + 1) {
            bin += 1;
        }
        Some(bin)
    }
}

/// A real number as a double.
#[allow(clippy::cast_precision_loss, reason = "integers above 2^53 are rounded, in elements and edges alike")]
fn number(value: Value) -> f64 {
    match value {
        Value::Int(value) => value as f64,
        Value::Float(value) => value,
        other => magnitude(other),
    }
}

/// Edges of bins of equal width over a range; a range of one number is widened.
#[allow(clippy::cast_precision_loss, reason = "the number of bins is small")]
fn linear_edges(min: f64, max: f64, bins: usize) -> Option<Vec<f64>> {
    if bins == 0 {
        return None;
    }
    let (low, high) = if min < max {
        (min, max)
    } else {
        let margin = (min.abs() / 2.0).max(f64::MIN_POSITIVE).max(if min == 0.0 { 0.5 } else { 0.0 });
        ((min - margin).max(f64::MIN), (min + margin).min(f64::MAX))
    };
    let edge = |i: usize| {
        let fraction = i as f64 / bins as f64;
        // The two products do not overflow where the width of the range does.
        low * (1.0 - fraction) + high * fraction
    };
    let mut edges: Vec<f64> = (0..bins).map(edge).collect();
    edges.push(high);
    // Rounding must neither exclude the extremes nor disorder edges that are some ulps apart.
    let mut previous = low;
    for edge in &mut edges {
        previous = edge.clamp(previous, high);
        *edge = previous;
    }
    Some(edges)
}

/// Edges that are powers of two, each the same number of octaves above the one before; none exceeds the doubles.
fn log_edges(min: f64, max: f64, bins: usize) -> Option<Vec<f64>> {
    let count = i32::try_from(bins).ok().filter(|count| *count > 0)?;
    let (low, high) = (floor_log2(min), floor_log2(max) + 1);
    let octaves = (high - low + count - 1) / count;
    Some((0..=count).map(|i| power_of_two(low.saturating_add(i.saturating_mul(octaves.max(1))))).collect())
}

/// The exponent of the largest power of two that does not exceed a positive finite double.
fn floor_log2(x: f64) -> i32 {
    let exponent = |x: f64| i32::try_from(x.to_bits() >> 52 & 0x7FF).unwrap_or(0) - 1023;
    // Subnormals are scaled by 2^54 first.
    if x < f64::MIN_POSITIVE { exponent(x * 18_014_398_509_481_984.0) - 54 } else { exponent(x) }
}

/// A power of two, at least the smallest subnormal and at most the largest double.
fn power_of_two(exponent: i32) -> f64 {
    match u64::try_from(exponent + 1023) {
        Ok(field @ 1..=2046) => f64::from_bits(field << 52),
        Ok(2047..) => f64::MAX,
        Ok(0) | Err(_) => f64::from_bits(1_u64 << u32::try_from(exponent + 1074).unwrap_or(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_array::{ArrayShape, ElementType};

    fn array(values: &[f64]) -> ArrayLiteral {
        ArrayLiteral::from_slice([i64::try_from(values.len()).unwrap()], values).unwrap()
    }

    fn histogram(values: &[f64], scale: Scale, bins: usize) -> Histogram {
        let array = array(values);
        Histogram::new(&array, &Statistics::of(&array), scale, bins).unwrap()
    }

    /// Checks that each element is counted in the bin whose edges enclose it.
    fn assert_exact(found: &Histogram, values: &[f64]) {
        let last = found.counts.len() - 1;
        for (bin, count) in found.counts.iter().enumerate() {
            let (low, high) = (found.edges[bin], found.edges[bin + 1]);
            let is_in = |x: f64| low <= x && (x < high || bin == last && x <= high);
            let key = |x: f64| if found.scale == Scale::Log { x.abs() } else { x };
            assert_eq!(*count, values.iter().filter(|x| is_in(key(**x))).count() as u64, "{bin} {found:?}");
        }
        let finite = values.iter().filter(|x| x.is_finite()).count() as u64;
        assert_eq!(found.counts.iter().sum::<u64>() + found.outside, finite);
    }

    #[test]
    fn edges_decide() {
        let tenths: Vec<f64> = (0..=100).map(|i| f64::from(i) / 10.0).collect();
        for bins in [1, 3, 7, 10, 64] {
            let found = histogram(&tenths, Scale::Linear, bins);
            assert_eq!((found.counts.len(), found.outside), (bins, 0));
            assert_exact(&found, &tenths);
        }
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            f64::from_bits(state)
        };
        let wild: Vec<f64> = (0..2000).map(|_| random()).chain([0.0, f64::MAX, f64::MIN, 5e-324]).collect();
        for scale in [Scale::Linear, Scale::Log] {
            assert_exact(&histogram(&wild, scale, 48), &wild);
        }
    }

    #[test]
    fn log_edges_are_powers_of_two() {
        let found = histogram(&[0.0, 1.0, 2.0, 4.0, -1000.0, f64::INFINITY], Scale::Log, 5);
        assert_eq!(found.edges, [1.0, 4.0, 16.0, 64.0, 256.0, 1024.0]);
        assert_eq!((found.counts, found.outside), (vec![2, 1, 0, 0, 1], 1));
    }

    #[test]
    fn equal_elements_are_in_one_bin() {
        for x in [0.0, -3.5, 1e300, f64::MAX, f64::MIN, 5e-324] {
            let found = histogram(&[x, x], Scale::Linear, 9);
            assert_eq!(found.counts.iter().sum::<u64>(), 2, "{x}");
            assert!(found.edges.windows(2).all(|pair| pair[0] <= pair[1]), "{found:?}");
        }
    }

    #[test]
    fn nothing_to_count_is_no_histogram() {
        let zeros = array(&[0.0]);
        let statistics = Statistics::of(&zeros);
        assert_eq!(Histogram::new(&zeros, &statistics, Scale::Log, 8), None);
        assert_eq!(Histogram::new(&zeros, &statistics, Scale::Linear, 0), None);
        let nan = array(&[f64::NAN]);
        assert_eq!(Histogram::new(&nan, &Statistics::of(&nan), Scale::Linear, 8), None);
    }

    #[test]
    fn integers_and_complex_numbers_have_histograms() {
        let shape = ArrayShape::new(ElementType::S8, [3]);
        let array = ArrayLiteral::from_values(shape, [-2, 0, 2].map(Value::Int)).unwrap();
        let found = Histogram::new(&array, &Statistics::of(&array), Scale::Linear, 2).unwrap();
        assert_eq!((found.edges, found.counts), (vec![-2.0, 0.0, 2.0], vec![1, 2]));
        let complex = ArrayLiteral::from_slice([2], &[[3.0_f32, 4.0], [0.0, 1.0]]).unwrap();
        let found = Histogram::new(&complex, &Statistics::of(&complex), Scale::Linear, 2).unwrap();
        assert_eq!((found.edges, found.counts), (vec![1.0, 3.0, 5.0], vec![1, 1]));
    }
}
