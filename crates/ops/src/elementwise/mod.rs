//! The table of ops that work element by element: one row an op.
//!
//! A row says which element types the op takes and how one element is computed; everything else is shared. Values
//! are computed in `f64` (or in 64-bit integers) and rounded once to the element type: for `+ - * /` and square
//! roots that is the correctly rounded result in every narrower type, as the widths are more than twice its own.
//! Read `unary` and `binary` for the rows, `real`, `integer` and `complex` for the arithmetic.

mod binary;
pub(crate) mod complex;
mod integer;
mod inverse;
mod kernel;
mod real;
mod unary;

pub use binary::BINARY;
pub use unary::{ANALYTIC, REAL, UNARY};

use super::code::{Classes, Code, Coding, Names};
use super::infer::Infer;
use super::tasks::{Fallback, Planned, Tasking};
use super::{Body, OpDef, OpError, OpMeta, Role};
use xla_array::{Class, Edition, ElementType, Shape, Value};
use xla_kernels::{Task, task as kernels};
use xla_messages::i18n::Message;

/// What the computation of one element depends on beyond the values.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    /// The element type of the operands.
    pub element_type: ElementType,
    /// Which XLA answers.
    pub edition: Edition,
}

/// Classes of element types, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Takes(u8);

const PRED: u8 = 1;
const SIGNED: u8 = 2;
const UNSIGNED: u8 = 4;
const FLOAT: u8 = 8;
const COMPLEX: u8 = 16;
const INTEGER: u8 = SIGNED | UNSIGNED;

impl Takes {
    /// What an op takes by an edition: in 2017 the logical ones took `pred` only, exponentials no complex numbers, and
    /// absolute values and signs unsigned integers too, but signs no complex numbers.
    fn of_edition(self, opcode: &str, edition: Edition) -> Self {
        match (edition, opcode) {
            (Edition::V2017, "and" | "or" | "not") => Self(PRED),
            (Edition::V2017, "exponential" | "log" | "tanh" | "cosine") => Self(FLOAT),
            (Edition::V2017, "abs") => Self(self.0 | UNSIGNED),
            (Edition::V2017, "sign") => Self(INTEGER | FLOAT),
            _ => self,
        }
    }

    fn has(self, element_type: ElementType) -> bool {
        self.0 & bit(element_type) != 0
    }

    /// The classes in words of the field.
    fn names(self) -> String {
        let all = [
            (PRED, "pred"),
            (SIGNED, "signed"),
            (UNSIGNED, "unsigned"),
            (FLOAT, "floating"),
            (COMPLEX, "complex"),
        ];
        let names: Vec<&str> = all.iter().filter(|(bit, _)| self.0 & bit != 0).map(|(_, n)| *n).collect();
        names.join(", ")
    }
}

/// The class of an element type, as a bit.
fn bit(element_type: ElementType) -> u8 {
    match element_type.class() {
        Class::Boolean => PRED,
        Class::Signed => SIGNED,
        Class::Unsigned => UNSIGNED,
        Class::Float => FLOAT,
        Class::Complex => COMPLEX,
    }
}

/// How a row is called: a method of the builder, a function of `jax.lax`, one of `numpy`.
const fn called(rust: &'static str, jax: &'static str, numpy: &'static str) -> Names {
    Names { rust, jax: (jax, Classes::MAX), numpy: (numpy, Classes::MAX) }
}

impl Names {
    /// JAX gives XLA's values for these classes only.
    const fn jax_of(mut self, classes: Classes) -> Self {
        self.jax.1 = classes;
        self
    }

    /// `numpy` gives XLA's values for these classes only.
    const fn numpy_of(mut self, classes: Classes) -> Self {
        self.numpy.1 = classes;
        self
    }
}

/// The element type of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gives {
    /// That of the operands.
    Same,
    /// `pred`.
    Truth,
    /// The real type of a complex one; any other stays.
    Component,
    /// The complex type of a real one.
    Composed,
}

impl Gives {
    fn of(self, element_type: ElementType) -> ElementType {
        match self {
            Self::Same => element_type,
            Self::Truth => ElementType::Pred,
            Self::Component => element_type.component().unwrap_or(element_type),
            Self::Composed if element_type == ElementType::F64 => ElementType::C128,
            Self::Composed => ElementType::C64,
        }
    }
}

fn check_type(cx: &Infer, takes: Takes, element_type: ElementType) -> Result<(), OpError> {
    let takes = takes.of_edition(cx.meta.opcode, cx.edition);
    if takes.has(element_type) {
        return Ok(());
    }
    let message = Message::engine("op-element-type")
        .with("op", cx.meta.opcode)
        .with("found", element_type.name())
        .with("takes", takes.names());
    Err(cx.error("elementwise-type", message).at_operand(0).advise(Message::engine("op-hint-convert")))
}

/// The shape of operand 0 with another element type; its layout stays.
fn like_operand(cx: &Infer, gives: Gives) -> Result<Shape, OpError> {
    let mut shape = cx.array(0)?.clone();
    shape.element_type = gives.of(shape.element_type);
    Ok(Shape::Array(shape))
}

/// A result with a NaN that is the same on every machine: the first operand's that is one, else the positive one.
/// Processors differ in the sign they give it.
fn with_nan_of(result: Value, operands: &[Value]) -> Value {
    let first = || {
        operands.iter().find_map(|operand| match operand {
            Value::Float(x) if x.is_nan() => Some(*x),
            Value::Complex(re, im) => [*re, *im].into_iter().find(|part| part.is_nan()),
            _ => None,
        })
    };
    let of = |x: f64| if x.is_nan() { first().unwrap_or(f64::NAN) } else { x };
    match result {
        Value::Float(x) => Value::Float(of(x)),
        Value::Complex(re, im) if re.is_nan() || im.is_nan() => Value::Complex(of(re), of(im)),
        other => other,
    }
}

/// A sum, whose NaN is the positive one.
pub(super) fn settled(sum: Value) -> Value {
    with_nan_of(sum, &[])
}

/// A row of one operand.
pub struct Unary {
    meta: OpMeta,
    code: Names,
    takes: Takes,
    gives: Gives,
    eval: fn(Numbers, Value) -> Value,
}

impl Unary {
    /// What the row computes by an edition: in 2017 `sign` was another function.
    fn of_edition(&self, edition: Edition) -> fn(Numbers, Value) -> Value {
        if edition == Edition::V2017 && self.meta.opcode == "sign" { sign_2017 } else { self.eval }
    }
}

/// `(0 < x) - (x < 0)`: of NaN and of -0 it is 0. There were no complex numbers.
fn sign_2017(_: Numbers, value: Value) -> Value {
    match value {
        Value::Int(n) => Value::Int(n.signum()),
        Value::Uint(n) => Value::Uint(n.min(1)),
        Value::Float(x) => Value::Float(f64::from(i8::from(x > 0.0) - i8::from(x < 0.0))),
        other => other,
    }
}

impl OpDef for &'static Unary {
    fn meta(&self) -> &'static OpMeta {
        &self.meta
    }

    fn code(&self, to: &Coding) -> Option<Code> {
        self.code.call(to, bit(to.array(0)?.element_type))
    }

    fn infer(&self, cx: &Infer) -> Result<Shape, OpError> {
        check_type(cx, self.takes, cx.array(0)?.element_type)?;
        like_operand(cx, self.gives)
    }

    fn task(&self, tasking: &Tasking) -> Result<Planned, Fallback> {
        tasking.is_now()?;
        let f = kernel::unary(self.meta.opcode).ok_or(Fallback::NoKernel)?;
        let operands = [tasking.array(0)?];
        Ok(Planned { task: Task::Unary(kernels::Map { operands, out: tasking.out()?, f }), reads: vec![0] })
    }

    fn bind(&self, cx: &Infer) -> Result<Body, OpError> {
        let numbers = Numbers { element_type: cx.array(0)?.element_type, edition: cx.edition };
        let (eval, to) = (self.of_edition(cx.edition), self.gives.of(numbers.element_type));
        // These two are defined by what they do to the sign bit, that of NaN too.
        let is_of_sign = matches!(self.meta.opcode, "negate" | "abs");
        Ok(Body::cell(move |out, read| {
            let value = read.get(0, out, Role::Value);
            let result = eval(numbers, value);
            if is_of_sign { result.convert(to) } else { with_nan_of(result, &[value]).convert(to) }
        }))
    }
}

/// A row of two operands.
pub struct Binary {
    meta: OpMeta,
    code: Names,
    takes: Takes,
    gives: Gives,
    eval: fn(Numbers, Value, Value) -> Value,
}

impl OpDef for &'static Binary {
    fn meta(&self) -> &'static OpMeta {
        &self.meta
    }

    fn code(&self, to: &Coding) -> Option<Code> {
        self.code.call(to, bit(to.array(0)?.element_type))
    }

    fn infer(&self, cx: &Infer) -> Result<Shape, OpError> {
        let (a, b) = (cx.array(0)?, cx.array(1)?);
        if a.element_type != b.element_type {
            return Err(cx.other_type("elementwise-same-type", 1));
        }
        if a.dimensions != b.dimensions {
            return Err(cx.other_sizes("elementwise-same-sizes", 1, 0));
        }
        check_type(cx, self.takes, a.element_type)?;
        like_operand(cx, self.gives)
    }

    fn task(&self, tasking: &Tasking) -> Result<Planned, Fallback> {
        let f = kernel::binary(self.meta.opcode).ok_or(Fallback::NoKernel)?;
        if matches!(f, kernels::Binary::Maximum | kernels::Binary::Minimum) {
            tasking.is_now()?;
        }
        let operands = [tasking.array(0)?, tasking.array(1)?];
        Ok(Planned {
            task: Task::Binary(kernels::Map { operands, out: tasking.out()?, f }),
            reads: vec![0, 1],
        })
    }

    fn bind(&self, cx: &Infer) -> Result<Body, OpError> {
        let (row, numbers) =
            (*self, Numbers { element_type: cx.array(0)?.element_type, edition: cx.edition });
        let to = row.gives.of(numbers.element_type);
        Ok(Body::cell(move |out, read| {
            let a = read.get(0, out, Role::Lhs);
            let b = read.get(1, out, Role::Rhs);
            with_nan_of((row.eval)(numbers, a, b), &[a, b]).convert(to)
        }))
    }
}
