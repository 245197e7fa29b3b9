//! `transpose`: see [`Transpose`].

use super::export::tuple;
use super::tasks::{Fallback, PlannedTask, TaskContext};
use super::{
    AttrKind, AttrSpec, Category, DimensionsOf, Example, ExportContext, Expression, Formula, History,
    Language, OpContext, OpDef, OpError, OpMeta, OpPart, Operands, Role, Rule, Semantics,
};
use xla_array::permutation;
use xla_array::{Dims, Shape, shape_util};
use xla_messages::bug::OrBug as _;
use xla_messages::i18n::Message;

/// Reorders the dimensions of an array: result dimension `i` is operand dimension `dimensions[i]`.
///
/// If no result shape is written, its layout is the one with which every element keeps its address:
/// `transpose(f32[2,3]{1,0}), dimensions={1,0}` is `f32[3,2]{0,1}`. Source: XLA's operation semantics, "Transpose";
/// `ShapeInference::InferTransposeShape`.
pub struct Transpose;

static META: OpMeta = OpMeta {
    opcode: "transpose",
    title: "Transpose",
    search_terms: &[],
    sections: &["Transpose"],
    category: Category::Movement,
    history: History::UNCHANGED,
    summary: "op-transpose",
    formula: Formula::Words("formula-transpose"),
    operands: Operands::exactly(&["operand"]),
    inline_attr: None,
    attrs: &[AttrSpec::required("dimensions", AttrKind::Ints, "attr-permutation")
        .dimensions_of(DimensionsOf::Operand(0))],
    rules: &[Rule {
        identifier: "transpose-1",
        description: "rule-permutation",
        violated_by: "x = f32[2,3] parameter(0) ROOT r = transpose(x), dimensions={0,2}",
    }],
    examples: &[
        Example {
            title: "shows-rows-to-columns",
            hlo: "x = s32[2,3] constant({{1,2,3},{4,5,6}}) ROOT r = s32[3,2]{1,0} transpose(x), dimensions={1,0}",
            result: "s32[3,2]{1,0} { {1, 4}, {2, 5}, {3, 6} }",
        },
        Example {
            title: "shows-rank-three",
            hlo: "x = s32[1,2,3] constant({{{1,2,3},{4,5,6}}})
                  ROOT r = s32[2,3,1] transpose(x), dimensions={1,2,0}",
            result: "s32[2,3,1] { { {1}, {2}, {3} }, { {4}, {5}, {6} } }",
        },
        Example {
            title: "shows-layout-only",
            hlo: "x = s32[2,3] constant({{1,2,3},{4,5,6}}) ROOT r = transpose(x), dimensions={1,0}",
            result: "s32[3,2]{0,1} { {1, 4}, {2, 5}, {3, 6} }",
        },
    ],
};

impl OpDef for Transpose {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (operand, p) = (cx.array(0)?, cx.ints("dimensions"));
        let is_permutation = p.len() == operand.rank() && permutation::is_permutation(p);
        if let Some(shape) = shape_util::permute_dimensions(operand, p).filter(|_| is_permutation) {
            return Ok(Shape::Array(shape));
        }
        let message = Message::ops("op-permutation")
            .with("found", super::infer::comma_separated(p))
            .with("rank", operand.rank());
        let reversed: Vec<i64> =
            (0..i64::try_from(operand.rank()).or_bug(0, "a rank exceeds i64")).rev().collect();
        let fix = format!("{{{}}}", super::infer::comma_separated(&reversed));
        let error = cx.error("transpose-1", message).at_attr("dimensions");
        Err(error.with_fix(OpPart::Attr("dimensions"), fix))
    }

    fn task(&self, context: &TaskContext) -> Result<PlannedTask, Fallback> {
        let from = context.view(0)?;
        let p = context.cx.dimensions("dimensions", from.rank(), ["transpose-1"; 2]);
        context.copy_task(0, from.permuted(&p.map_err(|_| Fallback::NoKernel)?), context.out_view()?)
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let p = cx.dimensions("dimensions", cx.array(0)?.rank(), ["transpose-1"; 2])?;
        Ok(Semantics::per_element(move |out, read| {
            let mut index = Dims::from_elem(0, out.len());
            for (o, d) in out.iter().zip(&p) {
                index[*d] = *o;
            }
            read.get(0, &index, Role::Value)
        }))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let (x, p) = (to.name(0), to.cx.ints("dimensions"));
        let text = match to.language {
            Language::Rust => format!("b.transpose({x}, &{p:?})"),
            Language::Jax => format!("lax.transpose({x}, {})", tuple(p)),
            Language::NumPy => format!("np.transpose({x}, {})", tuple(p)),
        };
        Some(text.into())
    }
}
