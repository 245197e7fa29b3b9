//! Elementwise formulas: arithmetic of [`Term`]s, in which each operation is one instruction of a computation.

use std::cell::RefCell;
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::ast::Type;
use xla_array::ElementType;

/// A formula under construction: its instructions, whose names are their numbers.
pub(super) struct Formula {
    /// The type of its parameters; other terms have the same sizes.
    ty: Type,
    lines: RefCell<Vec<Line>>,
}

/// An instruction: its element type, opcode, and the rest of its text.
struct Line {
    element: ElementType,
    is_scalar: bool,
    opcode: &'static str,
    text: String,
}

/// A value of a formula.
#[derive(Clone, Copy)]
pub(super) struct Term<'f> {
    formula: &'f Formula,
    at: usize,
}

impl Formula {
    /// An empty formula.
    pub fn new(ty: Type) -> Self {
        Self { ty, lines: RefCell::default() }
    }

    fn line(&self, element: ElementType, is_scalar: bool, opcode: &'static str, text: String) -> Term<'_> {
        let mut lines = self.lines.borrow_mut();
        let known =
            lines.iter().position(|line| opcode != "parameter" && line.opcode == opcode && line.text == text);
        let at = known.unwrap_or(lines.len());
        if known.is_none() {
            lines.push(Line { element, is_scalar, opcode, text });
        }
        Term { formula: self, at }
    }

    fn name(&self, at: usize) -> String {
        self.lines.borrow().get(at).map_or_else(String::new, |line| format!("{}.{at}", line.opcode))
    }

    fn element(&self, at: usize) -> ElementType {
        self.lines.borrow().get(at).map_or(ElementType::Pred, |line| line.element)
    }

    /// A parameter, in the order of the calls.
    pub fn parameter(&self, element: ElementType) -> Term<'_> {
        let lines = self.lines.borrow();
        let number = lines.iter().filter(|line| line.opcode == "parameter").count();
        drop(lines);
        self.line(element, false, "parameter", number.to_string())
    }

    /// A constant as HLO writes it.
    fn constant(&self, element: ElementType, text: String) -> Term<'_> {
        let scalar = self.line(element, true, "constant", text);
        if self.ty.sizes().is_empty() {
            return scalar;
        }
        self.line(element, false, "broadcast", format!("{}), dimensions={{}}", self.name(scalar.at)))
    }

    /// The lines: names, shapes and the text after the shape. The last is the result.
    pub fn lines(&self, result: Term<'_>) -> (Vec<[String; 3]>, String) {
        let lines = self.lines.borrow();
        let texts = lines.iter().enumerate().map(|(at, line)| {
            let sizes = if line.is_scalar { Vec::new() } else { self.ty.sizes() };
            let shape = self.ty.with_sizes(&sizes).with_element(line.element).shape();
            let close = if line.text.contains(')') { "" } else { ")" };
            [format!("{}.{at}", line.opcode), shape, format!("{}({}{close}", line.opcode, line.text)]
        });
        (texts.collect(), self.name(result.at))
    }
}

impl Term<'_> {
    /// A constant of the term's type.
    pub fn constant(self, value: f64) -> Self {
        let element = self.formula.element(self.at);
        let is_float = matches!(element.class(), xla_array::Class::Float);
        let text = if value.is_nan() {
            "nan".to_owned()
        } else if value.is_infinite() {
            if value > 0.0 { "inf" } else { "-inf" }.to_owned()
        } else if is_float {
            format!("{value:?}")
        } else {
            format!("{value:.0}")
        };
        self.formula.constant(element, text)
    }

    fn instruction(self, element: ElementType, opcode: &'static str, others: &[Self], more: &str) -> Self {
        let mut text = self.formula.name(self.at);
        for other in others {
            text.push_str(", ");
            text.push_str(&self.formula.name(other.at));
        }
        if !more.is_empty() {
            text.push_str("), ");
            text.push_str(more);
        }
        self.formula.line(element, false, opcode, text)
    }

    /// Applies a unary op whose result has the same type.
    pub fn apply(self, opcode: &'static str) -> Self {
        self.instruction(self.formula.element(self.at), opcode, &[], "")
    }

    /// Applies a binary op whose result has the same type.
    pub fn with(self, opcode: &'static str, other: Self) -> Self {
        self.instruction(self.formula.element(self.at), opcode, &[other], "")
    }

    /// Compares with another term; `direction` is HLO's, such as `LT`.
    pub fn compare(self, direction: &str, other: Self) -> Self {
        self.instruction(ElementType::Pred, "compare", &[other], &format!("direction={direction}"))
    }

    /// Compares with a number.
    pub fn compare_number(self, direction: &str, value: f64) -> Self {
        self.compare(direction, self.constant(value))
    }

    /// Whether it is finite.
    pub fn is_finite(self) -> Self {
        self.instruction(ElementType::Pred, "is-finite", &[], "")
    }

    /// Selects `on_true` where this term is true, else `on_false`.
    pub fn select(self, on_true: Self, on_false: Self) -> Self {
        self.instruction(self.formula.element(on_true.at), "select", &[on_true, on_false], "")
    }

    /// Converts to another type by `convert` (the value) or `bitcast-convert` (the bits).
    pub fn cast(self, opcode: &'static str, element: ElementType) -> Self {
        if self.formula.element(self.at) == element {
            return self;
        }
        self.instruction(element, opcode, &[], "")
    }

    /// Evaluates a polynomial of this term by Horner's scheme; coefficients from the highest degree down.
    pub fn polynomial(self, coefficients: &[f64]) -> Self {
        let mut coefficients = coefficients.iter();
        let first = self.constant(coefficients.next().copied().unwrap_or(0.0));
        coefficients.fold(first, |sum, coefficient| sum * self + *coefficient)
    }
}

macro_rules! operators {
    ($($name:ident $method:ident $opcode:literal;)*) => {$(
        impl<'f> $name for Term<'f> {
            type Output = Term<'f>;

            fn $method(self, other: Self) -> Self {
                self.with($opcode, other)
            }
        }

        impl<'f> $name<f64> for Term<'f> {
            type Output = Term<'f>;

            fn $method(self, other: f64) -> Self {
                self.with($opcode, self.constant(other))
            }
        }
    )*};
}

operators! {
    Add add "add";
    Sub sub "subtract";
    Mul mul "multiply";
    Div div "divide";
}

impl Neg for Term<'_> {
    type Output = Self;

    fn neg(self) -> Self {
        self.apply("negate")
    }
}
