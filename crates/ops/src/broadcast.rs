//! `broadcast`: see [`Broadcast`].

use super::export::{is_ascending, tuple};
use super::tasks::{self, Fallback, PlannedTask, TaskContext};
use super::{
    AttrKind, AttrSpec, Category, DimensionsOf, Example, ExportContext, Expression, Formula, History,
    Language, OpContext, OpDef, OpError, OpMeta, OpPart, Operands, Role, Rule, Semantics,
};
use xla_array::{Dims, Shape};
use xla_kernels::View;
use xla_messages::i18n::Message;

/// Repeats an array along new dimensions: operand dimension `i` is result dimension `dimensions[i]`.
///
/// The dimensions need not be ascending; other orders also transpose the array. A dimension of size 1 is not repeated.
/// The document's `Broadcast`, which adds leading dimensions, is `dimensions={k,k+1,…}`. The shape must
/// be written. Source: XLA's operation semantics, "Broadcast", `BroadcastInDim` of XLA.
pub struct Broadcast;

static META: OpMeta = OpMeta {
    opcode: "broadcast",
    title: "Broadcast",
    search_terms: &[],
    sections: &["Broadcast", "BroadcastInDim"],
    category: Category::Movement,
    history: History::UNCHANGED,
    summary: "op-broadcast",
    formula: Formula::Words("formula-broadcast"),
    operands: Operands::exactly(&["operand"]),
    inline_attr: None,
    attrs: &[AttrSpec::optional("dimensions", AttrKind::Ints, "attr-broadcast-dimensions")
        .dimensions_of(DimensionsOf::Result)],
    rules: &[
        Rule {
            identifier: "broadcast-1",
            description: "rule-same-type",
            violated_by: "x = f32[3] parameter(0) ROOT r = s32[3,2] broadcast(x), dimensions={0}",
        },
        Rule {
            identifier: "broadcast-2",
            description: "rule-entry-a-dimension",
            violated_by: "x = f32[2,3] parameter(0) ROOT r = f32[2,3,4] broadcast(x), dimensions={0}",
        },
        Rule {
            identifier: "broadcast-3",
            description: "rule-dimension-range",
            violated_by: "x = f32[3] parameter(0) ROOT r = f32[3,2] broadcast(x), dimensions={2}",
        },
        Rule {
            identifier: "broadcast-4",
            description: "rule-dimension-once",
            violated_by: "x = f32[3,3] parameter(0) ROOT r = f32[3,3] broadcast(x), dimensions={0,0}",
        },
        Rule {
            identifier: "broadcast-5",
            description: "rule-broadcast-sizes",
            violated_by: "x = f32[3] parameter(0) ROOT r = f32[2,4] broadcast(x), dimensions={0}",
        },
    ],
    examples: &[
        Example {
            title: "shows-scalar-everywhere",
            hlo: "x = f32[] constant(2) ROOT r = f32[2,3] broadcast(x), dimensions={}",
            result: "f32[2,3] { {2, 2, 2}, {2, 2, 2} }",
        },
        Example {
            title: "shows-vector-columns",
            hlo: "x = s32[2] constant({7, 8}) ROOT r = s32[2,3] broadcast(x), dimensions={0}",
            result: "s32[2,3] { {7, 7, 7}, {8, 8, 8} }",
        },
    ],
};

impl OpDef for Broadcast {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (operand, result) = (cx.array(0)?, cx.explicit_result_array()?);
        if operand.element_type != result.element_type {
            let message = Message::ops("op-result-type")
                .with("found", result.element_type.name())
                .with("expected", operand.element_type.name());
            return Err(cx.error("broadcast-1", message).at(OpPart::Result));
        }
        let given = cx.ints("dimensions").len();
        if given != operand.rank() {
            let message = Message::ops("op-entries")
                .with("name", "dimensions")
                .with("found", given)
                .with("rank", operand.rank());
            return Err(cx.error("broadcast-2", message).at_attr("dimensions"));
        }
        let dimensions = cx.dimensions("dimensions", result.rank(), ["broadcast-3", "broadcast-4"])?;
        for (i, d) in dimensions.iter().enumerate() {
            if operand.dimensions[i] != result.dimensions[*d] {
                let message = Message::ops("op-broadcast-size")
                    .with("dimension", i)
                    .with("size", operand.dimensions[i])
                    .with("to", *d)
                    .with("found", result.dimensions[*d]);
                return Err(cx.error("broadcast-5", message).at(OpPart::Result));
            }
        }
        Ok(Shape::Array(result.clone()))
    }

    fn task(&self, context: &TaskContext) -> Result<PlannedTask, Fallback> {
        let (operand, to) = (context.view(0)?, context.out_view()?);
        let mut strides = vec![0; to.rank()];
        for (d, stride) in context.cx.ints("dimensions").iter().zip(&operand.strides) {
            strides[tasks::to_usize(*d)?] = *stride;
        }
        context.copy_task(0, View { offset: operand.offset, sizes: to.sizes.clone(), strides }, to)
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let rank = cx.explicit_result_array()?.rank();
        let dimensions = cx.dimensions("dimensions", rank, ["broadcast-3", "broadcast-4"])?;
        Ok(Semantics::per_element(move |out, read| {
            let index: Dims = dimensions.iter().map(|d| out[*d]).collect();
            read.get(0, &index, Role::Value)
        }))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let (x, sizes, dims) = (to.name(0), &to.result()?.dimensions, to.cx.ints("dimensions"));
        match to.language {
            Language::Jax => {
                Some(format!("lax.broadcast_in_dim({x}, {}, {})", tuple(sizes), tuple(dims)).into())
            }
            Language::NumPy if dims.is_empty() => {
                Some(format!("np.broadcast_to({x}, {})", tuple(sizes)).into())
            }
            Language::NumPy if is_ascending(dims) => {
                // Reshape to size 1 in every new dimension, then broadcast.
                let wide = (0..).zip(sizes).map(|(d, size)| if dims.contains(&d) { *size } else { 1 });
                Some(format!("np.broadcast_to(np.reshape({x}, {}), {})", tuple(wide), tuple(sizes)).into())
            }
            _ => None,
        }
    }
}
