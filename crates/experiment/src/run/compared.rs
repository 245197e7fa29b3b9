//! A value made by kernels held against the same value by the definitions, cell by cell.

use super::leaves::leaves;
use xla_array::index::index_of;
use xla_array::value::text::Exactness;
use xla_array::{ArrayLiteral, Class, Dims, ElementType, Value};
use xla_ops::Data;

/// The cell that differs most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worst {
    /// Its index.
    pub index: Dims,
    /// What the kernels made.
    pub kernel: String,
    /// What the definition says.
    pub definition: String,
    /// How many values of the element type lie between them; `None` where that means nothing.
    pub units: Option<u64>,
}

/// How two values of the same shape differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// The cells of all arrays.
    pub all: i64,
    /// How many of them differ; NaN is NaN, and -0 is not 0.
    pub differing: i64,
    /// The one that differs most.
    pub worst: Option<Worst>,
}

/// The place of a float among all floats of its type, in their order.
fn rank(value: Value, element_type: ElementType) -> Option<i64> {
    let bits = value.to_bits(element_type);
    let width = u32::from(element_type.bits());
    if element_type.class() != Class::Float || value.is_nan() || width > 64 {
        return None;
    }
    let sign = 1_u128 << (width - 1);
    let magnitude = i64::try_from(bits & (sign - 1)).ok()?;
    Some(if bits & sign == 0 { magnitude } else { -magnitude })
}

/// How far two cells are from one another, in values of their type that lie between.
fn units(a: Value, b: Value, element_type: ElementType) -> Option<u64> {
    Some(rank(a, element_type)?.abs_diff(rank(b, element_type)?))
}

fn arrays(ours: &ArrayLiteral, theirs: &ArrayLiteral, compared: &mut Compared) {
    let element_type = ours.element_type();
    compared.all += ours.map().elements();
    for (number, (a, b)) in (0..).zip(ours.values().zip(theirs.values())) {
        if a.same(b) {
            continue;
        }
        compared.differing += 1;
        let units = units(a, b, element_type);
        // What cannot be measured is worse than what can.
        let weight = |units: Option<u64>| units.unwrap_or(u64::MAX);
        if compared.worst.as_ref().is_none_or(|worst| weight(units) > weight(worst.units)) {
            let text = |value: Value| value.text(element_type, Exactness::RoundTrip);
            let index = index_of(number, &ours.shape().dimensions);
            compared.worst = Some(Worst { index, kernel: text(a), definition: text(b), units });
        }
    }
}

/// Compares a value that kernels made with that of the definition; `None` where they have not the same arrays.
pub fn compare(kernel: &Data, definition: &Data) -> Option<Compared> {
    let (ours, theirs) = (leaves(kernel), leaves(definition));
    let shapes = |of: &Data| of.shape().human_string();
    if shapes(kernel) != shapes(definition) || ours.is_empty() {
        return None;
    }
    let mut compared = Compared::default();
    for ((_, ours), (_, theirs)) in ours.iter().zip(&theirs) {
        arrays(ours, theirs, &mut compared);
    }
    Some(compared)
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
    fn the_worst_cell_is_told() {
        let kernel = value("f32[4] constant({1, -0.0, nan, 3})");
        let definition = value("f32[4] constant({1.0000001, 0, nan, 3.000001})");
        let found = compare(&kernel, &definition).unwrap();
        assert_eq!((found.all, found.differing), (4, 3));
        let worst = found.worst.unwrap();
        assert_eq!((worst.index.as_slice(), worst.units), ([3].as_slice(), Some(4)));
        let same = compare(&kernel, &kernel).unwrap();
        assert_eq!(same, Compared { all: 4, differing: 0, worst: None });
        assert_eq!(compare(&kernel, &value("f32[3] constant({1,2,3})")), None);
        let lost = compare(&kernel, &value("f32[4] constant({nan, -0.0, nan, 9})")).unwrap();
        assert_eq!(lost.worst.unwrap().units, None);
    }
}
