//! `reverse`: see [`Reverse`].

use super::export::tuple;
use super::tasks::{self, Fallback, PlannedTask, TaskContext};
use super::{
    AttrKind, AttrSpec, Category, DimensionsOf, Example, ExportContext, Expression, Formula, History,
    Language, OpContext, OpDef, OpError, OpMeta, Operands, Role, Rule, Semantics,
};
use xla_array::{Dims, Shape};

/// Reverses an array along some dimensions (`Rev`).
///
/// Source: XLA's operation semantics, "Rev"; `ShapeInference::InferReverseShape`.
pub struct Reverse;

static META: OpMeta = OpMeta {
    opcode: "reverse",
    title: "Rev",
    search_terms: &[],
    sections: &["Rev (reverse)"],
    category: Category::Movement,
    history: History::UNCHANGED,
    summary: "op-reverse",
    formula: Formula::Words("formula-reverse"),
    operands: Operands::exactly(&["operand"]),
    inline_attr: None,
    attrs: &[AttrSpec::required("dimensions", AttrKind::Ints, "attr-dimensions")
        .dimensions_of(DimensionsOf::Operand(0))],
    rules: &[
        Rule {
            identifier: "reverse-1",
            description: "rule-dimension-range",
            violated_by: "x = f32[2,3] parameter(0) ROOT r = reverse(x), dimensions={2}",
        },
        Rule {
            identifier: "reverse-2",
            description: "rule-dimension-once",
            violated_by: "x = f32[2,3] parameter(0) ROOT r = reverse(x), dimensions={1,1}",
        },
    ],
    examples: &[Example {
        title: "shows-rows-reversed",
        hlo: "x = s32[2,3] constant({{1,2,3},{4,5,6}}) ROOT r = reverse(x), dimensions={1}",
        result: "s32[2,3] { {3, 2, 1}, {6, 5, 4} }",
    }],
};

impl OpDef for Reverse {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let operand = cx.array(0)?;
        cx.dimensions("dimensions", operand.rank(), ["reverse-1", "reverse-2"])?;
        Ok(Shape::Array(operand.clone()))
    }

    fn task(&self, context: &TaskContext) -> Result<PlannedTask, Fallback> {
        let mut from = context.view(0)?;
        for d in context.cx.ints("dimensions") {
            let d = tasks::to_usize(*d)?;
            from.offset += from.sizes[d].saturating_sub(1) * from.strides[d].unsigned_abs();
            from.strides[d] = -from.strides[d];
        }
        context.copy_task(0, from, context.out_view()?)
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let sizes = cx.array(0)?.dimensions.clone();
        let dimensions = cx.dimensions("dimensions", sizes.len(), ["reverse-1", "reverse-2"])?;
        Ok(Semantics::per_element(move |out, read| {
            let mut index = Dims::from_slice(out);
            for d in &dimensions {
                index[*d] = sizes[*d] - 1 - index[*d];
            }
            read.get(0, &index, Role::Value)
        }))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let (x, dims) = (to.name(0), to.cx.ints("dimensions"));
        let text = match to.language {
            Language::Rust => format!("b.rev({x}, &{dims:?})"),
            Language::Jax => format!("lax.rev({x}, {})", tuple(dims)),
            Language::NumPy => format!("np.flip({x}, {})", tuple(dims)),
        };
        Some(text.into())
    }
}
