//! What an op says of itself in other languages: one expression over the names of its operands.
//!
//! [`OpDef::code`](super::OpDef::code) returns `None` if a language has no expression with the same values:
//! what is said must be right. `xla_hlo::export` makes whole programs of these expressions.

mod literal;

use std::fmt::Write;

pub use literal::literal;

use super::attrs::{ComputationId, WindowDim};
use super::infer::OpContext;
use xla_array::{ArrayShape, Class, ElementType};

/// A language that modules can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// Calls of `ComputationBuilder`.
    Rust,
    /// `jax.lax` in Python.
    Jax,
    /// `numpy` in Python.
    NumPy,
}

/// An expression in one of the languages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// The expression. In Rust a call that gives a `Result`.
    pub text: String,
    /// A definition it needs at the head of the program; none is empty.
    pub prelude: &'static str,
}

impl From<String> for Code {
    fn from(text: String) -> Self {
        Self { text, prelude: "" }
    }
}

/// The code of called computations.
pub trait Functions {
    /// The function; if it only calls a built-in function of the language, that one.
    fn function(&self, id: ComputationId) -> String;

    /// The result as an expression of parameters with these names, if it can be one.
    fn expression(&self, id: ComputationId, parameters: &[&str]) -> Option<String>;
}

/// An instruction that is to be written in another language.
pub struct Coding<'a> {
    /// The language.
    pub language: Language,
    /// Shapes and attributes; the written shape is the final one.
    pub cx: OpContext<'a>,
    /// The name of each operand.
    pub names: &'a [&'a str],
    /// The names of computations.
    pub functions: &'a dyn Functions,
}

impl Coding<'_> {
    /// The name of an operand.
    pub fn name(&self, i: usize) -> &str {
        self.names.get(i).copied().unwrap_or_default()
    }

    /// The names of all operands, with commas.
    pub fn all(&self) -> String {
        self.names.join(", ")
    }

    /// The result, if it is an array.
    pub fn result(&self) -> Option<&ArrayShape> {
        self.cx.written?.as_array()
    }

    /// An operand, if it is an array.
    pub fn array(&self, i: usize) -> Option<&ArrayShape> {
        self.cx.array(i).ok()
    }

    /// The name of an element type; `None` if the language has none.
    pub fn dtype(&self, element_type: ElementType) -> Option<String> {
        dtype(self.language, element_type)
    }

    /// The function of a called computation.
    pub fn function(&self, attr: &'static str) -> Option<String> {
        Some(self.functions.function(self.cx.computation(attr).ok()?))
    }

    /// The result of a called computation as an expression of parameters with these names, if it can be one.
    pub fn expression(&self, attr: &'static str, parameters: &[&str]) -> Option<String> {
        self.functions.expression(self.cx.computation(attr).ok()?, parameters)
    }

    /// The `numpy` function of two operands that a called computation is.
    pub fn ufunc(&self, attr: &'static str) -> Option<String> {
        self.function(attr).filter(|name| name.starts_with("np."))
    }
}

/// The name of an element type; `None` if the language has none.
pub fn dtype(language: Language, element_type: ElementType) -> Option<String> {
    let (class, bits) = (element_type.class(), element_type.bits());
    let own = match class {
        Class::Boolean => Some("bool_".to_owned()),
        Class::Signed if bits >= 8 => Some(format!("int{bits}")),
        Class::Unsigned if bits >= 8 => Some(format!("uint{bits}")),
        Class::Float if bits >= 16 && element_type != ElementType::BF16 => Some(format!("float{bits}")),
        Class::Complex => Some(format!("complex{bits}")),
        _ => None,
    };
    // What NumPy has not is in the package it shares with JAX.
    let small = || match class {
        Class::Signed => Some(format!("int{bits}")),
        Class::Unsigned => Some(format!("uint{bits}")),
        _ if element_type == ElementType::BF16 => Some("bfloat16".to_owned()),
        _ => element_type.name().split_once('e').map(|(width, rest)| format!("float{}_e{rest}", &width[1..])),
    };
    match language {
        Language::Rust => Some(format!("{element_type:?}")),
        Language::Jax => {
            own.map(|name| format!("jnp.{name}")).or_else(|| Some(format!("ml_dtypes.{}", small()?)))
        }
        Language::NumPy => {
            own.map(|name| format!("np.{name}")).or_else(|| Some(format!("ml_dtypes.{}", small()?)))
        }
    }
}

/// A Python tuple: `()`, `(1,)`, `(1, 2)`.
pub fn tuple<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    let mut out = String::from("(");
    let mut count = 0;
    for item in items {
        if count > 0 {
            out.push_str(", ");
        }
        // Writing to a `String` cannot fail.
        let _ = write!(out, "{}", item.to_string());
        count += 1;
    }
    out.push_str(if count == 1 { ",)" } else { ")" });
    out
}

/// Numbers of each dimension of a window, as a Python tuple.
pub fn each(dims: &[WindowDim], of: impl Fn(&WindowDim) -> i64) -> String {
    tuple(dims.iter().map(of))
}

/// The padding of a window, as a Python tuple of pairs.
pub fn pads(dims: &[WindowDim]) -> String {
    tuple(dims.iter().map(|d| tuple([d.pad_low, d.pad_high])))
}

/// Whether numbers ascend.
pub fn ascends(numbers: &[i64]) -> bool {
    numbers.windows(2).all(|pair| pair[0] < pair[1])
}

/// Classes of element types, as bits.
pub(super) type Classes = u8;

/// How a row of the table of element-wise ops is called in each language: the name of a function of the operands, or
/// an expression with `{}` for the one operand; empty if there is none. Each with the element types for which
/// that gives XLA's values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names {
    /// A method of the builder.
    pub rust: &'static str,
    /// A function of `jax.lax`.
    pub jax: (&'static str, Classes),
    /// A function of `numpy`.
    pub numpy: (&'static str, Classes),
}

impl Names {
    /// The call, for operands of this class.
    pub fn call(&self, to: &Coding, class: Classes) -> Option<Code> {
        if to.language == Language::Rust {
            let none = if to.names.len() > 1 { ", &[]" } else { "" };
            return (!self.rust.is_empty()).then(|| format!("b.{}({}{none})", self.rust, to.all()).into());
        }
        let (name, classes) = if to.language == Language::Jax { self.jax } else { self.numpy };
        if name.is_empty() || classes & class == 0 {
            return None;
        }
        let text = if name.contains("{}") {
            name.replace("{}", to.name(0))
        } else {
            format!("{name}({})", to.all())
        };
        Some(text.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_the_names_of_each_language() {
        let of = |language, name| dtype(language, ElementType::from_name(name).unwrap()).unwrap();
        assert_eq!(of(Language::Jax, "pred"), "jnp.bool_");
        assert_eq!(of(Language::NumPy, "u16"), "np.uint16");
        assert_eq!(of(Language::NumPy, "bf16"), "ml_dtypes.bfloat16");
        assert_eq!(of(Language::Jax, "f8e4m3b11fnuz"), "ml_dtypes.float8_e4m3b11fnuz");
        assert_eq!(of(Language::NumPy, "s4"), "ml_dtypes.int4");
        assert_eq!(of(Language::NumPy, "c64"), "np.complex64");
        assert_eq!(of(Language::Rust, "f32"), "F32");
    }

    #[test]
    fn a_tuple_of_one_has_a_comma() {
        assert_eq!([tuple::<i64>([]), tuple([1]), tuple([1, -2])], ["()", "(1,)", "(1, -2)"]);
        assert!(ascends(&[]) && ascends(&[0, 3]) && !ascends(&[1, 1]));
    }
}
