//! The operations of an instruction, by the definitions of XLA's `HloCostAnalysis`.

use super::positions::valid_positions;
use super::{synchronous_opcode, unsigned};
use xla_array::{ArrayShape, Shape};
use xla_hlo::{Computation, Instruction};
use xla_ops::AttrValue;
use xla_ops::attrs::{DimLabel, DimLabels, WindowDim};

/// The cost of an instruction or a computation. Sums saturate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Arithmetic operations, of any element type. A multiply-add counts as two.
    pub flops: u64,
    /// Evaluations of transcendental functions (`exponential`, `tanh`, `sqrt`, …), which are not among the FLOPs.
    pub transcendentals: u64,
    /// Bytes read from memory.
    pub bytes_read: u64,
    /// Bytes written to memory.
    pub bytes_written: u64,
    /// Instructions whose cost is unknown: custom calls.
    pub unknown: u64,
    /// Loops that are counted as one iteration because their trip count is unknown.
    pub unknown_loops: u64,
}

impl Cost {
    /// Bytes read and written.
    pub fn bytes(self) -> u64 {
        self.bytes_read.saturating_add(self.bytes_written)
    }

    /// FLOPs per byte of memory; `None` if no memory is accessed.
    #[allow(clippy::cast_precision_loss, reason = "a ratio for display")]
    pub fn intensity(self) -> Option<f64> {
        (self.bytes() > 0).then(|| self.flops as f64 / self.bytes() as f64)
    }

    /// Combines each field with that of another cost.
    fn combine(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            flops: f(self.flops, other.flops),
            transcendentals: f(self.transcendentals, other.transcendentals),
            bytes_read: f(self.bytes_read, other.bytes_read),
            bytes_written: f(self.bytes_written, other.bytes_written),
            unknown: f(self.unknown, other.unknown),
            unknown_loops: f(self.unknown_loops, other.unknown_loops),
        }
    }

    /// The sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.combine(other, u64::saturating_add)
    }

    /// The cost of this many executions.
    #[must_use]
    pub fn times(self, count: u64) -> Self {
        let scaled = self.combine(Self::default(), |value, _| value.saturating_mul(count));
        Self { unknown: self.unknown, unknown_loops: self.unknown_loops, ..scaled }
    }

    /// The maximum of each field.
    pub(super) fn max(self, other: Self) -> Self {
        self.combine(other, u64::max)
    }

    /// The cost without memory traffic, which a fusion or a reducer keeps in registers.
    pub(super) fn without_traffic(self) -> Self {
        Self { bytes_read: 0, bytes_written: 0, ..self }
    }
}

/// FLOPs of a multiply-add.
const MULTIPLY_ADD_FLOPS: u64 = 2;
/// Multiply-adds that XLA counts for a product of complex numbers in an FFT.
const COMPLEX_PRODUCT_MULTIPLY_ADDS: u64 = 4;

/// Element-wise ops that count as one transcendental function an element.
const TRANSCENDENTAL_OPS: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan2",
    "atanh",
    "cbrt",
    "cosh",
    "cosine",
    "erf",
    "exponential",
    "exponential-minus-one",
    "log",
    "log-plus-one",
    "logistic",
    "power",
    "rsqrt",
    "sine",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
];

/// Element-wise ops that count as one FLOP an element.
const ARITHMETIC_OPS: &[&str] = &[
    "abs",
    "add",
    "and",
    "bitcast-convert",
    "ceil",
    "clamp",
    "compare",
    "complex",
    "convert",
    "count-leading-zeros",
    "divide",
    "floor",
    "imag",
    "is-finite",
    "maximum",
    "minimum",
    "multiply",
    "negate",
    "not",
    "or",
    "popcnt",
    "real",
    "reduce-precision",
    "remainder",
    "round-nearest-afz",
    "round-nearest-even",
    "select",
    "shift-left",
    "shift-right-arithmetic",
    "shift-right-logical",
    "sign",
    "stochastic-convert",
    "subtract",
    "xor",
];

/// Whether an op computes each element of its result from the elements of its operands at the same index.
pub(super) fn is_element_wise(opcode: &str) -> bool {
    TRANSCENDENTAL_OPS.binary_search(&opcode).is_ok() || ARITHMETIC_OPS.binary_search(&opcode).is_ok()
}

/// The first array of a shape: itself, or the first element of a tuple.
fn first_array(shape: &Shape) -> Option<&ArrayShape> {
    shape.as_array().or_else(|| shape.as_tuple()?.first()?.as_array())
}

/// The number of elements of an array; 0 if it is unknown.
fn elements(array: &ArrayShape) -> u64 {
    array.elements().map_or(0, unsigned)
}

/// The cost of the arithmetic of an instruction without control flow: it calls at most a reducer, a comparator or a function of
/// elements. `called` returns the cost of one call of the computation in an attribute.
pub(super) fn operation_cost(
    computation: &Computation,
    instruction: &Instruction,
    called: &dyn Fn(&str) -> Cost,
) -> Cost {
    checked_operation_cost(computation, instruction, called).unwrap_or_default()
}

/// Like [`operation_cost`]; `None` if an operand or attribute is missing.
fn checked_operation_cost(
    computation: &Computation,
    instruction: &Instruction,
    called: &dyn Fn(&str) -> Cost,
) -> Option<Cost> {
    let opcode = synchronous_opcode(&instruction.opcode);
    let flops = |flops: u64| Some(Cost { flops, ..Cost::default() });
    let operand = |number: usize| first_array(&computation.get(*instruction.operands.get(number)?)?.shape);
    let result = first_array(&instruction.shape);
    let leaf_elements = || total_elements(&instruction.shape);
    match opcode {
        _ if TRANSCENDENTAL_OPS.binary_search(&opcode).is_ok() => {
            Some(Cost { transcendentals: elements(result?), ..Cost::default() })
        }
        _ if ARITHMETIC_OPS.binary_search(&opcode).is_ok() => flops(elements(result?)),
        "dot" | "ragged-dot" | "scaled-dot" => {
            let lhs = operand(0)?;
            let contracted =
                ints_attr(instruction, "lhs_contracting_dims").iter().fold(1, |product: u64, d| {
                    let size = usize::try_from(*d).ok().and_then(|d| lhs.dimensions.get(d));
                    product.saturating_mul(unsigned(size.copied().unwrap_or(1)))
                });
            flops(elements(result?).saturating_mul(contracted).saturating_mul(MULTIPLY_ADD_FLOPS))
        }
        "convolution" => flops(convolution_flops(instruction, operand(0)?, operand(1)?, result?)?),
        "fft" => {
            let lengths = ints_attr(instruction, "fft_length").iter().fold(1, |product: u64, length| {
                product.saturating_mul(u64::from(unsigned(*length).checked_ilog2().unwrap_or(0)))
            });
            flops(
                (MULTIPLY_ADD_FLOPS * COMPLEX_PRODUCT_MULTIPLY_ADDS)
                    .saturating_mul(lengths)
                    .saturating_mul(elements(operand(0)?)),
            )
        }
        "sort" => {
            let count = elements(operand(0)?);
            let levels =
                count.checked_ilog2().map_or(0, |log| u64::from(log) + u64::from(!count.is_power_of_two()));
            flops(count.saturating_mul(levels))
        }
        "triangular-solve" => {
            let rows = operand(0)?.dimensions.last().copied().map_or(0, unsigned);
            flops(elements(operand(1)?).saturating_mul(rows).saturating_mul(MULTIPLY_ADD_FLOPS))
        }
        "cholesky" => {
            let rows = operand(0)?.dimensions.last().copied().map_or(0, unsigned);
            flops(elements(operand(0)?).saturating_mul(rows) / 3)
        }
        "map" => Some(called("to_apply").times(elements(result?))),
        "reduce" => {
            let reductions = elements(operand(0)?).saturating_sub(elements(result?));
            Some(called("to_apply").times(reductions))
        }
        "reduce-window" => {
            let reductions = window_reductions(instruction, result?);
            Some(called("to_apply").times(reductions))
        }
        "select-and-scatter" => {
            let sources = elements(operand(1)?);
            let comparisons = sources.saturating_mul(window_size(instruction).saturating_sub(1));
            Some(called("select").times(comparisons).plus(called("scatter").times(sources)))
        }
        "scatter" => {
            // Operands, indices, then as many updates as operands.
            let first_update = instruction.operands.len() / 2 + 1;
            Some(called("to_apply").times(elements(operand(first_update)?)))
        }
        "all-reduce" => flops(leaf_elements()),
        "rng" | "rng-bit-generator" => Some(Cost { transcendentals: leaf_elements(), ..Cost::default() }),
        _ => None,
    }
}

/// The number of elements of all arrays of a shape.
fn total_elements(shape: &Shape) -> u64 {
    match shape {
        Shape::Array(array) => elements(array),
        Shape::Tuple(parts) => {
            parts.iter().fold(0, |sum: u64, part| sum.saturating_add(total_elements(part)))
        }
        _ => 0,
    }
}

fn ints_attr<'i>(instruction: &'i Instruction, name: &str) -> &'i [i64] {
    match instruction.attrs.get(name) {
        Some(AttrValue::Ints(ints)) => ints,
        _ => &[],
    }
}

fn window(instruction: &Instruction) -> &[WindowDim] {
    match instruction.attrs.get("window") {
        Some(AttrValue::Window(dimensions)) => dimensions,
        _ => &[],
    }
}

/// The number of positions of a window.
fn window_size(instruction: &Instruction) -> u64 {
    window(instruction).iter().fold(1, |product: u64, d| product.saturating_mul(unsigned(d.size)))
}

/// The number of applications of the reducer of a `reduce-window`. Like XLA, counts a window that covers the whole dimension at
/// every position as one reduction and a broadcast.
fn window_reductions(instruction: &Instruction, result: &ArrayShape) -> u64 {
    let dimensions = window(instruction);
    let all = window_size(instruction).saturating_sub(1).saturating_mul(elements(result));
    let is_single = dimensions.iter().filter(|d| d.size != 1).count() == 1
        && dimensions.iter().filter(|d| d.pad_low != 0 || d.pad_high != 0).count() == 1
        && instruction.shape.as_array().is_some();
    let covers_all = dimensions.iter().position(|d| {
        d.size != 1
            && d.pad_low != 0
            && d.pad_low == d.pad_high
            && d.pad_low.checked_mul(2) == Some(d.size - 1)
    });
    match covers_all.and_then(|d| Some((dimensions.get(d)?.pad_low, *result.dimensions.get(d)?))) {
        Some((padding, size)) if is_single && padding == size - 1 && size > 0 => {
            elements(result) / unsigned(size) + unsigned(size - 1)
        }
        _ => all,
    }
}

/// The FLOPs of a convolution: a multiply-add for each position of the kernel that holds an input element.
fn convolution_flops(
    instruction: &Instruction,
    lhs: &ArrayShape,
    rhs: &ArrayShape,
    result: &ArrayShape,
) -> Option<u64> {
    let Some(AttrValue::DimLabels(DimLabels(labels))) = instruction.attrs.get("dim_labels") else {
        return None;
    };
    let [lhs_labels, rhs_labels, result_labels] = labels;
    let size = |array: &ArrayShape, labels: &[DimLabel], label: DimLabel| {
        array.dimensions.get(labels.iter().position(|other| *other == label)?).copied()
    };
    let groups = |name: &str| match instruction.attrs.get(name) {
        Some(AttrValue::Int(count)) => unsigned(*count).max(1),
        _ => 1,
    };
    let features = unsigned(size(lhs, lhs_labels, DimLabel::Feature)?) / groups("feature_group_count");
    let outputs = unsigned(size(result, result_labels, DimLabel::Feature)?);
    let batch = unsigned(size(lhs, lhs_labels, DimLabel::Batch)?) / groups("batch_group_count");
    let mut count = features.saturating_mul(outputs).saturating_mul(batch).saturating_mul(MULTIPLY_ADD_FLOPS);
    for (d, window) in (0..).zip(window(instruction)) {
        let label = DimLabel::Spatial(d);
        count = count.saturating_mul(valid_positions(
            size(lhs, lhs_labels, label)?,
            size(rhs, rhs_labels, label)?,
            size(result, result_labels, label)?,
            window,
        ));
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_for_binary_search() {
        assert!(TRANSCENDENTAL_OPS.is_sorted() && ARITHMETIC_OPS.is_sorted());
    }
}
