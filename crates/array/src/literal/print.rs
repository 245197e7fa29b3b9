//! Literals as text, exactly as XLA prints them on one line: `{ { 1, 2 }, { 3, 4 } }`.
//!
//! Arrays of rank 1 have no spaces inside the braces; from rank 2 on they have, except innermost groups of at most one
//! element; above rank 3 every inner group begins with its index (`/*i0=1*/`). Elements of `pred` arrays are 1 and 0.
//! The order is logical, row-major.

use std::fmt::{self, Write};

use super::super::Value;
use super::super::value::text::Exactness;
use super::{ArrayLiteral, Literal};
use xla_messages::bug;
use xla_messages::bug::OrBug as _;

impl Literal {
    /// The value without its shape, as written in `constant(…)`: `{1, 2}`, `( {1, 2}, 3 )`.
    pub fn text(&self, exactness: Exactness) -> String {
        let mut out = String::new();
        // Writing to a `String` cannot fail.
        let _ = self.write(&mut out, exactness);
        out
    }

    /// Writes [`Literal::text`] in small pieces. Errors are those of `out`.
    pub fn write(&self, out: &mut impl Write, exactness: Exactness) -> fmt::Result {
        match self {
            Self::Array(array) => array.write(out, exactness),
            Self::Tuple(elements) => {
                out.write_str("( ")?;
                for (i, element) in elements.iter().enumerate() {
                    out.write_str(if i == 0 { "" } else { ", " })?;
                    element.write(out, exactness)?;
                }
                out.write_str(" )")
            }
            Self::Token => out.write_str("token"),
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Exactness::Xla))
    }
}

impl fmt::Display for ArrayLiteral {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Exactness::Xla))
    }
}

impl ArrayLiteral {
    /// The elements without the shape, as in `constant(…)`.
    pub fn text(&self, exactness: Exactness) -> String {
        let mut out = String::new();
        let _ = self.write(&mut out, exactness);
        out
    }

    fn write(&self, out: &mut impl Write, exactness: Exactness) -> fmt::Result {
        let sizes = self.memory_map().sizes();
        let mut values = self.values();
        let rank = sizes.len();
        if rank == 0 {
            let value = values.next().or_bug(Value::Int(0), "a scalar without a value");
            return out.write_str(&value.text(self.element_type(), exactness));
        }
        if let Some(zero) = sizes.iter().position(|size| *size == 0)
            && sizes[..zero].iter().fold(1_i64, |groups, size| groups.saturating_mul(*size))
                > MAX_EMPTY_GROUPS
        {
            return out.write_str(ELIDED);
        }
        // One counter per open group; the innermost group is written by `write_row`.
        let mut counters: Vec<i64> = Vec::new();
        loop {
            let depth = counters.len();
            if depth + 1 == rank {
                self.write_row(out, &mut values, exactness)?;
            } else {
                let counter = counters.last().filter(|_| rank > 3);
                match counter {
                    Some(value) => write!(out, "{{ /*i{}={value}*/ ", depth - 1)?,
                    None => out.write_str("{ ")?,
                }
                if sizes[depth] > 0 {
                    counters.push(0);
                    continue;
                }
                out.write_str(" }")?;
            }
            // A group is complete: advance to its next sibling, closing parents without further ones.
            loop {
                let Some(counter) = counters.last_mut() else { return Ok(()) };
                *counter += 1;
                let is_done = *counter == sizes[counters.len() - 1];
                out.write_str(if is_done { " }" } else { ", " })?;
                if !is_done {
                    break;
                }
                counters.pop();
            }
        }
    }

    fn write_row(
        &self,
        out: &mut impl Write,
        values: &mut impl Iterator<Item = Value>,
        exactness: Exactness,
    ) -> fmt::Result {
        let sizes = self.memory_map().sizes();
        let size = sizes.last().copied().or_bug(0, "a row of rank 0");
        let blank = if sizes.len() > 1 && size > 1 { " " } else { "" };
        write!(out, "{{{blank}")?;
        for i in 0..size {
            out.write_str(if i == 0 { "" } else { ", " })?;
            match values.next() {
                Some(Value::Pred(truth)) => out.write_str(if truth { "1" } else { "0" })?,
                Some(value) => out.write_str(&value.text(self.element_type(), exactness))?,
                None => bug!("fewer values than the sizes of the array"),
            }
        }
        write!(out, "{blank}}}")
    }
}

/// The limit of printed empty groups: an array without elements may have any number of groups, as `f32[1000000000,0]`.
const MAX_EMPTY_GROUPS: i64 = 1 << 16;

/// The text of an array whose elements are elided.
pub const ELIDED: &str = "{...}";

#[cfg(test)]
mod tests {
    use super::super::super::{ArrayShape, ElementType as T};
    use super::*;

    fn iota(t: T, dimensions: &[i64]) -> String {
        let shape = ArrayShape::new(t, dimensions.iter().copied());
        ArrayLiteral::from_fn(shape, |number, _| Value::Int(number + 1)).unwrap().to_string()
    }

    #[test]
    fn arrays_print_as_xla_prints_them() {
        assert_eq!(iota(T::S32, &[]), "1");
        assert_eq!(iota(T::Pred, &[]), "true");
        assert_eq!(iota(T::S32, &[2]), "{1, 2}");
        assert_eq!(iota(T::S32, &[0]), "{}");
        assert_eq!(iota(T::Pred, &[2]), "{1, 1}");
        assert_eq!(iota(T::F32, &[2, 2]), "{ { 1, 2 }, { 3, 4 } }");
        assert_eq!(iota(T::F32, &[2, 1]), "{ {1}, {2} }");
        assert_eq!(iota(T::F32, &[2, 0]), "{ {}, {} }");
        assert_eq!(iota(T::F32, &[1_000_000_000, 0]), "{...}");
        assert_eq!(iota(T::C64, &[2]), "{(1, 0), (2, 0)}");
        assert_eq!(iota(T::F32, &[2, 1, 2]), "{ { { 1, 2 } }, { { 3, 4 } } }");
        assert_eq!(
            iota(T::F32, &[1, 2, 1, 2]),
            "{ { /*i0=0*/ { /*i1=0*/ { 1, 2 } }, { /*i1=1*/ { 3, 4 } } } }"
        );
    }

    #[test]
    fn tuples_print_their_elements() {
        let scalar = Literal::scalar(T::S32, Value::Int(3)).unwrap();
        let vector = ArrayLiteral::from_slice([2], &[1.0_f32, 2.0]).unwrap().into();
        assert_eq!(Literal::Tuple(vec![vector, scalar, Literal::Token]).to_string(), "( {1, 2}, 3, token )");
    }
}
