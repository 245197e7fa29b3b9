//! `rng-bit-generator`: see [`RngBitGenerator`].

use super::data::operand_array;
use super::export::tuple;
use super::fill::fill;
use super::random::{philox_stream, threefry_pair, threefry_word};
use super::{
    AttrKind, AttrSpec, Category, CellAt, Data, EagerOp, Example, ExportContext, Expression, Formula,
    History, Language, OpContext, OpDef, OpError, OpMeta, OpPart, Operands, Role, Rule, Run, Semantics,
    Source,
};
use xla_array::{ArrayLiteral, ArrayShape, ElementType, Shape, Value};
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// Random bits by a named algorithm, which depend on the state alone, and the next state.
///
/// The state is `u64[2]` (key, counter), or for Philox also `u64[3]` with a counter of 128 bits, the lower word first;
/// with `u64[2]` Philox uses the key as the upper word. `rng_default` is Philox, as on XLA's CPU. The bits equal XLA's:
/// Philox fills the array in row-major order; Threefry assigns the two words of each counter to adjacent elements along
/// the first dimension of even size, else along the longest. Elements narrower than 32 bits are the low bits of a word;
/// the others are discarded. The result is a tuple of state and bits, or the bits alone. Source:
/// `RngBitGenerator` of XLA's operation semantics; XLA's `RngBitGeneratorExpander`.
pub struct RngBitGenerator;

static META: OpMeta = OpMeta {
    opcode: "rng-bit-generator",
    title: "RngBitGenerator",
    search_terms: &["threefry", "philox", "random bits"],
    sections: &["RngBitGenerator"],
    category: Category::Source,
    history: History::not_in_2017("instead-rng"),
    summary: "op-rng-bit-generator",
    formula: Formula::Symbols("out = algorithm(key, counter + 0, counter + 1, ..)"),
    operands: Operands::exactly(&["initial state"]),
    inline_attr: None,
    attrs: &[AttrSpec::required(
        "algorithm",
        AttrKind::Keyword(&["rng_default", "rng_three_fry", "rng_philox"]),
        "attr-algorithm",
    )],
    rules: &[
        Rule {
            identifier: "rng-bit-generator-1",
            description: "rule-rng-state",
            violated_by: "s = u64[3] parameter(0) ROOT r = (u64[3], u32[5]) rng-bit-generator(s), algorithm=rng_three_fry",
        },
        Rule {
            identifier: "rng-bit-generator-2",
            description: "rule-rng-result",
            violated_by: "s = u64[2] parameter(0) ROOT r = (u64[3], u32[5]) rng-bit-generator(s), algorithm=rng_philox",
        },
        Rule {
            identifier: "rng-bit-generator-3",
            description: "rule-rng-bits",
            violated_by: "s = u64[2] parameter(0) ROOT r = (u64[2], c64[5]) rng-bit-generator(s), algorithm=rng_philox",
        },
    ],
    examples: &[
        Example {
            title: "shows-philox",
            hlo: "s = u64[2] constant({7, 9})
                  ROOT r = (u64[2], u32[3]) rng-bit-generator(s), algorithm=rng_philox",
            result: "(u64[2], u32[3]) ( {7, 10}, {2624491802, 3865826212, 2369117307} )",
        },
        Example {
            title: "shows-threefry",
            hlo: "s = u64[2] constant({7, 9})
                  ROOT r = (u64[2], u32[2,3]) rng-bit-generator(s), algorithm=rng_three_fry",
            result: "(u64[2], u32[2,3])
                     ( {7, 12}, { {2148922066, 17873132, 2218545827}, {1218255668, 884161837, 757886286} } )",
        },
    ],
};

struct Generator {
    is_threefry: bool,
    data: ArrayShape,
    /// Whether the state is part of the result.
    is_tuple: bool,
}

/// The decoded state.
#[derive(Clone, Copy)]
struct State {
    key: u64,
    counter: u128,
}

impl State {
    fn from_array(state: &ArrayLiteral) -> Self {
        let word = |i: i64| match state.get(&[i]) {
            Some(Value::Uint(word)) => Some(word),
            _ => None,
        };
        let [key, low] = [0, 1].map(|i| word(i).or_bug(0, "a state of less than two words"));
        // A state of two words has the key in place of the upper half of the counter.
        let high = word(2).unwrap_or(key);
        Self { key, counter: u128::from(high) << 64 | u128::from(low) }
    }

    /// The lower word of the counter.
    #[allow(clippy::cast_possible_truncation, reason = "the lower half is wanted")]
    fn low(self) -> u64 {
        self.counter as u64
    }
}

/// The dimension of Threefry's pairs: the first of even size, else the first of the largest size.
fn pair_dimension(sizes: &[i64]) -> Option<usize> {
    let longest = sizes.iter().max()?;
    sizes.iter().position(|size| size % 2 == 0).or_else(|| sizes.iter().position(|size| size == longest))
}

impl Generator {
    fn is_wide(&self) -> bool {
        self.data.element_type.bits() == 64
    }

    /// The array of Threefry's counters: its sizes, and the dimension along which two elements share a counter.
    fn counter_grid(&self) -> (Vec<i64>, Option<usize>) {
        let mut sizes = self.data.dimensions.to_vec();
        let dimension = if self.is_wide() { None } else { pair_dimension(&sizes) };
        if let Some(d) = dimension {
            sizes[d] = sizes[d] / 2 + sizes[d] % 2;
        }
        (sizes, dimension)
    }

    /// The increment of the counter.
    fn used_counters(&self) -> u64 {
        let count = |sizes: &[i64]| sizes.iter().product::<i64>().unsigned_abs();
        if self.is_threefry {
            return count(&self.counter_grid().0);
        }
        count(&self.data.dimensions).div_ceil(if self.is_wide() { 2 } else { 4 })
    }

    fn bits(&self, state: State, run: &mut dyn Run) -> Result<Data, OpError> {
        let t = self.data.element_type;
        let (sizes, pair) = self.counter_grid();
        fill("rng-bit-generator", &self.data, run, 8, |number, index| {
            if !self.is_threefry {
                let bits = philox_stream(state.key, state.counter, self.is_wide(), number.unsigned_abs());
                return Value::from_bits(t, bits.into());
            }
            let coordinate = |d: usize| if pair == Some(d) { index[d] / 2 } else { index[d] };
            let linear = (0..sizes.len()).fold(0_i64, |linear, d| linear * sizes[d] + coordinate(d));
            let counter = state.low().wrapping_add(linear.unsigned_abs());
            if self.is_wide() {
                return Value::from_bits(t, threefry_word(state.key, counter).into());
            }
            let is_second = pair.is_some_and(|d| index[d] % 2 == 1);
            Value::from_bits(t, threefry_pair(state.key, counter)[usize::from(is_second)].into())
        })
    }
}

impl EagerOp for Generator {
    fn evaluate(&self, operands: &[Data], run: &mut dyn Run) -> Result<Data, OpError> {
        let array = operand_array("rng-bit-generator", operands, 0)?;
        let state = State::from_array(array);
        let bits = self.bits(state, run)?;
        if !self.is_tuple {
            return Ok(bits);
        }
        let mut next = array.clone();
        let counter = state.counter.wrapping_add(self.used_counters().into());
        next.set(&[1], Value::Uint(State { counter, ..state }.low()));
        if array.memory_map().sizes() == [3] {
            next.set(&[2], Value::from_bits(ElementType::U64, counter >> 64));
        }
        Ok(Data::Tuple([next.into(), bits].into()))
    }

    fn sources(&self, operands: &[Data], cell: &CellAt, _: &mut dyn Run) -> Result<Vec<Source>, OpError> {
        let state = operands.first().and_then(Data::as_array);
        let words = state.map(|array| array.memory_map().elements()).or_bug(0, "the state is not an array");
        let source = |word: i64| Source { operand: 0, cell: CellAt::array(&[word]), role: Role::Value };
        // A scalar has no index.
        let first = cell.index.first().copied().unwrap_or(0);
        Ok(match cell.path.first() {
            // The upper word of the counter also depends on the lower one, by the carry.
            Some(0) => (first.min(1)..=first).map(source).collect(),
            _ => (0..words).map(source).collect(),
        })
    }
}

impl OpDef for RngBitGenerator {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (state, result) = (cx.array(0)?, cx.require_result_shape()?);
        let is_threefry = cx.keyword("algorithm") == Some("rng_three_fry");
        let fits = match state.dimensions.as_slice() {
            [2] => true,
            [3] => !is_threefry,
            _ => false,
        };
        if !fits || state.element_type != ElementType::U64 {
            let message = Message::ops("op-rng-state")
                .with("algorithm", cx.keyword("algorithm").unwrap_or_default())
                .with("expected", if is_threefry { "u64[2]" } else { "u64[2], u64[3]" })
                .with("found", state.human_string());
            return Err(cx.error("rng-bit-generator-1", message).at_operand(0));
        }
        let data = match result {
            Shape::Tuple(parts) => match &parts[..] {
                [Shape::Array(next), Shape::Array(data)]
                    if next.element_type == state.element_type && next.dimensions == state.dimensions =>
                {
                    Some(data)
                }
                _ => None,
            },
            other => other.as_array(),
        };
        let Some(data) = data else {
            let message = Message::ops("op-rng-result")
                .with("state", state.human_string())
                .with("found", result.human_string());
            let last = result.as_tuple().and_then(|parts| parts.last());
            let error = cx.error("rng-bit-generator-2", message).at(OpPart::Result);
            return Err(match last.filter(|last| last.as_array().is_some()) {
                Some(data) => error
                    .with_fix(OpPart::Result, format!("({}, {})", state.human_string(), data.human_string())),
                None => error,
            });
        };
        if !data.element_type.is_integral() && !data.element_type.is_floating() {
            let message = Message::ops("op-element-type")
                .with("op", cx.meta.opcode)
                .with("found", data.element_type.name())
                .with("supported", "floating, signed, unsigned");
            return Err(cx.error("rng-bit-generator-3", message).at(OpPart::Result));
        }
        Ok(result.clone())
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let result = cx.require_result_shape()?;
        let data = result.as_tuple().and_then(|parts| parts.last()).unwrap_or(result);
        let missing = || cx.error("rng-bit-generator-2", Message::ops("op-rng-result"));
        Ok(Semantics::Eager(Box::new(Generator {
            is_threefry: cx.keyword("algorithm") == Some("rng_three_fry"),
            data: data.as_array().cloned().ok_or_else(missing)?,
            is_tuple: result.as_tuple().is_some(),
        })))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let algorithm = match to.cx.keyword("algorithm")? {
            "rng_three_fry" => "RNG_THREE_FRY",
            "rng_philox" => "RNG_PHILOX",
            // The default algorithm differs between backends.
            _ => return None,
        };
        let [_, Shape::Array(bits)] = to.cx.written?.as_tuple()? else { return None };
        let (name, sizes) = (to.dtype(bits.element_type)?, tuple(&bits.dimensions));
        let algorithm = format!("lax.RandomAlgorithm.{algorithm}");
        // JAX supports states of 128 bits only, and returns unsigned integers of whole bytes.
        let state = to.array(0)?;
        let is_128_bits =
            state.dimensions.iter().product::<i64>() * i64::from(state.element_type.bits()) == 128;
        let is_whole_bytes =
            bits.element_type.class() == xla_array::Class::Unsigned && bits.element_type.bits() >= 8;
        (to.language == Language::Jax && is_128_bits && is_whole_bytes)
            .then(|| format!("lax.rng_bit_generator({}, {sizes}, {name}, {algorithm})", to.name(0)).into())
    }
}
