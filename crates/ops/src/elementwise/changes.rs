//! Where XLA 2017 differed in element-wise ops, each with an example that shows it.

use super::super::{Change, EditionExample, ExampleOutcome, Formula};

/// A difference in the element types that an op takes.
const fn types(
    [v2017, current]: [&'static str; 2],
    hlo: &'static str,
    outcomes: [ExampleOutcome; 2],
) -> Change {
    let [first, second] = outcomes;
    let example = EditionExample { title: "difference-types", hlo, v2017: first, current: second };
    Change { formula: None, v2017, current, example }
}

const REFUSED: ExampleOutcome = ExampleOutcome::Error("elementwise-type");

pub(super) static ABS: Change = types(
    ["then-unsigned", "now-unsigned"],
    "x = u8[2] constant({0, 9}) ROOT r = abs(x)",
    [ExampleOutcome::Value("u8[2] {0, 9}"), REFUSED],
);

pub(super) static NOT: Change = types(
    ["then-logical", "now-logical"],
    "x = s8[2] constant({0, 5}) ROOT r = not(x)",
    [REFUSED, ExampleOutcome::Value("s8[2] {-1, -6}")],
);

pub(super) static AND: Change = types(
    ["then-logical", "now-logical"],
    "a = u8[2] constant({12, 1}) b = u8[2] constant({10, 0}) ROOT r = and(a, b)",
    [REFUSED, ExampleOutcome::Value("u8[2] {8, 0}")],
);

pub(super) static OR: Change = types(
    ["then-logical", "now-logical"],
    "a = u8[2] constant({12, 1}) b = u8[2] constant({10, 0}) ROOT r = or(a, b)",
    [REFUSED, ExampleOutcome::Value("u8[2] {14, 1}")],
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

/// The number or the NaN that `hlo` gives of a NaN beside a number.
const fn nan(hlo: &'static str) -> Change {
    let (v2017, current) =
        (ExampleOutcome::Value("f32[2] {1, 0}"), ExampleOutcome::Value("f32[2] {nan, nan}"));
    let example = EditionExample { title: "difference-nan", hlo, v2017, current };
    Change { formula: None, v2017: "then-nan", current: "now-nan", example }
}

pub(super) static MAXIMUM: Change =
    nan("a = f32[2] constant({1, nan}) b = f32[2] constant({nan, 0}) ROOT r = maximum(a, b)");

pub(super) static MINIMUM: Change =
    nan("a = f32[2] constant({1, nan}) b = f32[2] constant({nan, 0}) ROOT r = minimum(a, b)");
