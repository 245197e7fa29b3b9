//! `bitcast`: see [`Bitcast`].

use super::data::operand_array;
use super::export::tuple;
use super::{
    Category, CellAt, Data, EagerOp, Example, ExportContext, Expression, Formula, History, Language,
    OpContext, OpDef, OpError, OpMeta, OpPart, Operands, Role, Rule, Run, Semantics, Source,
};
use xla_array::{ArrayLiteral, ArrayShape, Dims, MemoryMap, Shape, Value};
use xla_messages::i18n::Message;

/// Reinterprets the bytes in memory as another shape and layout; the values depend on both layouts.
///
/// The shape must be written. An element of the result has one source if both types have the same width; only
/// such types are supported (`bitcast-convert` changes widths). Source: `HloOpcode::kBitcast` of XLA.
pub struct Bitcast;

static META: OpMeta = OpMeta {
    opcode: "bitcast",
    title: "Bitcast",
    search_terms: &[],
    sections: &["Bitcast"],
    category: Category::Movement,
    history: History::not_in_2017("instead-bitcast"),
    summary: "op-bitcast",
    formula: Formula::Symbols("memory(out) = memory(operand)"),
    operands: Operands::exactly(&["operand"]),
    inline_attr: None,
    attrs: &[],
    rules: &[Rule {
        identifier: "bitcast-1",
        description: "rule-same-memory",
        violated_by: "x = f32[2,3] parameter(0) ROOT r = f32[7] bitcast(x)",
    }],
    examples: &[Example {
        title: "shows-same-bytes",
        hlo: "x = s32[2,3] constant({{1,2,3},{4,5,6}}) ROOT r = s32[3,2]{0,1} bitcast(x)",
        result: "s32[3,2]{0,1} { {1, 4}, {2, 5}, {3, 6} }",
    }],
};

/// The memory of an array: its slots, the bits per slot, and the bits of an element.
fn memory_size(shape: &ArrayShape) -> Option<(i64, i64, u8)> {
    let map = MemoryMap::new(shape).ok()?;
    Some((map.slot_count(), map.bits_per_slot(), shape.element_type.bits()))
}

struct SameBytes(ArrayShape);

impl EagerOp for SameBytes {
    fn evaluate(&self, operands: &[Data], run: &mut dyn Run) -> Result<Data, OpError> {
        let error = |e: xla_array::literal::LiteralError| OpError::new("bitcast", e.rule, e.message);
        let operand = operand_array("bitcast", operands, 0)?;
        let map = operand.memory_map();
        run.spend(map.slot_count().unsigned_abs().saturating_add(map.bytes().unsigned_abs()))?;
        run.reserve_bytes(map.bytes().unsigned_abs())?;
        let bytes = operand.to_bytes().map_err(error)?;
        ArrayLiteral::from_bytes(self.0.clone(), &bytes).map(Data::from).map_err(error)
    }

    fn sources(&self, operands: &[Data], cell: &CellAt, _: &mut dyn Run) -> Result<Vec<Source>, OpError> {
        let slot = MemoryMap::new(&self.0).ok().and_then(|map| map.slot(&cell.index));
        let Some((operand, slot)) = operands.first().and_then(Data::as_array).zip(slot) else {
            return Ok(Vec::new());
        };
        let mut index = Dims::from_elem(0, operand.shape().rank());
        let is_element = operand.memory_map().index_of(slot, &mut index) == xla_array::SlotKind::Element;
        let source = Source { operand: 0, cell: CellAt::array(&index), role: Role::Value };
        Ok(is_element.then_some(source).into_iter().collect())
    }
}

/// The dimensions in major-to-minor order; `None` if the layout is not dense (padding, tiles).
fn major_to_minor(shape: &ArrayShape) -> Option<Vec<usize>> {
    let map = MemoryMap::new(shape).ok()?;
    let has_no_gaps = map.slot_count() == map.elements()
        && map.bits_per_slot() == i64::from(shape.element_type.storage_bits());
    let layout = shape.layout.as_ref();
    let is_dense =
        has_no_gaps && layout.is_none_or(|layout| layout.tiles.is_empty() && layout.padding.is_none());
    let order = |layout: &xla_array::Layout| {
        layout.minor_to_major.iter().rev().map(|d| usize::try_from(*d).ok()).collect::<Option<Vec<_>>>()
    };
    if is_dense { layout.map_or_else(|| Some((0..shape.rank()).collect()), order) } else { None }
}

/// An expression with the dimensions of `x` in another order.
fn transposed(package: &str, x: String, order: &[usize]) -> String {
    if order.windows(2).all(|pair| pair[0] < pair[1]) {
        return x;
    }
    format!("{package}.transpose({x}, {})", tuple(order))
}

impl OpDef for Bitcast {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (operand, result) = (cx.array(0)?, cx.explicit_result_array()?);
        let (from, to) = (memory_size(operand), memory_size(result));
        if from.is_none() || from != to {
            let message = Message::ops("op-bitcast-memory")
                .with("operand", operand.xla_text())
                .with("result", result.xla_text());
            return Err(cx.error("bitcast-1", message).at(OpPart::Result));
        }
        Ok(Shape::Array(result.clone()))
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let (from, result) = (cx.array(0)?.element_type, cx.explicit_result_array()?.clone());
        let to = result.element_type;
        // A scalar is computed per element, so it can be compiled to a region.
        if cx.array(0)?.rank() == 0 && result.rank() == 0 {
            return Ok(Semantics::per_element(move |out, read| {
                Value::from_bits(to, read.get(0, out, Role::Value).to_bits(from))
            }));
        }
        Ok(Semantics::Eager(Box::new(SameBytes(result))))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let package = match to.language {
            Language::Rust => return None,
            Language::Jax => "jnp",
            Language::NumPy => "np",
        };
        let (operand, result) = (to.array(0)?, to.result()?);
        if operand.element_type != result.element_type {
            return None;
        }
        // Transpose to memory order, reshape, and transpose back.
        let (before, after) = (major_to_minor(operand)?, major_to_minor(result)?);
        let sizes = tuple(after.iter().map(|d| result.dimensions[*d]));
        let back: Vec<usize> =
            (0..result.rank()).filter_map(|d| after.iter().position(|e| *e == d)).collect();
        let reshaped =
            format!("{package}.reshape({}, {sizes})", transposed(package, to.name(0).to_owned(), &before));
        Some(transposed(package, reshaped, &back).into())
    }
}
