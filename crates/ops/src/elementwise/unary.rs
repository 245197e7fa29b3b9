//! The table rows of unary ops, in groups that support the same element types.

use super::super::{Category, Example, Formula, History, OpDef, OpMeta, Operands, Rule};
use super::{
    COMPLEX, ElementContext, FLOAT, INTEGER, PRED, ResultType, SIGNED, TypeClasses, UNSIGNED, Unary,
    functions, unexpected,
};
use super::{changes, complex, headings, integer, real};
use xla_array::ElementType;
use xla_array::Value::{self, Complex, Float, Int, Pred, Uint};

fn pair(complex::Complex(re, im): complex::Complex) -> Value {
    Complex(re, im)
}

/// Applies one function to real numbers, another to complex numbers; other classes were rejected before.
fn by_class(
    value: Value,
    of_real: fn(f64) -> f64,
    of_complex: fn(complex::Complex) -> complex::Complex,
) -> Value {
    match value {
        Float(x) => Float(of_real(x)),
        Complex(re, im) => pair(of_complex(complex::Complex(re, im))),
        other => unexpected(other),
    }
}

/// The maximum finite value of the parts of a complex type.
fn max_finite(cx: ElementContext) -> f64 {
    if cx.element_type == ElementType::C64 { f32::MAX.into() } else { f64::MAX }
}

fn sine(cx: ElementContext, value: Value) -> Value {
    match value {
        Complex(re, im) => pair(complex::sin(complex::Complex(re, im), max_finite(cx))),
        other => by_class(other, real::sin, |z| z),
    }
}

fn cosine(cx: ElementContext, value: Value) -> Value {
    match value {
        Complex(re, im) => pair(complex::cos(complex::Complex(re, im), max_finite(cx))),
        other => by_class(other, real::cos, |z| z),
    }
}

fn abs(_: ElementContext, value: Value) -> Value {
    match value {
        Int(n) => Int(n.wrapping_abs()),
        Uint(_) => value,
        Complex(re, im) => Float(complex::abs(complex::Complex(re, im))),
        other => by_class(other, f64::abs, |z| z),
    }
}

fn negate(_: ElementContext, value: Value) -> Value {
    match value {
        Int(n) => Int(n.wrapping_neg()),
        Uint(n) => Uint(n.wrapping_neg()),
        other => by_class(other, |x| -x, |complex::Complex(re, im)| complex::Complex(-re, -im)),
    }
}

fn sign(_: ElementContext, value: Value) -> Value {
    if let Int(n) = value { Int(n.signum()) } else { by_class(value, real::sign, complex::sign) }
}

fn not(_: ElementContext, value: Value) -> Value {
    match value {
        Pred(truth) => Pred(!truth),
        Int(n) => Int(!n),
        Uint(n) => Uint(!n),
        other => unexpected(other),
    }
}

fn is_finite(_: ElementContext, value: Value) -> Value {
    Pred(matches!(value, Float(x) if x.is_finite()))
}

fn real_part(_: ElementContext, value: Value) -> Value {
    if let Complex(re, _) = value { Float(re) } else { value }
}

fn imaginary_part(_: ElementContext, value: Value) -> Value {
    if let Complex(_, im) = value { Float(im) } else { Float(0.0) }
}

fn population_count(cx: ElementContext, value: Value) -> Value {
    integer::population_count(cx.element_type, value)
}

fn leading_zeros(cx: ElementContext, value: Value) -> Value {
    integer::leading_zeros(cx.element_type, value)
}

/// A formula without words.
macro_rules! symbols {
    ($formula:literal) => {
        Formula::Symbols(concat!("out[i] = ", $formula))
    };
}

/// `LIST: NAME "opcode" "Title" "formula", functions in other languages, supported classes, "an unsupported type",
/// result type, "operand" => "result", eval;`
macro_rules! rows {
    ($list:ident: $($name:ident $opcode:literal $title:literal $formula:expr, $functions:expr,
       $supported:expr, $wrong:literal, $result_type:ident, $input:expr => $result:expr, $eval:expr, $history:expr;)*) => {
        $(static $name: Unary = Unary {
            meta: OpMeta {
                opcode: $opcode,
                title: $title,
                search_terms: headings::search_terms($title),
                sections: {
                    const HEADING: &str = headings::section($title);
                    if HEADING.is_empty() { &[] } else { &[HEADING] }
                },
                category: Category::Unary,
                history: $history,
                summary: concat!("op-", $opcode),
                formula: $formula,
                operands: Operands::exactly(&["operand"]),
                inline_attr: None,
                attrs: &[],
                rules: &[Rule {
                    identifier: "elementwise-type",
                    description: "rule-element-type",
                    violated_by: concat!("x = ", $wrong, "[2] parameter(0) ROOT r = ", $opcode, "(x)"),
                }],
                examples: &[Example {
                    title: "shows-elements",
                    hlo: concat!("x = ", $input, " ROOT r = ", $opcode, "(x)"),
                    result: $result,
                }],
            },
            functions: $functions,
            supported: TypeClasses($supported),
            result_type: ResultType::$result_type,
            eval: $eval,
        };)*

        /// Rows of one operand.
        pub static $list: &[&dyn OpDef] = &[$(&&$name,)*];
    };
}

/// Rows of floats: `NAME "opcode" "Title" function "formula", functions in other languages, "operand" => "result";`,
/// the function one of [`real`].
macro_rules! real_rows {
    ($($name:ident $opcode:literal $title:literal $f:ident $formula:literal, $functions:expr, $in:literal => $out:literal, $history:expr;)*) => {
        rows! { REAL: $($name $opcode $title symbols!($formula), $functions, FLOAT, "s32", Same,
            concat!("f32[2] constant(", $in, ")") => concat!("f32[2] ", $out), |_, v| by_class(v, real::$f, |z| z), $history;)* }
    };
}

/// Rows of floats and complex numbers, as [`real_rows`]; [`complex`] has a function of the same name.
macro_rules! complex_rows {
    ($($name:ident $opcode:literal $title:literal $f:ident $formula:literal, $functions:expr, $in:literal => $out:literal, $history:expr;)*) => {
        rows! { ANALYTIC: $($name $opcode $title symbols!($formula), $functions, FLOAT | COMPLEX, "s32", Same,
            concat!("f32[2] constant(", $in, ")") => concat!("f32[2] ", $out), |_, v| by_class(v, real::$f, complex::$f), $history;)* }
    };
}

rows! { UNARY:
    ABS "abs" "Abs" symbols!("|operand[i]|"), functions("abs", "lax.abs", "np.abs"),
        SIGNED | FLOAT | COMPLEX, "u32", Real, "f32[2] constant({-1.5, 2})" => "f32[2] {1.5, 2}", abs, History::changed(&changes::ABS);
    NEGATE "negate" "Neg" symbols!("-operand[i]"), functions("neg", "lax.neg", "np.negative"),
        INTEGER | FLOAT | COMPLEX, "pred", Same, "s8[3] constant({1, 0, -128})" => "s8[3] {-1, 0, -128}", negate, History::UNCHANGED;
    SIGN "sign" "Sign" symbols!("sgn(operand[i])"), functions("sign", "lax.sign", "np.sign").numpy_for(SIGNED | COMPLEX),
        SIGNED | FLOAT | COMPLEX, "u8", Same, "f32[3] constant({-7, 0, 2})" => "f32[3] {-1, 0, 1}", sign, History::changed(&changes::SIGN);
    SINE "sine" "Sin" symbols!("sin(operand[i])"), functions("", "lax.sin", "np.sin"),
        FLOAT | COMPLEX, "s32", Same, "f32[2] constant({0, 1})" => "f32[2] {0, 0.841470985}", sine, History::not_in_2017("instead-sine");
    COSINE "cosine" "Cos" symbols!("cos(operand[i])"), functions("cos", "lax.cos", "np.cos"),
        FLOAT | COMPLEX, "s32", Same, "f32[2] constant({0, 1})" => "f32[2] {1, 0.540302306}", cosine, History::UNCHANGED;
    IS_FINITE "is-finite" "IsFinite" Formula::Words("formula-is-finite"), functions("is_finite", "lax.is_finite", "np.isfinite"),
        FLOAT, "s32", Pred, "f32[3] constant({1, inf, nan})" => "pred[3] {1, 0, 0}", is_finite, History::UNCHANGED;
    NOT "not" "LogicalNot" symbols!("¬operand[i]"), functions("logical_not", "lax.bitwise_not", "np.invert"),
        PRED | INTEGER, "f32", Same, "pred[2] constant({0, 1})" => "pred[2] {1, 0}", not, History::changed(&changes::NOT);
    REAL_PART "real" "Real" symbols!("Re operand[i]"), functions("", "lax.real", "np.real").jax_for(COMPLEX),
        FLOAT | COMPLEX, "s32", Real, "c64[1] constant({(1, 2)})" => "f32[1] {1}", real_part, History::not_in_2017("instead-complex");
    IMAG "imag" "Imag" symbols!("Im operand[i]"), functions("", "lax.imag", "np.imag").jax_for(COMPLEX),
        FLOAT | COMPLEX, "s32", Real, "c64[1] constant({(1, 2)})" => "f32[1] {2}", imaginary_part, History::not_in_2017("instead-complex");
    POPCNT "popcnt" "PopulationCount" Formula::Words("formula-popcnt"), functions("", "lax.population_count", "np.bitwise_count({}).astype({}.dtype)").numpy_for(UNSIGNED),
        INTEGER, "pred", Same, "s8[3] constant({0, 5, -1})" => "s8[3] {0, 2, 8}", population_count, History::NEWER;
    CLZ "count-leading-zeros" "Clz" Formula::Words("formula-count-leading-zeros"), functions("", "lax.clz", ""),
        INTEGER, "pred", Same, "s8[3] constant({0, 5, -1})" => "s8[3] {8, 5, 0}", leading_zeros, History::NEWER;
}

real_rows! {
    CEIL "ceil" "Ceil" ceil "⌈operand[i]⌉", functions("ceil", "lax.ceil", "np.ceil"),
        "{1.25, -1.25}" => "{2, -1}", History::UNCHANGED;
    FLOOR "floor" "Floor" floor "⌊operand[i]⌋", functions("floor", "lax.floor", "np.floor"),
        "{1.25, -1.25}" => "{1, -2}", History::UNCHANGED;
    ROUND_AFZ "round-nearest-afz" "RoundNearestAfz" round "round(operand[i])", functions("", "lax.round({}, lax.RoundingMethod.AWAY_FROM_ZERO)", ""),
        "{0.5, 2.5}" => "{1, 3}", History::not_in_2017("instead-round");
    ROUND_EVEN "round-nearest-even" "RoundNearestEven" round_even "round_even(operand[i])", functions("", "lax.round({}, lax.RoundingMethod.TO_NEAREST_EVEN)", "np.rint"),
        "{0.5, 1.5}" => "{0, 2}", History::not_in_2017("instead-round");
    ERF "erf" "Erf" erf "erf(operand[i])", functions("", "lax.erf", ""),
        "{0, 1}" => "{0, 0.842700793}", History::NEWER;
    CBRT "cbrt" "Cbrt" cbrt "∛operand[i]", functions("", "lax.cbrt", "np.cbrt"),
        "{8, -27}" => "{2, -3}", History::not_in_2017("instead-cbrt");
}

complex_rows! {
    EXPONENTIAL "exponential" "Exp" exp "e^operand[i]", functions("exp", "lax.exp", "np.exp"),
        "{0, 1}" => "{1, 2.71828183}", History::UNCHANGED;
    EXPM1 "exponential-minus-one" "Expm1" expm1 "e^operand[i] - 1", functions("", "lax.expm1", "np.expm1"),
        "{0, 1}" => "{0, 1.71828183}", History::not_in_2017("instead-expm1");
    LOG "log" "Log" log "ln(operand[i])", functions("log", "lax.log", "np.log"),
        "{1, 0}" => "{0, -inf}", History::UNCHANGED;
    LOG1P "log-plus-one" "Log1p" log1p "ln(1 + operand[i])", functions("", "lax.log1p", "np.log1p"),
        "{0, -1}" => "{0, -inf}", History::not_in_2017("instead-log1p");
    SQRT "sqrt" "Sqrt" sqrt "√operand[i]", functions("", "lax.sqrt", "np.sqrt"),
        "{4, -1}" => "{2, nan}", History::not_in_2017("instead-sqrt");
    RSQRT "rsqrt" "Rsqrt" rsqrt "1 / √operand[i]", functions("", "lax.rsqrt", "1 / np.sqrt({})"),
        "{4, 0}" => "{0.5, inf}", History::not_in_2017("instead-rsqrt");
    LOGISTIC "logistic" "Logistic" logistic "1 / (1 + e^-operand[i])", functions("", "lax.logistic", "1 / (1 + np.exp(-{}))"),
        "{0, inf}" => "{0.5, 1}", History::not_in_2017("instead-logistic");
    TAN "tan" "Tan" tan "tan(operand[i])", functions("", "lax.tan", "np.tan"),
        "{0, 1}" => "{0, 1.55740772}", History::not_in_2017("instead-tan");
    ASIN "asin" "Asin" asin "arcsin(operand[i])", functions("", "lax.asin", "np.arcsin"),
        "{0, 1}" => "{0, 1.57079633}", History::NEWER;
    ACOS "acos" "Acos" acos "arccos(operand[i])", functions("", "lax.acos", "np.arccos"),
        "{1, -1}" => "{0, 3.14159265}", History::NEWER;
    SINH "sinh" "Sinh" sinh "sinh(operand[i])", functions("", "lax.sinh", "np.sinh"),
        "{0, 1}" => "{0, 1.17520119}", History::not_in_2017("instead-hyperbolic");
    COSH "cosh" "Cosh" cosh "cosh(operand[i])", functions("", "lax.cosh", "np.cosh"),
        "{0, 1}" => "{1, 1.54308063}", History::not_in_2017("instead-hyperbolic");
    TANH "tanh" "Tanh" tanh "tanh(operand[i])", functions("tanh", "lax.tanh", "np.tanh"),
        "{0, inf}" => "{0, 1}", History::UNCHANGED;
    ASINH "asinh" "Asinh" asinh "arsinh(operand[i])", functions("", "lax.asinh", "np.arcsinh"),
        "{0, 1}" => "{0, 0.881373587}", History::NEWER;
    ACOSH "acosh" "Acosh" acosh "arcosh(operand[i])", functions("", "lax.acosh", "np.arccosh"),
        "{1, 2}" => "{0, 1.31695790}", History::NEWER;
    ATANH "atanh" "Atanh" atanh "artanh(operand[i])", functions("", "lax.atanh", "np.arctanh"),
        "{0, 0.5}" => "{0, 0.549306144}", History::NEWER;
}
