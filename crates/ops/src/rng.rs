//! `rng`: see [`Rng`].

use super::fill::fill;
use super::random::philox_block;
use super::{
    AttrKind, AttrSpec, AttrValue, Attrs, Category, CellAt, Data, Distribution, EagerOp, Example, Formula,
    History, HostExample, HostSetup, OpContext, OpDef, OpError, OpMeta, OpPart, Operands, Role, Rule, Run,
    Semantics, Source,
};
use xla_array::float_format::FloatFormat;
use xla_array::value::integer_range;
use xla_array::{ArrayShape, ElementType, Shape, Value};
use xla_messages::bug;
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// An array of random numbers: uniform in `[a, b)`, or normal with mean `mu` and standard deviation `sigma`.
///
/// XLA does not specify the stream. Here it is Philox4x32-10 with the run's seed as key: every execution of an
/// instruction, in loops and calls too, draws new numbers, and the same seed gives the same numbers on every machine.
/// An empty range of integers yields `a`; one whose end is less than its start wraps around the type. The shape must be
/// written. `RngBernoulli` of 2017 is a comparison of uniform numbers with the mean. Source: `RngNormal` and
/// `RngUniform` of XLA's operation semantics; `ShapeInference::InferRngShape`, XLA's `RngExpander`.
pub struct Rng;

static META: OpMeta = OpMeta {
    opcode: "rng",
    title: "RngUniform, RngNormal",
    search_terms: &["RngBernoulli"],
    sections: &["RngUniform", "RngNormal"],
    category: Category::Source,
    history: History::UNCHANGED,
    summary: "op-rng",
    formula: Formula::Words("formula-rng"),
    operands: Operands::exactly(&["a or mu", "b or sigma"]),
    inline_attr: None,
    attrs: &[AttrSpec::required(
        "distribution",
        AttrKind::Keyword(&["rng_uniform", "rng_normal"]),
        "attr-distribution",
    )],
    rules: &[
        Rule {
            identifier: "rng-1",
            description: "rule-rng-scalars",
            violated_by: "a = f32[1] parameter(0) b = f32[] parameter(1) ROOT r = f32[3] rng(a, b), distribution=rng_uniform",
        },
        Rule {
            identifier: "rng-2",
            description: "rule-same-type",
            violated_by: "a = f32[] parameter(0) b = s32[] parameter(1) ROOT r = f32[3] rng(a, b), distribution=rng_uniform",
        },
        Rule {
            identifier: "rng-3",
            description: "rule-rng-type",
            violated_by: "a = s32[] parameter(0) ROOT r = s32[3] rng(a, a), distribution=rng_normal",
        },
    ],
    examples: &[
// Throws of a die: the seed is 0.
        Example {
 title: "shows-die",
            hlo: "a = s32[] constant(1) b = s32[] constant(7) ROOT r = s32[8] rng(a, b), distribution=rng_uniform",
            result: "s32[8] {1, 6, 5, 4, 3, 6, 3, 1}",
        },
Example {
 title: "shows-normal-without-spread",
            hlo: "mu = f32[] constant(2.5) sigma = f32[] constant(0) ROOT r = f32[3] rng(mu, sigma), distribution=rng_normal",
            result: "f32[3] {2.5, 2.5, 2.5}",
        },
// RngBernoulli of 2017: u32, 1 with probability `mean`.
        Example {
 title: "shows-bernoulli",
            hlo: "zero = f32[] constant(0) one = f32[] constant(1) u = f32[4] rng(zero, one), distribution=rng_uniform
                  mean = f32[] constant(1) means = f32[4] broadcast(mean), dimensions={}
                  less = compare(u, means), direction=LT ROOT r = u32[4] convert(less)",
            result: "u32[4] {1, 1, 1, 1}",
        },
],
};

/// Enough numbers to show their distribution. The results are not stated, since XLA does not specify the stream.
static HOST_EXAMPLES: &[HostExample] = &[
    HostExample {
        title: "shows-many-normal",
        hlo: "HloModule many_normal_numbers

ENTRY draw {
  mu = f32[] parameter(0)
  sigma = f32[] parameter(1)
  ROOT numbers = f32[32,32] rng(mu, sigma), distribution=rng_normal
}
",
        values: &[&["0", "1"]],
        infeed: &[],
        functions: &[],
        replicas: 1,
        results: &[],
    },
    HostExample {
        title: "shows-many-uniform",
        hlo: "HloModule many_uniform_numbers

ENTRY draw {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT numbers = f32[32,32] rng(a, b), distribution=rng_uniform
}
",
        values: &[&["-1", "3"]],
        infeed: &[],
        functions: &[],
        replicas: 1,
        results: &[],
    },
];

/// A number in `[0, 1)` of this many bits, at most 53.
#[allow(clippy::cast_precision_loss, reason = "53 bits are exact")]
fn unit_interval(random: u64, bits: u32) -> f64 {
    let fraction = random >> (64 - bits);
    fraction as f64 / (1_u64 << bits) as f64
}

/// The greatest value of the float type below `value`.
fn next_below(element_type: ElementType, value: f64) -> f64 {
    let Some(format) = FloatFormat::of(element_type) else { return value };
    let code = format.encode(value);
    format.decode(if value > 0.0 {
        code - 1
    } else if value < 0.0 {
        code + 1
    } else {
        format.sign_mask() | format.min_positive()
    })
}

/// A float in `[a, b)`.
fn uniform(element_type: ElementType, a: f64, b: f64, random: u64) -> Value {
    let digits = FloatFormat::of(element_type).map_or(53, |format| u32::from(format.mantissa_bits) + 1);
    let u = unit_interval(random, digits.clamp(8, 53));
    let range = b - a;
    // If `b - a` overflows, interpolate.
    let value = if range.is_finite() { a + range * u } else { a * (1.0 - u) + b * u };
    let rounded = Value::Float(value).convert(element_type);
    match rounded {
        // Rounding may reach `b`, which is exclusive.
        Value::Float(x) if a < b && x >= b => Value::Float(next_below(element_type, b).max(a)),
        other => other,
    }
}

/// An integer in `[a, b)`, modulo the number of values of the type.
fn uniform_integer(element_type: ElementType, a: Value, b: Value, random: u128) -> Value {
    let wide = |value: Value| match value {
        Value::Int(x) => i128::from(x),
        Value::Uint(x) => i128::from(x),
        Value::Pred(_) | Value::Float(_) | Value::Complex(..) => {
            bug!("{value:?} is not an integer bound");
            0
        }
    };
    let Some((low, high)) = integer_range(element_type) else { return a };
    let type_range = high - low + 1;
    let range = (wide(b) - wide(a)).rem_euclid(type_range);
    if range == 0 {
        return a;
    }
    // A range has at most 64 bits, so the remainder of 127 bits is uniform to 2^-63.
    let offset = i128::try_from(random >> 1).or_bug(0, "127 bits exceed an i128") % range;
    let code = (wide(a) - low + offset).rem_euclid(type_range) + low;
    if let Ok(code) = i64::try_from(code) {
        Value::Int(code).convert(element_type)
    } else {
        Value::Uint(u64::try_from(code).or_bug(0, "a code outside the range of its type"))
            .convert(element_type)
    }
}

/// A standard normal number, by the Box–Muller transform.
fn normal(first: u64, second: u64) -> f64 {
    // In (0, 1], so that the logarithm is finite.
    let radius = libm::sqrt(-2.0 * libm::log(1.0 - unit_interval(first, 53)));
    radius * libm::cos(2.0 * std::f64::consts::PI * unit_interval(second, 53))
}

struct Draw {
    shape: ArrayShape,
    is_normal: bool,
}

impl EagerOp for Draw {
    fn evaluate(&self, operands: &[Data], run: &mut dyn Run) -> Result<Data, OpError> {
        let (seed, number) = run.draw();
        let scalar = |i: usize| operands.get(i).and_then(Data::as_array).and_then(|array| array.get(&[]));
        let [a, b] = [0, 1].map(|i| scalar(i).or_bug(Value::Int(0), "a bound is not a scalar"));
        let t = self.shape.element_type;
        // A Philox block of ten rounds per element costs about as much as 8 steps.
        fill("rng", &self.shape, run, 8, |element, _| {
            // One Philox block per element.
            let counter = u128::from(number) << 64 | u128::from(element.unsigned_abs());
            let block = philox_block(seed, counter).map(u64::from);
            let (first, second) = (block[0] | block[1] << 32, block[2] | block[3] << 32);
            match (a, b) {
                (Value::Float(mu), Value::Float(sigma)) if self.is_normal => {
                    Value::Float(mu + sigma * normal(first, second)).convert(t)
                }
                (Value::Float(a), Value::Float(b)) => uniform(t, a, b, first),
                _ => uniform_integer(t, a, b, u128::from(first) << 64 | u128::from(second)),
            }
        })
    }

    fn sources(&self, operands: &[Data], _: &CellAt, _: &mut dyn Run) -> Result<Vec<Source>, OpError> {
        let source = |operand| Source { operand, cell: CellAt::array(&[]), role: Role::Value };
        Ok((0..operands.len()).map(source).collect())
    }
}

impl OpDef for Rng {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let result = cx.explicit_result_array()?;
        let parameters = cx.arrays()?;
        for (i, parameter) in parameters.iter().enumerate() {
            if parameter.rank() != 0 {
                let message = Message::ops("op-scalar")
                    .with("operand", cx.label(i))
                    .with("shape", parameter.human_string());
                return Err(cx.error("rng-1", message).at_operand(i));
            }
            if parameter.element_type != parameters[0].element_type {
                return Err(cx.type_mismatch("rng-2", i));
            }
        }
        let t = cx.array(0)?.element_type;
        if result.element_type != t {
            let message = Message::ops("op-result-type")
                .with("found", result.element_type.to_string())
                .with("expected", t.to_string());
            let fix = ArrayShape::new(t, result.dimensions.iter().copied()).human_string();
            return Err(cx.error("rng-2", message).at(OpPart::Result).with_fix(OpPart::Result, fix));
        }
        let is_normal = cx.keyword("distribution") == Some("rng_normal");
        let supported = if is_normal { "floating" } else { "floating, signed, unsigned" };
        if !(t.is_floating() || t.is_integral() && !is_normal) {
            let message = Message::ops("op-element-type")
                .with("op", cx.keyword("distribution").unwrap_or(cx.meta.opcode))
                .with("found", t.to_string())
                .with("supported", supported);
            return Err(cx.error("rng-3", message).at_operand(0));
        }
        Ok(Shape::Array(result.clone()))
    }

    fn host_setup(&self, _: &Attrs, _: &Shape) -> HostSetup {
        HostSetup::Seed
    }

    fn distribution(&self, attrs: &Attrs, operands: &[Data]) -> Option<Distribution> {
        let scalar = |i: usize| match operands.get(i)?.as_array()?.get(&[])? {
            Value::Float(x) => Some(x),
            Value::Int(x) => f64::from(i32::try_from(x).ok()?).into(),
            Value::Uint(x) => f64::from(u32::try_from(x).ok()?).into(),
            _ => None,
        };
        let is_normal = attrs.get("distribution") == Some(&AttrValue::Keyword("rng_normal"));
        let kind = if is_normal { Distribution::Normal } else { Distribution::Uniform };
        Some(kind(scalar(0)?, scalar(1)?))
    }

    fn host_examples(&self) -> &'static [HostExample] {
        HOST_EXAMPLES
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let is_normal = cx.keyword("distribution") == Some("rng_normal");
        Ok(Semantics::Eager(Box::new(Draw { shape: cx.explicit_result_array()?.clone(), is_normal })))
    }
}
