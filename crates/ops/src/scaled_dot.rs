//! `scaled-dot`: see [`ScaledDot`].

#![allow(
    clippy::many_single_char_names,
    reason = "the names of the formulas: operands a and b, indices i and j"
)]

use super::dot::{checked_operand_dims, is_empty_dims_attr};
use super::{
    AttrKind, AttrSpec, Category, DimensionsOf, Example, Formula, History, OpContext, OpDef, OpError, OpMeta,
    Operands, Read, Role, Rule, Semantics,
};
use xla_array::index::Indices;
use xla_array::{ArrayShape, Class, Dims, ElementType, Shape, Value};
use xla_messages::i18n::Message;

/// A dot of two arrays of narrow floats, each of which is first multiplied by one scale per block.
///
/// Scales have the rank of their array; each of their sizes divides that of the array, and the quotient is the size of
/// a block. A scalar scale means no scaling. The products are rounded to `bf16`, or to the wider of the types, then
/// summed in `f64` and rounded once. Source: `HloScaledDotInstruction` and `ScaledDotRewriter` of XLA.
pub struct ScaledDot;

static META: OpMeta = OpMeta {
    opcode: "scaled-dot",
    title: "ScaledDot",
    search_terms: &[],
    sections: &["ScaledDot"],
    category: Category::Contraction,
    history: History::not_in_2017("instead-dot"),
    summary: "op-scaled-dot",
    formula: Formula::Symbols("out[m, n] = Σₖ (lhs[m, k] · lhs scale[m, k / block]) · (rhs[k, n] · rhs scale[k / block, n])"),
    operands: Operands::exactly(&["lhs", "rhs", "lhs scale", "rhs scale"]),
    inline_attr: None,
    attrs: &[
        AttrSpec::optional("lhs_batch_dims", AttrKind::Ints, "attr-batch-dims").dimensions_of(DimensionsOf::Operand(0)),
        AttrSpec::optional("lhs_contracting_dims", AttrKind::Ints, "attr-contracting-dims").dimensions_of(DimensionsOf::Operand(0)),
        AttrSpec::optional("rhs_batch_dims", AttrKind::Ints, "attr-batch-dims").dimensions_of(DimensionsOf::Operand(1)),
        AttrSpec::optional("rhs_contracting_dims", AttrKind::Ints, "attr-contracting-dims").dimensions_of(DimensionsOf::Operand(1)),
        AttrSpec::optional("operand_precision", AttrKind::Text, "attr-operand-precision"),
        AttrSpec::optional("algorithm", AttrKind::Text, "attr-dot-algorithm"),
    ],
    rules: &[
        Rule {
            identifier: "scaled-dot-1",
            description: "rule-float",
            violated_by: "x = s32[4] parameter(0) s = f32[2] parameter(1)
                        ROOT r = scaled-dot(x, x, s, s), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
        },
        Rule {
            identifier: "scaled-dot-2",
            description: "rule-scale-sizes",
            violated_by: "x = f32[4] parameter(0) s = f32[3] parameter(1)
                        ROOT r = scaled-dot(x, x, s, s), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
        },
        Rule {
            identifier: "dot-5",
            description: "rule-dot-sizes",
            violated_by: "x = f32[4] parameter(0) y = f32[2] parameter(1) s = f32[2] parameter(2)
                        ROOT r = scaled-dot(x, y, s, s), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
        },
        Rule {
            identifier: "scaled-dot-3",
            description: "rule-scaled-dot-result",
            violated_by: "x = f32[4] parameter(0) s = f32[2] parameter(1)
                        ROOT r = s32[] scaled-dot(x, x, s, s), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
        },
    ],
    examples: &[
Example {
 title: "shows-scaled-blocks",
            hlo: "x = f8e4m3fn[1,4] constant({{1, 2, 3, 4}}) y = f8e4m3fn[4,1] constant({{1}, {1}, {1}, {1}})
                  s = f8e8m0fnu[1,2] constant({{2, 4}}) t = f8e8m0fnu[2,1] constant({{1}, {0.5}})
                  ROOT r = f32[1,1] scaled-dot(x, y, s, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
            result: "f32[1,1] { {20} }",
        },
Example {
 title: "shows-scaled-vectors",
            hlo: "x = bf16[2] constant({1, 2}) y = f8e5m2[2] constant({3, 4}) s = bf16[] constant(1)
                  t = f8e8m0fnu[1] constant({0.25})
                  ROOT r = f32[] scaled-dot(x, y, s, t), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
            result: "f32[] 2.75",
        },
],
};

/// The type in which an array is multiplied by its scales.
fn product_type(a: ElementType, b: ElementType) -> ElementType {
    match (a.bits(), b.bits()) {
        (x, y) if x < 16 && y < 16 => ElementType::BF16,
        _ if a == b => a,
        (x, y) if x == y => ElementType::F32,
        (x, y) if x > y => a,
        _ => b,
    }
}

/// An array with its scales.
struct Scaled {
    operand: usize,
    role: Role,
    product: ElementType,
    /// The sizes of a block; empty without scales.
    block: Option<Dims>,
}

impl Scaled {
    fn new(operand: usize, role: Role, array: &ArrayShape, scale: &ArrayShape) -> Self {
        let block =
            array.dimensions.iter().zip(&scale.dimensions).map(|(n, scales)| n / scales.max(&1)).collect();
        let block = (scale.rank() > 0).then_some(block);
        Self { operand, role, product: product_type(array.element_type, scale.element_type), block }
    }

    fn get(&self, index: &[i64], read: &mut dyn Read) -> f64 {
        let float = Value::as_float;
        let value = read.get(self.operand, index, self.role);
        let Some(block) = &self.block else { return float(value) };
        let at: Dims = index.iter().zip(block).map(|(i, size)| i / size.max(&1)).collect();
        let scale = read.get(self.operand + 2, &at, self.role).convert(self.product);
        float(Value::Float(float(value.convert(self.product)) * float(scale)).convert(self.product))
    }
}

impl OpDef for ScaledDot {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let arrays = cx.arrays()?;
        for (i, array) in arrays.iter().enumerate() {
            if array.element_type.class() != Class::Float {
                let message = Message::ops("op-element-type")
                    .with("op", cx.meta.opcode)
                    .with("found", array.element_type.name())
                    .with("supported", "floating");
                return Err(cx.error("scaled-dot-1", message).at_operand(i));
            }
        }
        for (i, (array, scale)) in arrays.iter().zip(&arrays[2..]).enumerate() {
            let divides = |(n, scales): (&i64, &i64)| *scales > 0 && n % scales == 0 || n == scales;
            let fits =
                array.rank() == scale.rank() && array.dimensions.iter().zip(&scale.dimensions).all(divides);
            if scale.rank() > 0 && !fits {
                let message = Message::ops("op-scale-sizes")
                    .with("array", array.human_string())
                    .with("scale", scale.human_string());
                return Err(cx.error("scaled-dot-2", message).at_operand(i + 2));
            }
        }
        let (lhs, rhs) = checked_operand_dims(cx)?;
        let sizes: Dims = (lhs.batch.iter().chain(&lhs.free).map(|d| arrays[0].dimensions[*d]))
            .chain(rhs.free.iter().map(|d| arrays[1].dimensions[*d]))
            .collect();
        let written_type = cx.written.and_then(Shape::as_array).map(|array| array.element_type);
        if let Some(found) = written_type.filter(|t| t.class() != Class::Float) {
            let message = Message::ops("op-element-type")
                .with("op", cx.meta.opcode)
                .with("found", found.name())
                .with("supported", "floating");
            return Err(cx.error("scaled-dot-3", message).at(super::OpPart::Result));
        }
        cx.result(written_type.unwrap_or(arrays[0].element_type), sizes)
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let arrays = cx.arrays()?;
        let (lhs, rhs) = checked_operand_dims(cx)?;
        let a = Scaled::new(0, Role::Lhs, arrays[0], arrays[2]);
        let b = Scaled::new(1, Role::Rhs, arrays[1], arrays[3]);
        let ranks = [arrays[0].rank(), arrays[1].rank()];
        let sizes: Dims = lhs.contracting.iter().map(|d| arrays[0].dimensions[*d]).collect();
        let written_type = cx.written.and_then(Shape::as_array).map(|array| array.element_type);
        let to = written_type.unwrap_or(arrays[0].element_type);
        Ok(Semantics::per_element(move |out, read| {
            let (mut i, mut j) = (Dims::from_elem(0, ranks[0]), Dims::from_elem(0, ranks[1]));
            let lhs_rank = lhs.batch.len() + lhs.free.len();
            for (o, d) in out.iter().zip(lhs.batch.iter().chain(&lhs.free)) {
                i[*d] = *o;
            }
            for (o, d) in out.iter().zip(&rhs.batch).chain(out[lhs_rank..].iter().zip(&rhs.free)) {
                j[*d] = *o;
            }
            let mut sum = 0.0;
            let mut contracted = Indices::row_major(&sizes);
            while let Some(k) = contracted.advance() {
                for (n, (l, r)) in k.iter().zip(lhs.contracting.iter().zip(&rhs.contracting)) {
                    (i[*l], j[*r]) = (*n, *n);
                }
                sum += a.get(&i, read) * b.get(&j, read);
                if !read.should_continue() {
                    break;
                }
            }
            super::elementwise::canonical_sum(Value::Float(sum)).convert(to)
        }))
    }

    fn is_default_attr(&self, name: &str, cx: &OpContext) -> bool {
        is_empty_dims_attr(name, cx)
    }
}
