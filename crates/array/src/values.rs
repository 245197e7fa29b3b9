//! The values of an array's elements, as a function of the row-major index: nothing is stored that can be computed.
//!
//! Invariant: user-entered text yields either all of the elements or [`ValuesError`]; no value replaces what is invalid.

use std::sync::Arc;

use crate::index::multi_index;
use crate::literal::parse::Parsed;
use crate::literal::user_input::parse_values;
use crate::value::Value;
use crate::{ArrayLiteral, ArrayShape, Class, ElementType};
use xla_messages::bug::OrBug;
use xla_messages::diagnostic::{Diagnostic, Severity};

/// The values of the elements: a generator, or text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ValueRule {
    /// a, b, c … in logical row-major order, as in the pictures of XLA's documentation.
    #[default]
    Letters,
    /// 0, 1, 2 … in logical row-major order.
    Iota,
    /// Pseudo-random; the same seed gives the same values on every machine.
    Random(u32),
    /// Text that the user entered: a literal, or a list of all elements in logical row-major order.
    Text(String),
}

/// The elements of an array, computed or looked up by index.
#[derive(Clone, Debug)]
pub struct ValueSource {
    element_type: ElementType,
    kind: SourceKind,
}

#[derive(Clone, Debug)]
enum SourceKind {
    Letters,
    Iota,
    Random(u32),
    /// User-entered text that is invalid, or has not been read yet: there are no values.
    Unknown,
    Literal(Arc<ArrayLiteral>),
}

/// The error for user-entered text that is not a value of its shape. No values replace it: a run that needs them does not start.
#[derive(Clone, Debug, PartialEq)]
pub struct ValuesError {
    /// Diagnostics with spans in the text; at least one is an error.
    pub diagnostics: Vec<Diagnostic>,
}

impl ValuesError {
    /// The first error.
    pub fn first(&self) -> Option<&Diagnostic> {
        self.diagnostics.iter().find(|d| d.severity == Severity::Error).or(self.diagnostics.first())
    }
}

/// The value of text that was parsed without an error.
///
/// # Errors
///
/// Its diagnostics. Elided values (`{...}`) are unknown, which is an error here.
pub fn complete_value<T>(parsed: Parsed<T>) -> Result<T, ValuesError> {
    let is_complete = parsed.is_ok() && !parsed.elided;
    let mut diagnostics = parsed.diagnostics;
    match parsed.value {
        Some(value) if is_complete => Ok(value),
        _ => {
            for elided in diagnostics.iter_mut().filter(|d| d.rule == "literal-elided") {
                elided.severity = Severity::Error;
            }
            Err(ValuesError { diagnostics })
        }
    }
}

/// Reads user-entered text as the elements of an array of a shape: [`read_user_text`].
pub type ReadUserText = fn(&str, &ArrayShape) -> Result<ArrayLiteral, ValuesError>;

/// The elements of user-entered text.
///
/// # Errors
///
/// The text does not have all elements of the shape.
pub fn read_user_text(text: &str, shape: &ArrayShape) -> Result<ArrayLiteral, ValuesError> {
    complete_value(parse_values(text, shape.element_type, &shape.dimensions))
}

impl ValueSource {
    /// The elements of an array of this shape.
    ///
    /// # Errors
    ///
    /// User-entered text does not have all elements.
    pub fn new(values: &ValueRule, shape: &ArrayShape) -> Result<Self, ValuesError> {
        Self::with_reader(values, shape, Some(read_user_text))
    }

    /// [`ValueSource::new`] with a reader of user-entered text; without one, entered elements are unknown, so that a page that
    /// loads the reader on demand does not link it.
    pub fn with_reader(
        values: &ValueRule,
        shape: &ArrayShape,
        read: Option<ReadUserText>,
    ) -> Result<Self, ValuesError> {
        let kind = match values {
            ValueRule::Letters => SourceKind::Letters,
            ValueRule::Iota => SourceKind::Iota,
            ValueRule::Random(seed) => SourceKind::Random(*seed),
            ValueRule::Text(text) => match read {
                Some(read) => SourceKind::Literal(Arc::new(read(text, shape)?)),
                None => SourceKind::Unknown,
            },
        };
        Ok(Self { element_type: shape.element_type, kind })
    }

    /// Unknown elements: user-entered text is invalid, or has not been read yet.
    pub fn unknown(element_type: ElementType) -> Self {
        Self { element_type, kind: SourceKind::Unknown }
    }

    /// Whether the elements are unknown: user-entered text is invalid, or has not been read yet.
    pub fn is_unknown(&self) -> bool {
        matches!(self.kind, SourceKind::Unknown)
    }

    /// The elements of a literal.
    pub fn from_literal(literal: Arc<ArrayLiteral>) -> Self {
        Self { element_type: literal.element_type(), kind: SourceKind::Literal(literal) }
    }

    /// The value of the element with this row-major index; the value of a letter is its row-major index. Meaningless
    /// for unknown elements ([`Self::is_unknown`]).
    pub fn value(&self, row_major_index: i64) -> Value {
        let element_type = self.element_type;
        match &self.kind {
            SourceKind::Letters | SourceKind::Iota => Value::Int(row_major_index).convert(element_type),
            SourceKind::Random(seed) => random(*seed, row_major_index, element_type),
            SourceKind::Unknown => Value::Int(0).convert(element_type),
            SourceKind::Literal(literal) => {
                let sizes = &literal.shape().dimensions;
                literal
                    .get(&multi_index(row_major_index, sizes))
                    .or_bug(Value::Int(0), "no element of this number")
            }
        }
    }

    /// The value of the element at an index; `row_major_index` computes its row-major index if it is needed.
    pub fn value_at(&self, index: &[i64], row_major_index: impl FnOnce() -> i64) -> Value {
        match &self.kind {
            SourceKind::Literal(literal) => {
                literal.get(index).or_bug(Value::Int(0), "no element of this index")
            }
            _ => self.value(row_major_index()),
        }
    }

    /// The literal whose elements these are, if any.
    pub fn literal(&self) -> Option<&ArrayLiteral> {
        if let SourceKind::Literal(literal) = &self.kind { Some(literal) } else { None }
    }

    /// Whether elements are shown as letters.
    pub fn shows_letters(&self) -> bool {
        matches!(self.kind, SourceKind::Letters)
    }

    /// Whether the elements are those of a literal, whose range is only known after a pass over all of them.
    pub fn is_literal(&self) -> bool {
        matches!(self.kind, SourceKind::Literal(_))
    }
}

/// 64 bits of the stream of `seed`: `SplitMix64` (Steele, Lea, Flood 2014), used as a hash.
fn draw(seed: u32, row_major_index: i64, salt: u64) -> u64 {
    let mut z = (u64::from(seed) << 40 ^ row_major_index.unsigned_abs() << 1 ^ salt)
        .wrapping_add(1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// An integer of the stream of `seed` from 0 to `count` - 1; 0 if there is none.
pub fn random_below(seed: u32, row_major_index: i64, count: i64) -> i64 {
    let count = count.max(1).unsigned_abs();
    i64::try_from(draw(seed, row_major_index, 0) % count).or_bug(0, "a remainder exceeds its divisor")
}

/// An element of the stream of `seed`. Floats are multiples of
/// 0.01 in -1 … 1, rounded to the type (of `F8E8M0FNU`, powers of two from 1/2 to 2), and integers have at most two
/// digits, to fit a cell of the picture.
fn random(seed: u32, row_major_index: i64, element_type: ElementType) -> Value {
    let draw = |salt: u64| draw(seed, row_major_index, salt);
    let hundredths = |salt: u64| {
        let n = i32::try_from(draw(salt) % 201).or_bug(100, "a number up to 200 exceeds i32");
        f64::from(n - 100) / 100.0
    };
    match element_type.class() {
        Class::Boolean => Value::Pred(draw(0) & 1 == 1),
        Class::Float if element_type == ElementType::F8E8M0FNU => {
            Value::Float(power_of_two(hundredths(0))).convert(element_type)
        }
        Class::Float => Value::Float(hundredths(0)).convert(element_type),
        Class::Complex => Value::Complex(hundredths(0), hundredths(1)).convert(element_type),
        Class::Signed | Class::Unsigned => {
            let (low, high) = crate::value::integer_range(element_type).or_bug((0, 1), "no type of integers");
            let (low, high) = (low.max(-99), high.min(99));
            let n = low + i128::from(draw(0)) % (high - low + 1);
            Value::Int(i64::try_from(n).or_bug(0, "a number of two digits exceeds i64")).convert(element_type)
        }
    }
}

/// `exp2` of -1 … 1, without the 4 kB table of `f64::exp2`, which the compiler would also use for `2.powf(exponent)`.
fn power_of_two(exponent: f64) -> f64 {
    (exponent * std::f64::consts::LN_2).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_of_two_rounds_like_exp2() {
        for hundredths in -100..=100 {
            let exponent = f64::from(hundredths) / 100.0;
            let value = |power| Value::Float(power).convert(ElementType::F8E8M0FNU);
            let (got, expected) = (value(power_of_two(exponent)), value(exponent.exp2()));
            assert!(got.same(expected), "{exponent}: {got:?}, not {expected:?}");
        }
    }

    #[test]
    fn user_text_is_found_by_index() {
        let shape = ArrayShape::new(ElementType::F32, [2, 2]);
        for text in ["1, 2, 3, 4", "{{1, 2}, {3, 4}}", "[[1 2] [3 4]]", "1\t2\n3\t4"] {
            let values = ValueSource::new(&ValueRule::Text(text.to_owned()), &shape).unwrap();
            assert!(values.value(3).same(Value::Float(4.0)), "{text:?}: {:?}", values.value(3));
            assert!(values.value_at(&[1, 1], || 3).same(Value::Float(4.0)), "{text:?}");
        }
    }

    #[test]
    fn text_with_a_mistake_has_no_values() {
        let cases: &[(ElementType, &[i64], &[&str])] = &[
            (
                ElementType::F32,
                &[2, 2],
                &[
                    "",
                    " ",
                    "1, 2",
                    "1, 2, 3, 4, 5",
                    "{{1, 2}, {x, 4}}",
                    "{{",
                    "{{1, 2}, {3, 4}",
                    "banana",
                    "{{1, 2}, {3}}",
                    "{{1, 2}, {3, 4, 5}}",
                    "{{1, 2}}",
                    "{{1, 2}, {3, 4}, {5, 6}}",
                    "{{{1}, {2}}, {{3}, {4}}}",
                    "{...}",
                    "{{1, ...}, {3, 4}}",
                    "1, 2, 3, true",
                    "1, 2, 3, 1e39",
                    "1, 2, 3, nan(0x0)",
                    "1, 2, 3, nan(0x800000)",
                    "1, 2, 3, nan(x)",
                    "1, 2, 3, 0x10",
                    "1, 2, 3, 4 }",
                    "{{1, 2}, {3, 4}} 5",
                    "1, 2, 3, 4/",
                    "1, 2, 3, 1e",
                    "1, 2, 3, --4",
                ],
            ),
            (
                ElementType::U8,
                &[],
                &[
                    "300",
                    "-1",
                    "256",
                    "1.5",
                    "nan",
                    "inf",
                    "true",
                    "1, 2",
                    "",
                    "99999999999999999999999999999999999999999",
                ],
            ),
            (ElementType::S8, &[], &["128", "-129", "1e3"]),
            (ElementType::S64, &[], &["9223372036854775808", "1e19"]),
            (ElementType::Pred, &[], &["2", "-1", "yes", "0.5"]),
            (ElementType::F16, &[], &["65520", "1e999"]),
            (ElementType::F64, &[], &["1e309", "1e999"]),
            (ElementType::C64, &[], &["(1, x)", "1+", "(1)", "1+2k"]),
            (ElementType::F32, &[0], &["1", "{1}", "x"]),
        ];
        for (element_type, sizes, texts) in cases {
            let shape = ArrayShape::new(*element_type, sizes.iter().copied());
            for text in *texts {
                let read = ValueSource::new(&ValueRule::Text((*text).to_owned()), &shape);
                let values_error = read.err().unwrap_or_else(|| panic!("{element_type} {text:?} was read"));
                let first = values_error.first().unwrap();
                assert_eq!(first.severity, Severity::Error, "{text:?}");
                assert!(first.span.end <= text.len(), "{text:?}: {first:?}");
            }
        }
    }

    #[test]
    fn random_values_are_the_same_everywhere_and_fit_their_type() {
        assert_eq!(random(1, 0, ElementType::S32), random(1, 0, ElementType::S32));
        assert_ne!(
            (0..8).map(|n| random(1, n, ElementType::S32)).collect::<Vec<_>>(),
            (0..8).map(|n| random(2, n, ElementType::S32)).collect::<Vec<_>>()
        );
        for element_type in ElementType::ALL {
            for n in 0..50 {
                let value = random(7, n, *element_type);
                assert!(value.same(value.convert(*element_type)), "{element_type}: {value:?}");
            }
        }
    }
}
