//! Statistics of an array as text.

use super::wire;
use crate::array::{ArrayLiteral, ElementType, Value};
use crate::inspect::values::{Histogram, Scale, Statistics};

/// The number of bins of the histogram.
const BINS: usize = 48;

/// Maximum characters of a number.
const MAX_CHARS: usize = 9;

/// A number in at most this many characters.
pub fn brief(number: f64, max_chars: usize) -> String {
    Value::Float(number).short(ElementType::F64, max_chars)
}

/// The statistics of an array.
pub fn statistics(array: &ArrayLiteral) -> wire::Statistics {
    let found = Statistics::of(array);
    let histogram = Histogram::new(array, &found, Scale::Linear, BINS);
    let histogram = histogram.filter(|_| found.min != found.max);
    let edges = histogram.as_ref().map(|histogram| &histogram.edges);
    let edge = |number: Option<&f64>| number.map(|number| brief(*number, MAX_CHARS)).unwrap_or_default();
    let text = |value: Option<Value>, element_type: ElementType| {
        value.map(|value| value.short(element_type, MAX_CHARS)).unwrap_or_default()
    };
    let mean_type = if found.element_type.is_complex() { ElementType::C128 } else { ElementType::F64 };
    wire::Statistics {
        elements: found.elements,
        nans: found.nans,
        infinities: found.positive_infinities + found.negative_infinities,
        zeros: found.zeros,
        subnormals: found.subnormals,
        min: text(found.min, found.element_type),
        max: text(found.max, found.element_type),
        mean: text(found.mean, mean_type),
        edges: (edge(edges.and_then(|e| e.first())), edge(edges.and_then(|e| e.last()))),
        bins: histogram.map(|histogram| histogram.counts).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_values_are_counted_and_the_others_are_in_bins() {
        let cells = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, 1.0, 3.0];
        let found = statistics(&ArrayLiteral::from_slice([7], &cells).unwrap());
        assert_eq!((found.elements, found.nans, found.infinities, found.zeros), (7, 1, 2, 2));
        assert_eq!((found.max.as_str(), found.mean.as_str()), ("3", "1"));
        assert_eq!((found.bins.iter().sum::<u64>(), found.bins[0]), (4, 2));
        assert_eq!(found.edges, ("0".to_owned(), "3".to_owned()));
    }

    #[test]
    fn arrays_without_different_values_have_no_bins() {
        let same = statistics(&ArrayLiteral::from_slice([2], &[7_i32, 7]).unwrap());
        assert_eq!((same.min.as_str(), same.bins.len()), ("7", 0));
        let none = statistics(&ArrayLiteral::from_slice([1], &[f32::NAN]).unwrap());
        assert_eq!((none.min.as_str(), none.bins.len()), ("", 0));
    }
}
