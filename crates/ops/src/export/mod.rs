//! Translation of instructions to other languages: one expression per instruction, in terms of the operand names.
//!
//! [`OpDef::export`](super::OpDef::export) returns `None` if a language has no expression with exactly the same values.
//! `xla_hlo::export` combines the expressions into programs.

mod literal;
pub mod windows;

use std::fmt::Write;

pub use literal::literal;

use super::attrs::{ComputationId, WindowDim};
use super::infer::OpContext;
use xla_array::{ArrayShape, Class, ElementType};

/// A target language of the export.
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
pub struct Expression {
    /// The expression. In Rust a call that returns a `Result`.
    pub text: String,
    /// A definition that the expression needs at the start of the program; empty if it needs none.
    pub prelude: &'static str,
}

impl From<String> for Expression {
    fn from(text: String) -> Self {
        Self { text, prelude: "" }
    }
}

/// The translations of called computations.
pub trait CalledFunctions {
    /// The name of the function; of a computation that only calls a built-in function, the name of the built-in.
    fn function(&self, id: ComputationId) -> String;

    /// The computation as an expression of parameters with these names; `None` if it needs statements.
    fn expression(&self, id: ComputationId, parameters: &[&str]) -> Option<String>;
}

/// An instruction to translate.
pub struct ExportContext<'a> {
    /// The language to export to.
    pub language: Language,
    /// Shapes and attributes; the written shape is the final one.
    pub cx: OpContext<'a>,
    /// The name of each operand in the program.
    pub names: &'a [&'a str],
    /// The translations of called computations.
    pub functions: &'a dyn CalledFunctions,
}

impl ExportContext<'_> {
    /// The name of an operand.
    pub fn name(&self, i: usize) -> &str {
        self.names.get(i).copied().unwrap_or_default()
    }

    /// The names of all operands, separated by commas.
    pub fn joined_names(&self) -> String {
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

    /// The name of the function of a called computation.
    pub fn function(&self, attr: &'static str) -> Option<String> {
        Some(self.functions.function(self.cx.computation(attr).ok()?))
    }

    /// A called computation as an expression of parameters with these names; `None` if it needs statements.
    pub fn expression(&self, attr: &'static str, parameters: &[&str]) -> Option<String> {
        self.functions.expression(self.cx.computation(attr).ok()?, parameters)
    }

    /// The `numpy` universal function that a called computation is equal to, such as `np.add`.
    pub fn ufunc(&self, attr: &'static str) -> Option<String> {
        self.function(attr).filter(|name| name.starts_with("np."))
    }
}

/// The name of an element type; `None` if the language has none.
pub fn dtype(language: Language, element_type: ElementType) -> Option<String> {
    let (class, bits) = (element_type.class(), element_type.bits());
    let native_name = match class {
        Class::Boolean => Some("bool_".to_owned()),
        Class::Signed if bits >= 8 => Some(format!("int{bits}")),
        Class::Unsigned if bits >= 8 => Some(format!("uint{bits}")),
        Class::Float if bits >= 16 && element_type != ElementType::BF16 => Some(format!("float{bits}")),
        Class::Complex => Some(format!("complex{bits}")),
        _ => None,
    };
    // Types that NumPy lacks are in the package `ml_dtypes`, which JAX uses too.
    let in_ml_dtypes = || match class {
        Class::Signed => Some(format!("int{bits}")),
        Class::Unsigned => Some(format!("uint{bits}")),
        _ if element_type == ElementType::BF16 => Some("bfloat16".to_owned()),
        _ => element_type.name().split_once('e').map(|(width, rest)| format!("float{}_e{rest}", &width[1..])),
    };
    match language {
        Language::Rust => Some(format!("{element_type:?}")),
        Language::Jax => native_name
            .map(|name| format!("jnp.{name}"))
            .or_else(|| Some(format!("ml_dtypes.{}", in_ml_dtypes()?))),
        Language::NumPy => native_name
            .map(|name| format!("np.{name}"))
            .or_else(|| Some(format!("ml_dtypes.{}", in_ml_dtypes()?))),
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

/// A number of each dimension of a window, as a Python tuple.
pub fn per_dimension(dims: &[WindowDim], number: impl Fn(&WindowDim) -> i64) -> String {
    tuple(dims.iter().map(number))
}

/// The padding of a window, as a Python tuple of pairs.
pub fn padding_pairs(dims: &[WindowDim]) -> String {
    tuple(dims.iter().map(|d| tuple([d.pad_low, d.pad_high])))
}

/// Whether numbers are strictly ascending.
pub fn is_ascending(numbers: &[i64]) -> bool {
    numbers.windows(2).all(|pair| pair[0] < pair[1])
}

/// A set of classes of element types, as a bit mask.
pub(super) type Classes = u8;

/// The translations of an element-wise op: per language the name of a function of the operands, or an expression with
/// `{}` for the only operand; empty if there is none. In Python it applies only to the classes of element types for
/// which it has XLA's values.
#[derive(Clone, Copy, Debug)]
pub(super) struct FunctionNames {
    /// A method of `ComputationBuilder`.
    pub rust: &'static str,
    /// A function of `jax.lax`.
    pub jax: (&'static str, Classes),
    /// A function of `numpy`.
    pub numpy: (&'static str, Classes),
}

impl FunctionNames {
    /// The call for operands of this class; `None` if the language has none.
    pub fn call(&self, to: &ExportContext, class: Classes) -> Option<Expression> {
        if to.language == Language::Rust {
            let no_broadcast = if to.names.len() > 1 { ", &[]" } else { "" };
            return (!self.rust.is_empty())
                .then(|| format!("b.{}({}{no_broadcast})", self.rust, to.joined_names()).into());
        }
        let (name, classes) = if to.language == Language::Jax { self.jax } else { self.numpy };
        if name.is_empty() || classes & class == 0 {
            return None;
        }
        let text = if name.contains("{}") {
            name.replace("{}", to.name(0))
        } else {
            format!("{name}({})", to.joined_names())
        };
        Some(text.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn element_types_have_names_in_each_language() {
        let name_of = |language, name| dtype(language, ElementType::from_name(name).unwrap()).unwrap();
        assert_eq!(name_of(Language::Jax, "pred"), "jnp.bool_");
        assert_eq!(name_of(Language::NumPy, "u16"), "np.uint16");
        assert_eq!(name_of(Language::NumPy, "bf16"), "ml_dtypes.bfloat16");
        assert_eq!(name_of(Language::Jax, "f8e4m3b11fnuz"), "ml_dtypes.float8_e4m3b11fnuz");
        assert_eq!(name_of(Language::NumPy, "s4"), "ml_dtypes.int4");
        assert_eq!(name_of(Language::NumPy, "c64"), "np.complex64");
        assert_eq!(name_of(Language::Rust, "f32"), "F32");
    }

    #[test]
    fn a_tuple_of_one_element_has_a_comma() {
        assert_eq!([tuple::<i64>([]), tuple([1]), tuple([1, -2])], ["()", "(1,)", "(1, -2)"]);
        assert!(is_ascending(&[]) && is_ascending(&[0, 3]) && !is_ascending(&[1, 1]));
    }
}
