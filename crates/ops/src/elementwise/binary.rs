//! The table rows of binary ops.

use super::super::{Category, Example, Formula, History, OpDef, OpMeta, Operands, Rule};
use super::{
    Binary, COMPLEX, ElementContext, FLOAT, INTEGER, PRED, ResultType, SIGNED, TypeClasses, UNSIGNED,
    functions, unexpected,
};
use super::{changes, complex, headings, integer, real};
use xla_array::Value::{self, Complex, Float, Int, Pred, Uint};

/// `NAME "opcode" "Title" "summary key" "formula", functions in other languages, supported classes, "an unsupported
/// type", result type, "type" "a" "b" => "result", eval;`
macro_rules! rows {
    ($($name:ident $opcode:literal $title:literal $summary:literal $formula:literal, $functions:expr,
       $supported:expr, $wrong:literal, $result_type:ident, $t:literal $a:literal $b:literal => $result:literal, $eval:path, $history:expr;)*) => {
        $(static $name: Binary = Binary {
            meta: OpMeta {
                opcode: $opcode,
                title: $title,
                search_terms: headings::search_terms($title),
                sections: {
                    const HEADING: &str = headings::section($title);
                    if HEADING.is_empty() { &[] } else { &[HEADING] }
                },
                category: Category::Binary,
                history: $history,
                summary: $summary,
                formula: Formula::Symbols($formula),
                operands: Operands::exactly(&["lhs", "rhs"]),
                inline_attr: None,
                attrs: &[],
                rules: &[
                    Rule {
                        identifier: "elementwise-same-type",
                        description: "rule-same-type",
                        violated_by: concat!(
                            "x = ", $t, "[2] parameter(0) y = u16[2] parameter(1) ROOT r = ", $opcode, "(x, y)"
                        ),
                    },
                    Rule {
                        identifier: "elementwise-same-sizes",
                        description: "rule-elementwise-sizes",
                        violated_by: concat!(
                            "x = ", $t, "[2] parameter(0) y = ", $t, "[2,1] parameter(1) ROOT r = ", $opcode, "(x, y)"
                        ),
                    },
                    Rule {
                        identifier: "elementwise-type",
                        description: "rule-element-type",
                        violated_by: concat!("x = ", $wrong, " parameter(0) ROOT r = ", $opcode, "(x, x)"),
                    },
                ],
                examples: &[Example {
                    title: "shows-elements",
                    hlo: concat!(
                        "a = ", $t, "[2] constant(", $a, ") b = ", $t, "[2] constant(", $b, ") ROOT r = ", $opcode, "(a, b)"
                    ),
                    result: $result,
                }],
            },
            functions: $functions,
            supported: TypeClasses($supported),
            result_type: ResultType::$result_type,
            eval: $eval,
        };)*

        /// All binary elementwise ops.
        pub static BINARY: &[&dyn OpDef] = &[$(&&$name,)*];
    };
}

type Pair<T, R = T> = fn(T, T) -> R;

/// Applies one function to floats, another to complex numbers; other classes were rejected before.
fn by_class(a: Value, b: Value, of_real: Pair<f64>, of_complex: Pair<complex::Complex>) -> Value {
    match (a, b) {
        (Float(a), Float(b)) => Float(of_real(a, b)),
        (Complex(a, b), Complex(c, d)) => {
            let complex::Complex(re, im) = of_complex(complex::Complex(a, b), complex::Complex(c, d));
            Complex(re, im)
        }
        _ => unexpected(a),
    }
}

fn add(_: ElementContext, a: Value, b: Value) -> Value {
    match (a, b) {
        (Pred(a), Pred(b)) => Pred(a | b),
        (Int(a), Int(b)) => Int(a.wrapping_add(b)),
        (Uint(a), Uint(b)) => Uint(a.wrapping_add(b)),
        _ => by_class(a, b, |a, b| a + b, complex::add),
    }
}

fn subtract(_: ElementContext, a: Value, b: Value) -> Value {
    match (a, b) {
        (Int(a), Int(b)) => Int(a.wrapping_sub(b)),
        (Uint(a), Uint(b)) => Uint(a.wrapping_sub(b)),
        _ => by_class(a, b, |a, b| a - b, complex::subtract),
    }
}

fn multiply(_: ElementContext, a: Value, b: Value) -> Value {
    match (a, b) {
        (Pred(a), Pred(b)) => Pred(a & b),
        (Int(a), Int(b)) => Int(a.wrapping_mul(b)),
        (Uint(a), Uint(b)) => Uint(a.wrapping_mul(b)),
        _ => by_class(a, b, |a, b| a * b, complex::multiply),
    }
}

fn divide(_: ElementContext, a: Value, b: Value) -> Value {
    match a {
        Int(_) | Uint(_) => integer::divide(a, b),
        _ => by_class(a, b, |a, b| a / b, complex::divide),
    }
}

fn remainder(_: ElementContext, a: Value, b: Value) -> Value {
    match (a, b) {
        (Float(a), Float(b)) => Float(libm::fmod(a, b)),
        _ => integer::remainder(a, b),
    }
}

fn power(cx: ElementContext, a: Value, b: Value) -> Value {
    match a {
        Int(_) | Uint(_) => integer::power(cx.element_type, a, b),
        _ => by_class(a, b, libm::pow, complex::power),
    }
}

/// Complex numbers are compared by their real parts; if they are equal or one is NaN, XLA's CPU returns the
/// left of equal ones, else the right.
fn maximum(cx: ElementContext, a: Value, b: Value) -> Value {
    match (a, b) {
        (Pred(a), Pred(b)) => Pred(a | b),
        (Int(a), Int(b)) => Int(a.max(b)),
        (Uint(a), Uint(b)) => Uint(a.max(b)),
        (Float(a), Float(b)) => Float(real::maximum(cx.edition, a, b)),
        (Complex(x, _), Complex(y, _)) => {
            if x >= y {
                a
            } else {
                b
            }
        }
        _ => unexpected(a),
    }
}

/// Complex numbers as in [`maximum`].
fn minimum(cx: ElementContext, a: Value, b: Value) -> Value {
    match (a, b) {
        (Pred(a), Pred(b)) => Pred(a & b),
        (Int(a), Int(b)) => Int(a.min(b)),
        (Uint(a), Uint(b)) => Uint(a.min(b)),
        (Float(a), Float(b)) => Float(real::minimum(cx.edition, a, b)),
        (Complex(x, _), Complex(y, _)) => {
            if x <= y {
                a
            } else {
                b
            }
        }
        _ => unexpected(a),
    }
}

fn bitwise(a: Value, b: Value, of_bits: Pair<u64>, of_truth: Pair<bool>) -> Value {
    match (a, b) {
        (Pred(a), Pred(b)) => Pred(of_truth(a, b)),
        (Int(a), Int(b)) => Int(of_bits(a.cast_unsigned(), b.cast_unsigned()).cast_signed()),
        (Uint(a), Uint(b)) => Uint(of_bits(a, b)),
        _ => unexpected(a),
    }
}

fn and(_: ElementContext, a: Value, b: Value) -> Value {
    bitwise(a, b, |a, b| a & b, |a, b| a & b)
}

fn or(_: ElementContext, a: Value, b: Value) -> Value {
    bitwise(a, b, |a, b| a | b, |a, b| a | b)
}

fn xor(_: ElementContext, a: Value, b: Value) -> Value {
    bitwise(a, b, |a, b| a ^ b, |a, b| a ^ b)
}

fn shift_left(cx: ElementContext, a: Value, b: Value) -> Value {
    integer::shift_left(cx.element_type, a, b)
}

fn shift_right_logical(cx: ElementContext, a: Value, b: Value) -> Value {
    integer::shift_right_logical(cx.element_type, a, b)
}

fn shift_right_arithmetic(cx: ElementContext, a: Value, b: Value) -> Value {
    integer::shift_right_arithmetic(cx.element_type, a, b)
}

fn multiply_high(cx: ElementContext, a: Value, b: Value) -> Value {
    integer::multiply_high(cx.element_type, a, b)
}

fn atan2(_: ElementContext, a: Value, b: Value) -> Value {
    by_class(a, b, libm::atan2, complex::atan2)
}

fn compose(_: ElementContext, a: Value, b: Value) -> Value {
    if let (Float(re), Float(im)) = (a, b) { Complex(re, im) } else { unexpected(a) }
}

const ARITHMETIC: u8 = INTEGER | FLOAT | COMPLEX;
/// Types whose maximum is that of JAX and `NumPy`, too; they order complex numbers by both parts.
const ORDERED: u8 = PRED | INTEGER | FLOAT;

rows! {
    ADD "add" "Add" "op-add" "out[i] = lhs[i] + rhs[i]", functions("add", "lax.add", "np.add").jax_for(ARITHMETIC),
        PRED | ARITHMETIC, "(f32[2])", Same, "f32" "{1, 2}" "{0.5, -2}" => "f32[2] {1.5, 0}", add, History::UNCHANGED;
    SUBTRACT "subtract" "Sub" "op-subtract" "out[i] = lhs[i] - rhs[i]", functions("sub", "lax.sub", "np.subtract"),
        ARITHMETIC, "pred[2]", Same, "u8" "{1, 2}" "{2, 2}" => "u8[2] {255, 0}", subtract, History::UNCHANGED;
    MULTIPLY "multiply" "Mul" "op-multiply" "out[i] = lhs[i] · rhs[i]", functions("mul", "lax.mul", "np.multiply").jax_for(ARITHMETIC),
        PRED | ARITHMETIC, "(f32[2])", Same, "s32" "{3, -2}" "{5, 7}" => "s32[2] {15, -14}", multiply, History::UNCHANGED;
    DIVIDE "divide" "Div" "op-divide" "out[i] = lhs[i] / rhs[i]", functions("div", "lax.div", "np.divide").numpy_for(FLOAT | COMPLEX),
        ARITHMETIC, "pred[2]", Same, "s32" "{-7, 7}" "{2, 0}" => "s32[2] {-3, -1}", divide, History::UNCHANGED;
    REMAINDER "remainder" "Rem" "op-remainder" "out[i] = lhs[i] rem rhs[i]", functions("rem", "lax.rem", "np.fmod").numpy_for(FLOAT),
        INTEGER | FLOAT, "c64[2]", Same, "f32" "{-7, 7}" "{4, 0}" => "f32[2] {-3, nan}", remainder, History::UNCHANGED;
    POWER "power" "Pow" "op-power" "out[i] = lhs[i] ^ rhs[i]", functions("pow", "lax.pow", "np.power").jax_for(FLOAT | COMPLEX).numpy_for(FLOAT | COMPLEX),
        ARITHMETIC, "pred[2]", Same, "f32" "{2, -8}" "{10, 3}" => "f32[2] {1024, -512}", power, History::UNCHANGED;
    MAXIMUM "maximum" "Max" "op-maximum" "out[i] = max(lhs[i], rhs[i])", functions("max", "lax.max", "np.maximum").jax_for(ORDERED).numpy_for(ORDERED),
        ORDERED | COMPLEX, "(f32[2])", Same, "f32" "{1, nan}" "{3, 0}" => "f32[2] {3, nan}", maximum, History::changed(&changes::MAXIMUM);
    MINIMUM "minimum" "Min" "op-minimum" "out[i] = min(lhs[i], rhs[i])", functions("min", "lax.min", "np.minimum").jax_for(ORDERED).numpy_for(ORDERED),
        ORDERED | COMPLEX, "(f32[2])", Same, "s32" "{1, 5}" "{3, -2}" => "s32[2] {1, -2}", minimum, History::changed(&changes::MINIMUM);
    AND "and" "LogicalAnd" "op-and" "out[i] = lhs[i] ∧ rhs[i]", functions("logical_and", "lax.bitwise_and", "np.bitwise_and"),
        PRED | INTEGER, "f32[2]", Same, "pred" "{1, 1}" "{1, 0}" => "pred[2] {1, 0}", and, History::changed(&changes::AND);
    OR "or" "LogicalOr" "op-or" "out[i] = lhs[i] ∨ rhs[i]", functions("logical_or", "lax.bitwise_or", "np.bitwise_or"),
        PRED | INTEGER, "f32[2]", Same, "pred" "{1, 0}" "{0, 0}" => "pred[2] {1, 0}", or, History::changed(&changes::OR);
    XOR "xor" "LogicalXor" "op-xor" "out[i] = lhs[i] ⊕ rhs[i]", functions("", "lax.bitwise_xor", "np.bitwise_xor"),
        PRED | INTEGER, "f32[2]", Same, "u8" "{12, 1}" "{10, 0}" => "u8[2] {6, 1}", xor, History::not_in_2017("instead-xor");
    SHIFT_LEFT "shift-left" "ShiftLeft" "op-shift-left" "out[i] = lhs[i] << rhs[i]", functions("", "lax.shift_left", "np.left_shift"),
        INTEGER, "f32[2]", Same, "u8" "{129, 1}" "{1, 8}" => "u8[2] {2, 0}", shift_left, History::not_in_2017("instead-shift-left");
    SHIFT_RIGHT_LOGICAL "shift-right-logical" "ShiftRightLogical" "op-shift-right-logical" "out[i] = lhs[i] >>> rhs[i]", functions("", "lax.shift_right_logical", "np.right_shift").numpy_for(UNSIGNED),
        INTEGER, "f32[2]", Same, "s8" "{-1, 8}" "{4, 2}" => "s8[2] {15, 2}", shift_right_logical, History::not_in_2017("instead-shift-right");
    SHIFT_RIGHT_ARITHMETIC "shift-right-arithmetic" "ShiftRightArithmetic" "op-shift-right-arithmetic"
        "out[i] = lhs[i] >> rhs[i]", functions("", "lax.shift_right_arithmetic", "np.right_shift").numpy_for(SIGNED),
        INTEGER, "f32[2]", Same, "s8" "{-8, 8}" "{2, 9}" => "s8[2] {-2, 0}", shift_right_arithmetic, History::not_in_2017("instead-shift-right");
    MULHI "mulhi" "MulHi" "op-mulhi" "out[i] = (lhs[i] · rhs[i]) >> bits", functions("", "lax.mulhi", ""),
        INTEGER, "f32[2]", Same, "s8" "{64, -128}" "{4, 2}" => "s8[2] {1, -1}", multiply_high, History::NEWER;
    ATAN2 "atan2" "Atan2" "op-atan2" "out[i] = atan2(lhs[i], rhs[i])", functions("", "lax.atan2", "np.arctan2").jax_for(FLOAT).numpy_for(FLOAT),
        FLOAT | COMPLEX, "s32[2]", Same, "f32" "{1, 0}" "{1, 2}" => "f32[2] {0.785398163, 0}", atan2, History::NEWER;
    COMPLEX_OF "complex" "Complex" "op-complex" "out[i] = lhs[i] + i·rhs[i]", functions("", "lax.complex", ""),
        FLOAT, "s32[2]", Complex, "f32" "{1, 2}" "{3, 4}" => "c64[2] {(1, 3), (2, 4)}", compose, History::not_in_2017("instead-complex");
}
