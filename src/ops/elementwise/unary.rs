//! Rows of one operand.

use super::super::{Category, Example, OpDef, OpMeta, Operands, Rule};
use super::{COMPLEX, FLOAT, Gives, INTEGER, PRED, SIGNED, Takes, UNSIGNED, Unary, called};
use super::{complex, integer, real};
use crate::array::Value::{self, Complex, Float, Int, Pred, Uint};

/// `NAME "opcode" "Title" "summary key" "formula", names in other languages, takes [a type it does not take], gives, example, eval;`
macro_rules! rows {
    ($($name:ident $opcode:literal $title:literal $summary:literal $formula:literal, $code:expr,
       $takes:expr, $wrong:literal, $gives:ident, $input:literal => $result:literal, $eval:expr;)*) => {
        $(static $name: Unary = Unary {
            meta: OpMeta {
                opcode: $opcode,
                title: $title,
                category: Category::Unary,
                summary: $summary,
                formula: $formula,
                operands: Operands::exactly(&["operand"]),
                argument: None,
                attrs: &[],
                rules: &[Rule {
                    label: "elementwise-type",
                    says: "rule-element-type",
                    broken_by: concat!("x = ", $wrong, "[2] parameter(0) ROOT r = ", $opcode, "(x)"),
                }],
                examples: &[Example {
                    hlo: concat!("x = ", $input, " ROOT r = ", $opcode, "(x)"),
                    result: $result,
                }],
            },
            code: $code,
            takes: Takes($takes),
            gives: Gives::$gives,
            eval: |_numbers, value| $eval(value),
        };)*

        /// All rows.
        pub static UNARY: &[&dyn OpDef] = &[$(&&$name,)*];
    };
}

/// Real numbers by one function, complex ones by another; the classes were checked before.
fn by(value: Value, of_real: fn(f64) -> f64, of_complex: fn(complex::C) -> complex::C) -> Value {
    match value {
        Float(x) => Float(of_real(x)),
        Complex(re, im) => {
            let complex::C(re, im) = of_complex(complex::C(re, im));
            Complex(re, im)
        }
        other => other,
    }
}

fn only_real(value: Value, f: fn(f64) -> f64) -> Value {
    by(value, f, |z| z)
}

fn abs(value: Value) -> Value {
    match value {
        Int(n) => Int(n.wrapping_abs()),
        Complex(re, im) => Float(libm::hypot(re, im)),
        other => only_real(other, f64::abs),
    }
}

fn negate(value: Value) -> Value {
    match value {
        Int(n) => Int(n.wrapping_neg()),
        Uint(n) => Uint(n.wrapping_neg()),
        other => by(other, |x| -x, |complex::C(re, im)| complex::C(-re, -im)),
    }
}

fn sign(value: Value) -> Value {
    if let Int(n) = value { Int(n.signum()) } else { by(value, real::sign, complex::sign) }
}

fn not(value: Value) -> Value {
    match value {
        Pred(truth) => Pred(!truth),
        Int(n) => Int(!n),
        Uint(n) => Uint(!n),
        other => other,
    }
}

fn is_finite(value: Value) -> Value {
    Pred(matches!(value, Float(x) if x.is_finite()))
}

fn real_part(value: Value) -> Value {
    if let Complex(re, _) = value { Float(re) } else { value }
}

fn imaginary_part(value: Value) -> Value {
    if let Complex(_, im) = value { Float(im) } else { Float(0.0) }
}

rows! {
    ABS "abs" "Abs" "op-abs" "out[i] = |operand[i]|", called("abs", "lax.abs", "np.abs"),
        SIGNED | FLOAT | COMPLEX, "u32", Component, "f32[2] constant({-1.5, 2})" => "f32[2] {1.5, 2}", abs;
    NEGATE "negate" "Neg" "op-negate" "out[i] = -operand[i]", called("neg", "lax.neg", "np.negative"),
        INTEGER | FLOAT | COMPLEX, "pred", Same, "s8[3] constant({1, 0, -128})" => "s8[3] {-1, 0, -128}", negate;
    SIGN "sign" "Sign" "op-sign" "out[i] = sgn(operand[i])", called("sign", "lax.sign", "np.sign").numpy_of(SIGNED | COMPLEX),
        SIGNED | FLOAT | COMPLEX, "u8", Same, "f32[3] constant({-7, 0, 2})" => "f32[3] {-1, 0, 1}", sign;
    CEIL "ceil" "Ceil" "op-ceil" "out[i] = ⌈operand[i]⌉", called("ceil", "lax.ceil", "np.ceil"),
        FLOAT, "c64", Same, "f32[2] constant({1.25, -1.25})" => "f32[2] {2, -1}",
        |v| only_real(v, libm::ceil);
    FLOOR "floor" "Floor" "op-floor" "out[i] = ⌊operand[i]⌋", called("floor", "lax.floor", "np.floor"),
        FLOAT, "s32", Same, "f32[2] constant({1.25, -1.25})" => "f32[2] {1, -2}",
        |v| only_real(v, libm::floor);
    ROUND_AFZ "round-nearest-afz" "RoundNearestAfz" "op-round-nearest-afz" "out[i] = round(operand[i])", called("", "lax.round({}, lax.RoundingMethod.AWAY_FROM_ZERO)", ""),
        FLOAT, "s32", Same, "f32[3] constant({0.5, -0.5, 2.5})" => "f32[3] {1, -1, 3}",
        |v| only_real(v, libm::round);
    ROUND_EVEN "round-nearest-even" "RoundNearestEven" "op-round-nearest-even" "out[i] = round_even(operand[i])", called("", "lax.round({}, lax.RoundingMethod.TO_NEAREST_EVEN)", "np.rint"),
        FLOAT, "s32", Same, "f32[3] constant({0.5, 1.5, 2.5})" => "f32[3] {0, 2, 2}",
        |v| only_real(v, f64::round_ties_even);
    EXPONENTIAL "exponential" "Exp" "op-exponential" "out[i] = e^operand[i]", called("exp", "lax.exp", "np.exp"),
        FLOAT | COMPLEX, "s32", Same, "f32[2] constant({0, 1})" => "f32[2] {1, 2.71828183}",
        |v| by(v, libm::exp, complex::exp);
    EXPM1 "exponential-minus-one" "Expm1" "op-exponential-minus-one" "out[i] = e^operand[i] - 1", called("", "lax.expm1", "np.expm1"),
        FLOAT | COMPLEX, "s32", Same, "f32[2] constant({0, 1})" => "f32[2] {0, 1.71828183}",
        |v| by(v, libm::expm1, complex::expm1);
    LOG "log" "Log" "op-log" "out[i] = ln(operand[i])", called("log", "lax.log", "np.log"),
        FLOAT | COMPLEX, "s32", Same, "f32[2] constant({1, 0})" => "f32[2] {0, -inf}",
        |v| by(v, libm::log, complex::log);
    LOG1P "log-plus-one" "Log1p" "op-log-plus-one" "out[i] = ln(1 + operand[i])", called("", "lax.log1p", "np.log1p"),
        FLOAT | COMPLEX, "s32", Same, "f32[2] constant({0, -1})" => "f32[2] {0, -inf}",
        |v| by(v, libm::log1p, complex::log1p);
    LOGISTIC "logistic" "Logistic" "op-logistic" "out[i] = 1 / (1 + e^-operand[i])", called("", "lax.logistic", "1 / (1 + np.exp(-{}))"),
        FLOAT | COMPLEX, "s32", Same, "f32[2] constant({0, inf})" => "f32[2] {0.5, 1}",
        |v| by(v, real::logistic, complex::logistic);
    TANH "tanh" "Tanh" "op-tanh" "out[i] = tanh(operand[i])", called("tanh", "lax.tanh", "np.tanh"),
        FLOAT | COMPLEX, "s32", Same, "f32[2] constant({0, inf})" => "f32[2] {0, 1}",
        |v| by(v, libm::tanh, complex::tanh);
    SINE "sine" "Sin" "op-sine" "out[i] = sin(operand[i])", called("", "lax.sin", "np.sin"),
        FLOAT | COMPLEX, "s32", Same, "f32[2] constant({0, 1})" => "f32[2] {0, 0.841470985}",
        |v| by(v, libm::sin, complex::sin);
    COSINE "cosine" "Cos" "op-cosine" "out[i] = cos(operand[i])", called("cos", "lax.cos", "np.cos"),
        FLOAT | COMPLEX, "s32", Same, "f32[2] constant({0, 1})" => "f32[2] {1, 0.540302306}",
        |v| by(v, libm::cos, complex::cos);
    TAN "tan" "Tan" "op-tan" "out[i] = tan(operand[i])", called("", "lax.tan", "np.tan"),
        FLOAT | COMPLEX, "s32", Same, "f32[2] constant({0, 1})" => "f32[2] {0, 1.55740772}",
        |v| by(v, libm::tan, complex::tan);
    ERF "erf" "Erf" "op-erf" "out[i] = erf(operand[i])", called("", "lax.erf", ""),
        FLOAT, "s32", Same, "f32[2] constant({0, 1})" => "f32[2] {0, 0.842700793}",
        |v| only_real(v, libm::erf);
    SQRT "sqrt" "Sqrt" "op-sqrt" "out[i] = √operand[i]", called("", "lax.sqrt", "np.sqrt"),
        FLOAT | COMPLEX, "s32", Same, "f32[2] constant({4, -1})" => "f32[2] {2, nan}",
        |v| by(v, libm::sqrt, complex::sqrt);
    RSQRT "rsqrt" "Rsqrt" "op-rsqrt" "out[i] = 1 / √operand[i]", called("", "lax.rsqrt", "1 / np.sqrt({})"),
        FLOAT | COMPLEX, "s32", Same, "f32[2] constant({4, 0})" => "f32[2] {0.5, inf}",
        |v| by(v, real::rsqrt, complex::rsqrt);
    CBRT "cbrt" "Cbrt" "op-cbrt" "out[i] = ∛operand[i]", called("", "lax.cbrt", "np.cbrt"),
        FLOAT, "s32", Same, "f32[2] constant({8, -27})" => "f32[2] {2, -3}",
        |v| only_real(v, libm::cbrt);
    IS_FINITE "is-finite" "IsFinite" "op-is-finite" "out[i] = operand[i] is neither infinite nor NaN", called("is_finite", "lax.is_finite", "np.isfinite"),
        FLOAT, "s32", Truth, "f32[3] constant({1, inf, nan})" => "pred[3] {1, 0, 0}", is_finite;
    NOT "not" "LogicalNot" "op-not" "out[i] = ¬operand[i]", called("logical_not", "lax.bitwise_not", "np.invert"),
        PRED | INTEGER, "f32", Same, "s8[2] constant({0, 5})" => "s8[2] {-1, -6}", not;
    REAL "real" "Real" "op-real" "out[i] = Re operand[i]", called("", "lax.real", "np.real").jax_of(COMPLEX),
        FLOAT | COMPLEX, "s32", Component, "c64[1] constant({(1, 2)})" => "f32[1] {1}", real_part;
    IMAG "imag" "Imag" "op-imag" "out[i] = Im operand[i]", called("", "lax.imag", "np.imag").jax_of(COMPLEX),
        FLOAT | COMPLEX, "s32", Component, "c64[1] constant({(1, 2)})" => "f32[1] {2}", imaginary_part;
}

/// The rows that count bits need the width of the type.
macro_rules! bit_rows {
    ($($name:ident $opcode:literal $title:literal $summary:literal $formula:literal, $code:expr, $result:literal, $eval:path;)*) => {
        $(static $name: Unary = Unary {
            meta: OpMeta {
                opcode: $opcode,
                title: $title,
                category: Category::Unary,
                summary: $summary,
                formula: $formula,
                operands: Operands::exactly(&["operand"]),
                argument: None,
                attrs: &[],
                rules: &[Rule {
                    label: "elementwise-type",
                    says: "rule-element-type",
                    broken_by: concat!("x = pred[2] parameter(0) ROOT r = ", $opcode, "(x)"),
                }],
                examples: &[Example {
                    hlo: concat!("x = s8[3] constant({0, 5, -1}) ROOT r = ", $opcode, "(x)"),
                    result: $result,
                }],
            },
            code: $code,
            takes: Takes(INTEGER),
            gives: Gives::Same,
            eval: |numbers, value| $eval(numbers.element_type, value),
        };)*

        /// The rows that look at the bits of integers.
        pub static BITS: &[&dyn OpDef] = &[$(&&$name,)*];
    };
}

bit_rows! {
    POPCNT "popcnt" "PopulationCount" "op-popcnt" "out[i] = number of ones in operand[i]", called("", "lax.population_count", "np.bitwise_count({}).astype({}.dtype)").numpy_of(UNSIGNED),
        "s8[3] {0, 2, 8}", integer::ones;
    CLZ "count-leading-zeros" "Clz" "op-count-leading-zeros" "out[i] = zeros before the first one of operand[i]", called("", "lax.clz", ""),
        "s8[3] {8, 5, 0}", integer::leading_zeros;
}
