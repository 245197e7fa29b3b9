//! Compares the results of kernels with those of the reference evaluator, cell by cell.

use super::leaves::leaves;
use xla_array::index::multi_index;
use xla_array::value::text::Exactness;
use xla_array::{ArrayLiteral, Class, Dims, ElementType, Value};
use xla_ops::Data;

/// A cell that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The index of the cell in its array.
    pub index: Dims,
    /// The kernel's value, as text.
    pub kernel: String,
    /// The reference evaluator's value, as text.
    pub reference: String,
    /// Distance of the values in ULP (neighbours have distance 1); `None` for non-floats and NaN.
    pub ulps: Option<u64>,
}

/// The comparison of two values of the same shape.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Number of cells in all arrays.
    pub total: i64,
    /// Number of cells that differ. All NaN are equal; -0 and 0 differ.
    pub mismatches: i64,
    /// The cell with the largest distance.
    pub worst: Option<Mismatch>,
}

/// The ordinal of a float among the values of its type, so that neighbours differ by 1; both zeros are 0.
fn ulp_ordinal(value: Value, element_type: ElementType) -> Option<i64> {
    let bits = value.to_bits(element_type);
    let width = u32::from(element_type.bits());
    if element_type.class() != Class::Float || value.is_nan() || width > 64 {
        return None;
    }
    let sign = 1_u128 << (width - 1);
    let magnitude = i64::try_from(bits & (sign - 1)).ok()?;
    Some(if bits & sign == 0 { magnitude } else { -magnitude })
}

fn ulps(a: Value, b: Value, element_type: ElementType) -> Option<u64> {
    Some(ulp_ordinal(a, element_type)?.abs_diff(ulp_ordinal(b, element_type)?))
}

fn compare_arrays(kernel: &ArrayLiteral, reference: &ArrayLiteral, comparison: &mut Comparison) {
    let element_type = kernel.element_type();
    comparison.total += kernel.memory_map().elements();
    for (row_major_index, (a, b)) in (0..).zip(kernel.values().zip(reference.values())) {
        if a.same(b) {
            continue;
        }
        comparison.mismatches += 1;
        let ulps = ulps(a, b, element_type);
        // A mismatch of NaN ranks worst.
        let weight = |ulps: Option<u64>| ulps.unwrap_or(u64::MAX);
        if comparison.worst.as_ref().is_none_or(|worst| weight(ulps) > weight(worst.ulps)) {
            let text = |value: Value| value.text(element_type, Exactness::RoundTrip);
            let index = multi_index(row_major_index, &kernel.shape().dimensions);
            comparison.worst = Some(Mismatch { index, kernel: text(a), reference: text(b), ulps });
        }
    }
}

/// Compares a kernel's value with the reference evaluator's; `None` if their shapes differ or they have no arrays.
pub fn compare(kernel: &Data, reference: &Data) -> Option<Comparison> {
    let (kernel_arrays, reference_arrays) = (leaves(kernel), leaves(reference));
    let shape = |data: &Data| data.shape().human_string();
    if shape(kernel) != shape(reference) || kernel_arrays.is_empty() {
        return None;
    }
    let mut comparison = Comparison::default();
    for ((_, kernel), (_, reference)) in kernel_arrays.iter().zip(&reference_arrays) {
        compare_arrays(kernel, reference, &mut comparison);
    }
    Some(comparison)
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_hlo::{Evaluator, parse};

    fn value(literal: &str) -> Data {
        let text = format!("HloModule m ENTRY e {{ ROOT c = {literal} }}");
        Data::from(Evaluator::new(&parse(&text).into_module().unwrap()).run(&[]).unwrap())
    }

    #[test]
    fn the_mismatch_with_the_max_ulps_is_reported() {
        let kernel = value("f32[4] constant({1, -0.0, nan, 3})");
        let reference = value("f32[4] constant({1.0000001, 0, nan, 3.000001})");
        let comparison = compare(&kernel, &reference).unwrap();
        assert_eq!((comparison.total, comparison.mismatches), (4, 3));
        let worst = comparison.worst.unwrap();
        assert_eq!((worst.index.as_slice(), worst.ulps), ([3].as_slice(), Some(4)));
        let same = compare(&kernel, &kernel).unwrap();
        assert_eq!(same, Comparison { total: 4, mismatches: 0, worst: None });
        assert_eq!(compare(&kernel, &value("f32[3] constant({1,2,3})")), None);
        let with_nan = compare(&kernel, &value("f32[4] constant({nan, -0.0, nan, 9})")).unwrap();
        assert_eq!(with_nan.worst.unwrap().ulps, None);
    }
}
