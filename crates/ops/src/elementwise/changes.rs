//! The differences of element-wise ops in XLA 2017, each with an example.

use super::super::{Change, EditionExample, ExampleOutcome, Formula};

/// A difference in the element types that an op supports.
const fn type_change(
    [v2017, current]: [&'static str; 2],
    hlo: &'static str,
    outcomes: [ExampleOutcome; 2],
) -> Change {
    let [outcome_2017, outcome_current] = outcomes;
    let example =
        EditionExample { title: "difference-types", hlo, v2017: outcome_2017, current: outcome_current };
    Change { formula: None, v2017, current, example }
}

const TYPE_ERROR: ExampleOutcome = ExampleOutcome::Error("elementwise-type");

pub(super) static ABS: Change = type_change(
    ["then-unsigned", "now-unsigned"],
    "x = u8[2] constant({0, 9}) ROOT r = abs(x)",
    [ExampleOutcome::Value("u8[2] {0, 9}"), TYPE_ERROR],
);

pub(super) static NOT: Change = type_change(
    ["then-logical", "now-logical"],
    "x = s8[2] constant({0, 5}) ROOT r = not(x)",
    [TYPE_ERROR, ExampleOutcome::Value("s8[2] {-1, -6}")],
);

pub(super) static AND: Change = type_change(
    ["then-logical", "now-logical"],
    "a = u8[2] constant({12, 1}) b = u8[2] constant({10, 0}) ROOT r = and(a, b)",
    [TYPE_ERROR, ExampleOutcome::Value("u8[2] {8, 0}")],
);

pub(super) static OR: Change = type_change(
    ["then-logical", "now-logical"],
    "a = u8[2] constant({12, 1}) b = u8[2] constant({10, 0}) ROOT r = or(a, b)",
    [TYPE_ERROR, ExampleOutcome::Value("u8[2] {14, 1}")],
);

pub(super) static SIGN: Change = Change {
    formula: Some(Formula::Symbols("out[i] = (0 < operand[i]) - (operand[i] < 0)")),
    v2017: "then-sign",
    current: "now-sign",
    example: EditionExample {
        title: "difference-sign",
        hlo: "x = f32[3] constant({nan, -0.0, -2}) ROOT r = sign(x)",
        v2017: ExampleOutcome::Value("f32[3] {0, 0, -1}"),
        current: ExampleOutcome::Value("f32[3] {nan, -0.0, -1}"),
    },
};

/// The difference that XLA 2017 ignores a NaN operand, in the op of `hlo`.
const fn ignored_nan(hlo: &'static str) -> Change {
    let (v2017, current) =
        (ExampleOutcome::Value("f32[2] {1, 0}"), ExampleOutcome::Value("f32[2] {nan, nan}"));
    let example = EditionExample { title: "difference-nan", hlo, v2017, current };
    Change { formula: None, v2017: "then-nan", current: "now-nan", example }
}

pub(super) static MAXIMUM: Change =
    ignored_nan("a = f32[2] constant({1, nan}) b = f32[2] constant({nan, 0}) ROOT r = maximum(a, b)");

pub(super) static MINIMUM: Change =
    ignored_nan("a = f32[2] constant({1, nan}) b = f32[2] constant({nan, 0}) ROOT r = minimum(a, b)");
