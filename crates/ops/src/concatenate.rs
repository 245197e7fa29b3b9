//! `concatenate`: see [`Concatenate`].

use super::tasks::{Fallback, PlannedTask, TaskContext};
use super::{
    AttrKind, AttrSpec, Category, DimensionsOf, Example, ExportContext, Expression, Formula, History,
    Language, OpContext, OpDef, OpError, OpMeta, Operands, Role, Rule, Semantics,
};
use xla_array::{Dims, Shape, Value};
use xla_kernels::task::Move;
use xla_kernels::{Task, View};
use xla_messages::bug;
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// Concatenates arrays along a dimension (`ConcatInDim`).
///
/// Source: XLA's operation semantics, "Concatenate"; `ShapeInference::InferConcatOpShape`.
pub struct Concatenate;

static META: OpMeta = OpMeta {
    opcode: "concatenate",
    title: "Concatenate",
    search_terms: &["ConcatInDim"],
    sections: &["ConcatInDim (Concatenate)"],
    category: Category::Movement,
    history: History::UNCHANGED,
    summary: "op-concatenate",
    formula: Formula::Words("formula-concatenate"),
    operands: Operands::at_least(&["operand"], "operand"),
    inline_attr: None,
    attrs: &[AttrSpec::required("dimensions", AttrKind::Ints, "attr-concatenate-dimension")
        .dimensions_of(DimensionsOf::Operand(0))],
    rules: &[
        Rule {
            identifier: "concatenate-1",
            description: "rule-one-dimension",
            violated_by: "x = f32[2,2] parameter(0) ROOT r = concatenate(x, x), dimensions={0,1}",
        },
        Rule {
            identifier: "concatenate-2",
            description: "rule-dimension-range",
            violated_by: "x = f32[2] parameter(0) ROOT r = concatenate(x, x), dimensions={1}",
        },
        Rule {
            identifier: "concatenate-3",
            description: "rule-same-type",
            violated_by: "x = f32[2] parameter(0) y = s32[2] parameter(1) ROOT r = concatenate(x, y), dimensions={0}",
        },
        Rule {
            identifier: "concatenate-4",
            description: "rule-same-other-sizes",
            violated_by: "x = f32[2,2] parameter(0) y = f32[2,3] parameter(1) ROOT r = concatenate(x, y), dimensions={0}",
        },
    ],
    examples: &[
        Example {
            title: "shows-three-vectors",
            hlo: "a = s32[2] constant({2, 3}) b = s32[2] constant({4, 5}) c = s32[2] constant({6, 7})
                  ROOT r = concatenate(a, b, c), dimensions={0}",
            result: "s32[6] {2, 3, 4, 5, 6, 7}",
        },
        Example {
            title: "shows-one-more-row",
            hlo: "a = s32[3,2] constant({{1, 2}, {3, 4}, {5, 6}}) b = s32[1,2] constant({{7, 8}})
                  ROOT r = concatenate(a, b), dimensions={0}",
            result: "s32[4,2] { {1, 2}, {3, 4}, {5, 6}, {7, 8} }",
        },
    ],
};

/// The dimension along which the operands are concatenated.
fn dimension(cx: &OpContext) -> usize {
    let first = cx.ints("dimensions").first();
    first.and_then(|d| usize::try_from(*d).ok()).or_bug(0, "no dimension to concatenate along")
}

impl OpDef for Concatenate {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let arrays = cx.arrays()?;
        let first = cx.array(0)?;
        let [dimension] = cx.ints("dimensions") else {
            let message = Message::ops("op-one-dimension").with("found", cx.ints("dimensions").len());
            return Err(cx.error("concatenate-1", message).at_attr("dimensions"));
        };
        let Some(d) = usize::try_from(*dimension).ok().filter(|d| *d < first.rank()) else {
            return Err(cx.out_of_range("concatenate-2", "dimensions", *dimension, first.rank()));
        };
        let mut sizes = first.dimensions.clone();
        for (i, array) in arrays.iter().enumerate().skip(1) {
            if array.element_type != first.element_type {
                return Err(cx.type_mismatch("concatenate-3", i));
            }
            let has_same_size = |e: usize| e == d || array.dimensions[e] == first.dimensions[e];
            if array.rank() != first.rank() || !(0..first.rank()).all(has_same_size) {
                return Err(cx.size_mismatch("concatenate-4", i, 0));
            }
            sizes[d] = sizes[d].saturating_add(array.dimensions[d]);
        }
        cx.result(first.element_type, sizes)
    }

    fn task(&self, context: &TaskContext) -> Result<PlannedTask, Fallback> {
        let to = context.out_view()?;
        let d = dimension(context.cx);
        let (mut parts, mut position) = (Vec::new(), 0);
        for operand in 0..context.operands.len() {
            let from = context.view(operand)?;
            let mut part = View { sizes: from.sizes.clone(), ..to.clone() };
            part.offset += position * part.strides[d].unsigned_abs();
            position += from.sizes[d];
            parts.push((from, part));
        }
        let task = Task::Move(Move { ty: context.copy_type(0)?, parts, has_fill: false });
        Ok(PlannedTask { task, reads: (0..context.operands.len()).collect() })
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let d = dimension(cx);
        // The end of each operand in the result.
        let ends: Vec<i64> = cx
            .arrays()?
            .iter()
            .scan(0_i64, |end, array| {
                *end = end.saturating_add(array.dimensions[d]);
                Some(*end)
            })
            .collect();
        Ok(Semantics::per_element(move |out, read| {
            let k = ends.partition_point(|end| *end <= out[d]);
            if k == ends.len() {
                bug!("no operand has cell {out:?}");
                return Value::Int(0);
            }
            let mut index = Dims::from_slice(out);
            if k > 0 {
                index[d] -= ends[k - 1];
            }
            read.get(k, &index, Role::Value)
        }))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let (operands, dimension) = (to.joined_names(), to.cx.ints("dimensions").first()?);
        let text = match to.language {
            Language::Rust => format!("b.concat_in_dim(&[{operands}], {dimension})"),
            Language::Jax => format!("lax.concatenate([{operands}], {dimension})"),
            Language::NumPy => format!("np.concatenate([{operands}], {dimension})"),
        };
        Some(text.into())
    }
}
