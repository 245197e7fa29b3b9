//! The table of ops that work element by element: one row per op.
//!
//! A row says which element types the op supports and how one element is computed; everything else is shared. Values
//! are computed in `f64` (or in 64-bit integers) and rounded once to the element type: for `+ - * /` and square
//! roots that is the correctly rounded result in every narrower type, whose precision is less than half of that of `f64`.
//! Read `unary` and `binary` for the rows, `real`, `integer` and `complex` for the arithmetic.

mod binary;
mod changes;
pub(crate) mod complex;
mod headings;
mod integer;
mod kernel;
mod real;
mod rewrite_2017;
mod unary;

pub use binary::BINARY;
pub use unary::{ANALYTIC, REAL, UNARY};

use super::export::{Classes, ExportContext, Expression, FunctionNames};
use super::infer::OpContext;
use super::tasks::{Fallback, PlannedTask, TaskContext};
use super::{OpDef, OpError, OpMeta, Role, Semantics};
use xla_array::{Class, Edition, ElementType, Shape, Value};
use xla_kernels::{Task, task as kernels};
use xla_messages::bug;
use xla_messages::i18n::Message;

/// The context of computing an element, besides the values of its operands.
#[derive(Clone, Copy, Debug)]
pub struct ElementContext {
    /// The element type of the operands.
    pub element_type: ElementType,
    /// The edition of XLA.
    pub edition: Edition,
}

/// Classes of element types, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TypeClasses(u8);

const PRED: u8 = 1;
const SIGNED: u8 = 2;
const UNSIGNED: u8 = 4;
const FLOAT: u8 = 8;
const COMPLEX: u8 = 16;
const INTEGER: u8 = SIGNED | UNSIGNED;

impl TypeClasses {
    /// The supported types of an op by edition: in 2017 logical ops supported `pred` only, exponentials, signs,
    /// maximum and minimum no complex numbers, and absolute values and signs unsigned integers too.
    fn in_edition(self, opcode: &str, edition: Edition) -> Self {
        match (edition, opcode) {
            (Edition::V2017, "and" | "or" | "not") => Self(PRED),
            (Edition::V2017, "exponential" | "log" | "tanh" | "cosine") => Self(FLOAT),
            (Edition::V2017, "abs") => Self(self.0 | UNSIGNED),
            (Edition::V2017, "sign") => Self(INTEGER | FLOAT),
            (Edition::V2017, "maximum" | "minimum") => Self(self.0 & !COMPLEX),
            _ => self,
        }
    }

    fn contains(self, element_type: ElementType) -> bool {
        self.0 & class_bit(element_type) != 0
    }

    /// The supported types as text: the first and the last of each class that the edition has.
    fn type_names(self, edition: Edition) -> String {
        let ranges = match edition {
            Edition::V2017 => {
                [(PRED, "pred"), (SIGNED, "s8 … s64"), (UNSIGNED, "u8 … u64"), (FLOAT, "f16 … f64"), (0, "")]
            }
            Edition::Current => [
                (PRED, "pred"),
                (SIGNED, "s1 … s64"),
                (UNSIGNED, "u1 … u64"),
                (FLOAT, "f4 … f64, bf16"),
                (COMPLEX, "c64, c128"),
            ],
        };
        let names: Vec<&str> = ranges.iter().filter(|(bit, _)| self.0 & bit != 0).map(|(_, n)| *n).collect();
        names.join(", ")
    }
}

/// The class of an element type, as a bit.
fn class_bit(element_type: ElementType) -> u8 {
    match element_type.class() {
        Class::Boolean => PRED,
        Class::Signed => SIGNED,
        Class::Unsigned => UNSIGNED,
        Class::Float => FLOAT,
        Class::Complex => COMPLEX,
    }
}

/// The functions of a row: a method of the builder, a function of `jax.lax`, one of `numpy`.
const fn functions(rust: &'static str, jax: &'static str, numpy: &'static str) -> FunctionNames {
    FunctionNames { rust, jax: (jax, Classes::MAX), numpy: (numpy, Classes::MAX) }
}

impl FunctionNames {
    /// Restricts JAX to the classes for which its results equal XLA's.
    const fn jax_for(mut self, classes: Classes) -> Self {
        self.jax.1 = classes;
        self
    }

    /// Restricts `numpy` to the classes for which its results equal XLA's.
    const fn numpy_for(mut self, classes: Classes) -> Self {
        self.numpy.1 = classes;
        self
    }
}

/// The element type of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ResultType {
    /// The type of the operands.
    Same,
    /// `pred`.
    Pred,
    /// The real type of a complex type; any other type unchanged.
    Real,
    /// The complex type of a real type.
    Complex,
}

impl ResultType {
    /// The element type of the result for operands of this type.
    fn apply(self, element_type: ElementType) -> ElementType {
        match self {
            Self::Same => element_type,
            Self::Pred => ElementType::Pred,
            // A real type is its own component.
            Self::Real => element_type.component().unwrap_or(element_type),
            Self::Complex if element_type == ElementType::F64 => ElementType::C128,
            Self::Complex => ElementType::C64,
        }
    }
}

fn check_type(cx: &OpContext, supported: TypeClasses, element_type: ElementType) -> Result<(), OpError> {
    let classes = supported.in_edition(cx.meta.opcode, cx.edition);
    if classes.contains(element_type) {
        return Ok(());
    }
    let message = Message::ops("op-element-type")
        .with("op", cx.meta.opcode)
        .with("found", element_type.name())
        .with("supported", classes.type_names(cx.edition));
    let error = cx.error("elementwise-type", message).at_operand(0);
    let usual =
        [ElementType::F32, ElementType::S32, ElementType::Pred].into_iter().find(|t| classes.contains(*t));
    Err(match usual {
        Some(usual) => cx.with_conversion(error, 0, usual),
        None => error.with_hint(Message::ops("op-hint-convert")),
    })
}

/// The shape and layout of operand 0, with the element type of the result.
fn like_operand(cx: &OpContext, result_type: ResultType) -> Result<Shape, OpError> {
    let mut shape = cx.array(0)?.clone();
    shape.element_type = result_type.apply(shape.element_type);
    Ok(Shape::Array(shape))
}

/// A part of a complex number; a real number is both of its parts.
#[derive(Clone, Copy, Debug)]
enum Part {
    Real,
    Imaginary,
}

impl Part {
    /// This part of a number; `None` if it is neither real nor complex.
    fn select(self, value: Value) -> Option<f64> {
        match (self, value) {
            (_, Value::Float(x))
            | (Self::Real, Value::Complex(x, _))
            | (Self::Imaginary, Value::Complex(_, x)) => Some(x),
            (_, Value::Pred(_) | Value::Int(_) | Value::Uint(_)) => None,
        }
    }
}

/// Gives a NaN result the same bits on every machine, as processors differ in them: in each part the NaN of the first
/// operand that has one in this part, else of the first that has one in the other part, else the canonical NaN.
fn canonicalize(result: Value, operands: &[Value]) -> Value {
    let nan_of =
        |part: Part| operands.iter().find_map(|operand| part.select(*operand).filter(|x| x.is_nan()));
    let canonical_part = |x: f64, part: Part, other: Part| {
        // A NaN that no operand had, such as that of 0 / 0, is the canonical one.
        if x.is_nan() { nan_of(part).or_else(|| nan_of(other)).unwrap_or(f64::NAN) } else { x }
    };
    match result {
        Value::Float(x) => Value::Float(canonical_part(x, Part::Real, Part::Imaginary)),
        Value::Complex(re, im) => Value::Complex(
            canonical_part(re, Part::Real, Part::Imaginary),
            canonical_part(im, Part::Imaginary, Part::Real),
        ),
        other => other,
    }
}

/// A sum; NaN becomes the canonical NaN.
pub(super) fn canonical_sum(sum: Value) -> Value {
    canonicalize(sum, &[])
}

/// Reports a bug: the types of the row exclude this value. Returns the value.
fn unexpected(value: Value) -> Value {
    bug!("an element-wise op has no result for {value:?}");
    value
}

/// An op of one operand.
pub struct Unary {
    meta: OpMeta,
    functions: FunctionNames,
    supported: TypeClasses,
    result_type: ResultType,
    eval: fn(ElementContext, Value) -> Value,
}

impl Unary {
    /// The function of a row in an edition: `sign` differs in 2017.
    fn function_in(&self, edition: Edition) -> fn(ElementContext, Value) -> Value {
        if edition == Edition::V2017 && self.meta.opcode == "sign" { sign_2017 } else { self.eval }
    }
}

/// `(0 < x) - (x < 0)`: 0 for NaN and -0. XLA 2017 supported no complex operand.
fn sign_2017(_: ElementContext, value: Value) -> Value {
    match value {
        Value::Int(n) => Value::Int(n.signum()),
        Value::Uint(n) => Value::Uint(n.min(1)),
        Value::Float(x) => Value::Float(f64::from(i8::from(x > 0.0) - i8::from(x < 0.0))),
        other => unexpected(other),
    }
}

impl OpDef for &'static Unary {
    fn meta(&self) -> &'static OpMeta {
        &self.meta
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        self.functions.call(to, class_bit(to.array(0)?.element_type))
    }

    fn in_2017(&self, cx: &OpContext) -> Option<String> {
        rewrite_2017::rewrite(cx)
    }

    fn element_types(&self, edition: Edition) -> Option<String> {
        Some(self.supported.in_edition(self.meta.opcode, edition).type_names(edition))
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        check_type(cx, self.supported, cx.array(0)?.element_type)?;
        like_operand(cx, self.result_type)
    }

    fn task(&self, context: &TaskContext) -> Result<PlannedTask, Fallback> {
        context.require_current_edition()?;
        let f = kernel::unary(self.meta.opcode).ok_or(Fallback::NoKernel)?;
        let operands = [context.array(0)?];
        Ok(PlannedTask {
            task: Task::Unary(kernels::Map { operands, out: context.out()?, f }),
            reads: vec![0],
        })
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let element = ElementContext { element_type: cx.array(0)?.element_type, edition: cx.edition };
        let (eval, to) = (self.function_in(cx.edition), self.result_type.apply(element.element_type));
        // These change only the sign bit, also of NaN, or copy one part.
        let keeps_bits = matches!(self.meta.opcode, "negate" | "abs" | "real" | "imag");
        Ok(Semantics::per_element(move |out, read| {
            let value = read.get(0, out, Role::Value);
            let result = eval(element, value);
            if keeps_bits { result.convert(to) } else { canonicalize(result, &[value]).convert(to) }
        }))
    }
}

/// An op of two operands.
pub struct Binary {
    meta: OpMeta,
    functions: FunctionNames,
    supported: TypeClasses,
    result_type: ResultType,
    eval: fn(ElementContext, Value, Value) -> Value,
}

impl OpDef for &'static Binary {
    fn meta(&self) -> &'static OpMeta {
        &self.meta
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        self.functions.call(to, class_bit(to.array(0)?.element_type))
    }

    fn in_2017(&self, cx: &OpContext) -> Option<String> {
        rewrite_2017::rewrite(cx)
    }

    fn element_types(&self, edition: Edition) -> Option<String> {
        Some(self.supported.in_edition(self.meta.opcode, edition).type_names(edition))
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (a, b) = (cx.array(0)?, cx.array(1)?);
        if a.element_type != b.element_type {
            return Err(cx.type_mismatch("elementwise-same-type", 1));
        }
        if a.dimensions != b.dimensions {
            return Err(cx.size_mismatch("elementwise-same-sizes", 1, 0));
        }
        check_type(cx, self.supported, a.element_type)?;
        like_operand(cx, self.result_type)
    }

    fn task(&self, context: &TaskContext) -> Result<PlannedTask, Fallback> {
        let f = kernel::binary(self.meta.opcode).ok_or(Fallback::NoKernel)?;
        if matches!(f, kernels::Binary::Maximum | kernels::Binary::Minimum) {
            context.require_current_edition()?;
        }
        let operands = [context.array(0)?, context.array(1)?];
        Ok(PlannedTask {
            task: Task::Binary(kernels::Map { operands, out: context.out()?, f }),
            reads: vec![0, 1],
        })
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let (row, element) =
            (*self, ElementContext { element_type: cx.array(0)?.element_type, edition: cx.edition });
        let to = row.result_type.apply(element.element_type);
        // These copy their operands, or one of them.
        let keeps_bits = match row.meta.opcode {
            "complex" => true,
            "maximum" | "minimum" => element.element_type.is_complex(),
            _ => false,
        };
        Ok(Semantics::per_element(move |out, read| {
            let a = read.get(0, out, Role::Lhs);
            let b = read.get(1, out, Role::Rhs);
            let result = (row.eval)(element, a, b);
            if keeps_bits { result.convert(to) } else { canonicalize(result, &[a, b]).convert(to) }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits of both parts.
    fn bits(value: Value) -> u128 {
        value.to_bits(ElementType::C128)
    }

    #[test]
    fn each_part_of_a_complex_result_propagates_its_own_nan() {
        let (positive, negative) = (f64::NAN, -f64::NAN);
        let both = Value::Complex(positive, negative);
        for (operands, expected) in [
            ([both, Value::Complex(1.0, 1.0)], [positive, negative]),
            ([Value::Complex(1.0, 1.0), both], [positive, negative]),
            ([Value::Complex(1.0, negative), Value::Complex(1.0, positive)], [negative, negative]),
            ([Value::Complex(negative, 1.0), Value::Complex(1.0, positive)], [negative, positive]),
            ([Value::Complex(1.0, 1.0); 2], [positive, positive]),
        ] {
            let found = canonicalize(Value::Complex(f64::NAN, f64::NAN), &operands);
            assert_eq!(bits(found), bits(Value::Complex(expected[0], expected[1])), "{operands:?}");
        }
        let found = canonicalize(Value::Complex(2.0, f64::NAN), &[both]);
        assert_eq!(bits(found), bits(Value::Complex(2.0, negative)));
    }
}
