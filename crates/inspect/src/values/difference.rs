//! Compares two values element by element, with a tolerance in ulps.

use std::collections::BTreeMap;

use super::parts::parts;
use super::ulps::ulps;
use xla_array::index::{Indices, multi_index};
use xla_array::{ArrayLiteral, Dims, ElementType, Value};
use xla_ops::Data;

/// The maximum distance of elements that count as equal.
///
/// Two NaNs are always equal. A NaN and a number, and an infinity and a finite number, always differ. -0 and 0 differ only
/// if the tolerance is zero. Integers and predicates have to be equal, unless their type has a tolerance of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tolerance {
    ulps: u64,
    by_type: BTreeMap<ElementType, u64>,
    absolute: f64,
}

impl Tolerance {
    /// At most this many ulps, for floats and complex numbers of every type.
    pub fn new(ulps: u64) -> Self {
        Self { ulps, ..Self::default() }
    }

    /// The same, with other ulps for one element type; of integers, their difference counts.
    #[must_use]
    pub fn with(mut self, element_type: ElementType, ulps: u64) -> Self {
        self.by_type.insert(element_type, ulps);
        self
    }

    /// The same, but floats and complex numbers that differ by at most `absolute` are equal, too: near zero, many ulps are
    /// a small difference.
    #[must_use]
    pub fn absolute(self, absolute: f64) -> Self {
        Self { absolute, ..self }
    }

    /// The ulps of an element type.
    pub fn ulps(&self, element_type: ElementType) -> u64 {
        let has_ulps = element_type.is_floating() || element_type.is_complex();
        let other = if has_ulps { self.ulps } else { 0 };
        self.by_type.get(&element_type).copied().unwrap_or(other)
    }
}

/// The kind of a difference between two elements, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// One is NaN, or has a NaN part that the other does not have.
    Nan,
    /// One is infinite and the other is not, or has another sign.
    Infinity,
    /// Two numbers.
    Number,
    /// -0 and 0.
    ZeroSign,
}

/// The distance of two elements, in the unit of their type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// The difference of two integers.
    Integer(u64),
    /// Units in the last place between two floats or complex numbers.
    Ulps(u64),
}

/// Two elements that differ.
#[derive(Clone, Debug, PartialEq)]
pub struct DifferentCell {
    /// The index.
    pub index: Dims,
    /// The element of the one array and of the other.
    pub values: [Value; 2],
    /// The distance; `None` if it has no meaning because one is NaN.
    pub ulps: Option<u64>,
    /// The kind.
    pub kind: Kind,
}

impl DifferentCell {
    /// The distance in the unit of the type; `None` for truth values, and if one is NaN.
    pub fn distance(&self) -> Option<Distance> {
        match self.values[0] {
            Value::Pred(_) => None,
            Value::Int(_) | Value::Uint(_) => self.ulps.map(Distance::Integer),
            Value::Float(_) | Value::Complex(..) => self.ulps.map(Distance::Ulps),
        }
    }
}

/// The comparison of two arrays of the same type and sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayDifference {
    /// The element type.
    pub element_type: ElementType,
    /// Number of elements.
    pub elements: u64,
    /// Number of elements that differ at all; -0 and 0 do, two NaNs do not.
    pub different: u64,
    /// Number of elements that differ by more than the tolerance.
    pub beyond: u64,
    /// The number of elements that differ by each kind, whether or not the tolerance allows it.
    pub kinds: BTreeMap<Kind, u64>,
    /// The first element in row-major order that differs by more than the tolerance.
    pub first: Option<DifferentCell>,
    /// The finite elements with the most ulps between them.
    pub max: Option<DifferentCell>,
}

/// The comparison of two values.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// They cannot be compared: structure, element types or sizes differ.
    Shape,
    /// The comparison of each array, by its path in the tuple.
    Arrays(Vec<(Vec<usize>, ArrayDifference)>),
}

impl Difference {
    /// Whether they are equal within the tolerance.
    pub fn is_within(&self) -> bool {
        match self {
            Self::Shape => false,
            Self::Arrays(arrays) => arrays.iter().all(|(_, array)| array.beyond == 0),
        }
    }

    /// The array with most distance between finite elements, and its path.
    pub fn max(&self) -> Option<(&[usize], &DifferentCell)> {
        let Self::Arrays(arrays) = self else { return None };
        let cells = arrays.iter().filter_map(|(path, array)| Some((path.as_slice(), array.max.as_ref()?)));
        // The first of equal ones.
        cells.reduce(|best, cell| if cell.1.ulps > best.1.ulps { cell } else { best })
    }
}

/// Compares two values, regardless of layouts.
pub fn compare(a: &Data, b: &Data, tolerance: &Tolerance) -> Difference {
    if !has_same_structure(a, b) {
        return Difference::Shape;
    }
    let pairs = parts(a).into_iter().zip(parts(b));
    let arrays = pairs.map(|(a, b)| Some((a.path, compare_arrays(&a.array, &b.array, tolerance)?)));
    arrays.collect::<Option<_>>().map_or(Difference::Shape, Difference::Arrays)
}

/// Whether two values have the same tuples, and arrays and tokens at the same positions.
fn has_same_structure(a: &Data, b: &Data) -> bool {
    let mut worklist = vec![(a, b)];
    while let Some(pair) = worklist.pop() {
        match pair {
            (Data::Array(_), Data::Array(_)) | (Data::Token, Data::Token) => {}
            (Data::Tuple(a), Data::Tuple(b)) if a.len() == b.len() => worklist.extend(a.iter().zip(b.iter())),
            _ => return false,
        }
    }
    true
}

/// Compares two arrays; `None` if their types or sizes differ.
pub fn compare_arrays(a: &ArrayLiteral, b: &ArrayLiteral, tolerance: &Tolerance) -> Option<ArrayDifference> {
    let (shape, other) = (a.shape(), b.shape());
    if shape.element_type != other.element_type || shape.dimensions != other.dimensions {
        return None;
    }
    let element_type = shape.element_type;
    let mut pass = Pass {
        allowed: tolerance.ulps(element_type),
        absolute: tolerance.absolute,
        difference: ArrayDifference {
            element_type,
            elements: a.memory_map().elements().unsigned_abs(),
            different: 0,
            beyond: 0,
            kinds: BTreeMap::new(),
            first: None,
            max: None,
        },
        sizes: &shape.dimensions,
        first: None,
        max: None,
    };
    if is_row_major(a) && is_row_major(b) {
        let value = |array: &ArrayLiteral, slot: usize| array.buffer().get(element_type, slot);
        let slots = 0..a.buffer().len().min(b.buffer().len());
        for (linear, slot) in (0..).zip(slots) {
            if let (Some(a), Some(b)) = (value(a, slot), value(b, slot)) {
                pass.add(linear, a, b);
            }
        }
    } else {
        a.memory_map().build_tables();
        b.memory_map().build_tables();
        let (mut indices, mut linear) = (Indices::row_major(&shape.dimensions), 0);
        while let Some(index) = indices.advance() {
            if let (Some(a), Some(b)) = (a.get(index), b.get(index)) {
                pass.add(linear, a, b);
            }
            linear += 1;
        }
    }
    Some(pass.finish())
}

/// Whether the slots are the elements in row-major order.
fn is_row_major(array: &ArrayLiteral) -> bool {
    let map = array.memory_map();
    map.padding_slots() == 0
        && !map.is_tiled()
        && map.minor_to_major().iter().rev().copied().eq(0..map.rank())
}

/// A pass over two arrays.
struct Pass<'s> {
    allowed: u64,
    absolute: f64,
    /// The differences so far, without cells.
    difference: ArrayDifference,
    sizes: &'s [i64],
    first: Option<(i64, [Value; 2])>,
    max: Option<(i64, [Value; 2], u64)>,
}

impl Pass<'_> {
    fn add(&mut self, linear: i64, a: Value, b: Value) {
        if a.same(b) {
            return;
        }
        let difference = &mut self.difference;
        let kind = kind(a, b);
        difference.different += 1;
        *difference.kinds.entry(kind).or_default() += 1;
        let distance = ulps(difference.element_type, a, b);
        if kind == Kind::Number
            && let Some(distance) = distance
            && self.max.is_none_or(|(_, _, max)| distance > max)
        {
            self.max = Some((linear, [a, b], distance));
        }
        let is_within = match kind {
            Kind::Nan | Kind::Infinity => false,
            Kind::ZeroSign => self.allowed > 0 || self.absolute > 0.0,
            Kind::Number => {
                distance.is_some_and(|distance| distance <= self.allowed) || is_near(a, b, self.absolute)
            }
        };
        if !is_within {
            difference.beyond += 1;
            self.first.get_or_insert((linear, [a, b]));
        }
    }

    fn finish(self) -> ArrayDifference {
        let element_type = self.difference.element_type;
        let cell = |linear, [a, b]: [Value; 2]| DifferentCell {
            index: multi_index(linear, self.sizes),
            values: [a, b],
            ulps: ulps(element_type, a, b),
            kind: kind(a, b),
        };
        let first = self.first.map(|(linear, values)| cell(linear, values));
        let max = self.max.map(|(linear, values, _)| cell(linear, values));
        ArrayDifference { first, max, ..self.difference }
    }
}

/// Whether two floats or complex numbers differ by at most `absolute` in each part.
fn is_near(a: Value, b: Value, absolute: f64) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= absolute;
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => near(a, b),
        (Value::Complex(re, im), Value::Complex(other_re, other_im)) => {
            near(re, other_re) && near(im, other_im)
        }
        _ => false,
    }
}

/// The kind of the difference between two elements that are not the same.
fn kind(a: Value, b: Value) -> Kind {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => float_kind(a, b).unwrap_or(Kind::Number),
        // The worst of the parts.
        (Value::Complex(re, im), Value::Complex(other_re, other_im)) => {
            let kinds = [float_kind(re, other_re), float_kind(im, other_im)];
            kinds.into_iter().flatten().min().unwrap_or(Kind::Number)
        }
        _ => Kind::Number,
    }
}

/// The kind of the difference between two floats; `None` if they are the same.
fn float_kind(a: f64, b: f64) -> Option<Kind> {
    if Value::Float(a).same(Value::Float(b)) {
        None
    } else if a.is_nan() || b.is_nan() {
        Some(Kind::Nan)
    } else if a.is_infinite() || b.is_infinite() {
        Some(Kind::Infinity)
    } else if !Value::Float(a).is_nonzero() && !Value::Float(b).is_nonzero() {
        Some(Kind::ZeroSign)
    } else {
        Some(Kind::Number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_array::{ArrayShape, Layout};

    fn array(values: &[f32]) -> Data {
        ArrayLiteral::from_slice([i64::try_from(values.len()).unwrap()], values).unwrap().into()
    }

    #[track_caller]
    fn only(difference: Difference) -> ArrayDifference {
        match difference {
            Difference::Arrays(mut arrays) if arrays.len() == 1 => arrays.remove(0).1,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_kind_is_counted() {
        let next = 1.0_f32.next_up().next_up();
        let a = array(&[1.0, -0.0, f32::NAN, 3.0, f32::INFINITY, 1.0, f32::NAN]);
        let b = array(&[next, 0.0, f32::NAN, f32::NAN, f32::NEG_INFINITY, f32::INFINITY, 4.0]);
        let found = only(compare(&a, &b, &Tolerance::new(2)));
        assert_eq!((found.elements, found.different, found.beyond), (7, 6, 4));
        let kinds = [(Kind::Nan, 2), (Kind::Infinity, 2), (Kind::Number, 1), (Kind::ZeroSign, 1)];
        assert_eq!(found.kinds, kinds.into());
        assert_eq!(found.first.unwrap().index.as_slice(), [3]);
        let max = found.max.unwrap();
        assert_eq!((max.index.as_slice(), max.ulps, max.kind), ([0].as_slice(), Some(2), Kind::Number));
        let exact = only(compare(&a, &b, &Tolerance::default()));
        assert_eq!((exact.beyond, exact.first.unwrap().index.as_slice()), (6, [0].as_slice()));
        assert!(compare(&a, &a, &Tolerance::default()).is_within());
    }

    #[test]
    fn the_tolerance_is_that_of_the_type() {
        let tolerance = Tolerance::new(1).with(ElementType::F32, 4).absolute(1e-6);
        assert_eq!([tolerance.ulps(ElementType::F32), tolerance.ulps(ElementType::BF16)], [4, 1]);
        assert_eq!([tolerance.ulps(ElementType::S32), tolerance.ulps(ElementType::C64)], [0, 1]);
        // Many ulps, but a small difference.
        assert!(compare(&array(&[1e-9]), &array(&[-1e-9]), &tolerance).is_within());
        assert!(!compare(&array(&[1e-3]), &array(&[-1e-3]), &tolerance).is_within());
    }

    #[test]
    fn layouts_do_not_matter() {
        let array = |layout: Layout, changed: i64| {
            let shape = ArrayShape { layout: Some(layout), ..ArrayShape::new(ElementType::S32, [3, 4]) };
            let element = |i: i64, _: &[i64]| Value::Int(if i >= changed { -i } else { i });
            Data::from(ArrayLiteral::from_fn(shape, element).unwrap())
        };
        for layout in [Layout::ascending(2), Layout::descending(2).tiled([2, 128]), Layout::descending(2)] {
            let found = only(compare(
                &array(Layout::descending(2), 99),
                &array(layout, 6),
                &Tolerance::default().with(ElementType::S32, 13),
            ));
            assert_eq!((found.different, found.beyond), (6, 5));
            assert_eq!(found.first.unwrap().index.as_slice(), [1, 3]);
            assert_eq!(found.max.unwrap().ulps, Some(22));
        }
    }

    #[test]
    fn only_floats_are_ulps_apart() {
        let distance = |element_type: ElementType, values: [Value; 2]| {
            let [a, b] = values.map(|value| {
                let shape = ArrayShape::new(element_type, [1]);
                Data::from(ArrayLiteral::from_fn(shape, |_, _| value).unwrap())
            });
            only(compare(&a, &b, &Tolerance::default())).first.unwrap().distance()
        };
        for element_type in [ElementType::S8, ElementType::S32, ElementType::S64] {
            let values = [Value::Int(-1), Value::Int(2)];
            assert_eq!(distance(element_type, values), Some(Distance::Integer(3)));
        }
        let unsigned = [Value::Uint(0), Value::Uint(u64::MAX)];
        assert_eq!(distance(ElementType::U64, unsigned), Some(Distance::Integer(u64::MAX)));
        assert_eq!(distance(ElementType::Pred, [Value::Pred(true), Value::Pred(false)]), None);
        assert_eq!(distance(ElementType::F32, [1.0, 2.0].map(Value::Float)), Some(Distance::Ulps(1 << 23)));
        assert_eq!(distance(ElementType::F32, [1.0, f64::NAN].map(Value::Float)), None);
    }

    #[test]
    fn tuples_are_compared_by_part() {
        let tuple = |x: f32| Data::Tuple(vec![array(&[1.0]), Data::Token, array(&[x])].into());
        let found = compare(&tuple(1.0), &tuple(2.0), &Tolerance::default());
        assert_eq!(
            found.max().map(|(path, cell)| (path.to_vec(), cell.ulps)),
            Some((vec![2], Some(1 << 23)))
        );
        assert!(!found.is_within());
        assert_eq!(compare(&tuple(1.0), &array(&[1.0]), &Tolerance::default()), Difference::Shape);
        assert_eq!(compare(&array(&[1.0]), &array(&[1.0, 2.0]), &Tolerance::default()), Difference::Shape);
    }
}
