//! `reshape`: see [`Reshape`].

use super::export::tuple;
use super::tasks::{Fallback, PlannedTask, TaskContext};
use super::{
    AttrKind, AttrSpec, Category, Example, ExportContext, Expression, Formula, History, Language, OpContext,
    OpDef, OpError, OpMeta, OpPart, Operands, Role, Rule, Semantics,
};
use xla_array::Shape;
use xla_array::index::{multi_index, row_major_index};
use xla_kernels::View;
use xla_messages::i18n::Message;

/// Changes the sizes of an array; the elements stay in row-major order, whatever the layouts.
///
/// The result shape must be explicit. `Reshape` with `dimensions` of the documentation is a transpose, then this op;
/// `Collapse` is this op. The published example of `Collapse` contradicts its rule (the results for `{0,1}` and `{1,2}`
/// are exchanged); this follows the rule. Source: XLA's operation semantics, "Reshape" and "Collapse".
pub struct Reshape;

/// The array of the examples in XLA's operation semantics, and a reshape of it.
macro_rules! documented {
    ($then:literal) => {
        concat!(
            "v = f32[4,2,3] constant({{{10,11,12},{15,16,17}},{{20,21,22},{25,26,27}},
                                      {{30,31,32},{35,36,37}},{{40,41,42},{45,46,47}}}) ",
            $then
        )
    };
}

static META: OpMeta = OpMeta {
    opcode: "reshape",
    title: "Reshape",
    search_terms: &[],
    sections: &["Reshape", "Collapse"],
    category: Category::Movement,
    history: History::UNCHANGED,
    summary: "op-reshape",
    formula: Formula::Words("formula-reshape"),
    operands: Operands::exactly(&["operand"]),
    inline_attr: None,
    attrs: &[
        AttrSpec::optional("inferred_dimension", AttrKind::Int, "attr-inferred-dimension").current_only()
    ],
    rules: &[
        Rule {
            identifier: "reshape-1",
            description: "rule-same-type",
            violated_by: "x = f32[6] parameter(0) ROOT r = s32[2,3] reshape(x)",
        },
        Rule {
            identifier: "reshape-2",
            description: "rule-same-count",
            violated_by: "x = f32[6] parameter(0) ROOT r = f32[2,4] reshape(x)",
        },
    ],
    examples: &[
        Example {
            title: "shows-two-by-three",
            hlo: "x = s32[2,3] constant({{1,2,3},{4,5,6}}) ROOT r = s32[3,2] reshape(x)",
            result: "s32[3,2] { {1, 2}, {3, 4}, {5, 6} }",
        },
        Example {
            title: "shows-flatten",
            hlo: documented!("ROOT r = f32[24] reshape(v)"),
            result: "f32[24] {10,11,12,15,16,17,20,21,22,25,26,27,30,31,32,35,36,37,40,41,42,45,46,47}",
        },
        // `Collapse` of {0,1} too, though the page shows the result of {1,2}.
        Example {
            title: "shows-merge-first",
            hlo: documented!("ROOT r = f32[8,3] reshape(v)"),
            result: "f32[8,3] {{10,11,12},{15,16,17},{20,21,22},{25,26,27},{30,31,32},{35,36,37},{40,41,42},{45,46,47}}",
        },
        // `Collapse` of {1,2}, though the page shows the result of {0,1}.
        Example {
            title: "shows-merge-last",
            hlo: documented!("ROOT r = f32[4,6] reshape(v)"),
            result: "f32[4,6] {{10,11,12,15,16,17},{20,21,22,25,26,27},{30,31,32,35,36,37},{40,41,42,45,46,47}}",
        },
        Example {
            title: "shows-other-order",
            hlo: documented!("t = transpose(v), dimensions={1,2,0} ROOT r = f32[24] reshape(t)"),
            result: "f32[24] {10,20,30,40,11,21,31,41,12,22,32,42,15,25,35,45,16,26,36,46,17,27,37,47}",
        },
        Example {
            title: "shows-other-order-merged",
            hlo: documented!("t = transpose(v), dimensions={1,2,0} ROOT r = f32[8,3] reshape(t)"),
            result: "f32[8,3] {{10,20,30},{40,11,21},{31,41,12},{22,32,42},{15,25,35},{45,16,26},{36,46,17},{27,37,47}}",
        },
        Example {
            title: "shows-split",
            hlo: documented!("t = transpose(v), dimensions={1,2,0} ROOT r = f32[2,6,2] reshape(t)"),
            result: "f32[2,6,2] {{{10,20},{30,40},{11,21},{31,41},{12,22},{32,42}},
                                 {{15,25},{35,45},{16,26},{36,46},{17,27},{37,47}}}",
        },
        Example {
            title: "shows-to-scalar",
            hlo: "x = f32[1,1] constant({{5}}) ROOT r = f32[] reshape(x)",
            result: "f32[] 5",
        },
        Example {
            title: "shows-from-scalar",
            hlo: "x = s32[] constant(5) ROOT r = s32[1,1] reshape(x)",
            result: "s32[1,1] {{5}}",
        },
    ],
};

/// Both views with their common refinement as dimensions: if one array has 6 where the other has 2 and 3, both get 2
/// and 3. `None` if there is none, as for 4 by 6 and 6 by 4 in layouts whose dimensions cannot be merged.
fn common_refinement(from: &View, to: &View) -> Option<(View, View)> {
    let merged = |view: &View| {
        let merged = xla_kernels::view::collapse(&view.sizes, [&view.strides]);
        let strides = merged.strides.into_iter().map(|[stride]| stride).collect();
        View { offset: view.offset, sizes: merged.sizes, strides }
    };
    if from.elements() == 0 {
        return Some((View::row_major(&[0]), View::row_major(&[0])));
    }
    let (mut a, mut b) = (merged(from), merged(to));
    let mut dims: Vec<(usize, isize, isize)> = Vec::new();
    // From the minor end: the smaller of two sizes must divide the larger, which is split.
    while let (Some(i), Some(j)) = (a.sizes.last().copied(), b.sizes.last().copied()) {
        let size = i.min(j);
        if i % size != 0 || j % size != 0 {
            return None;
        }
        dims.push((size, *a.strides.last()?, *b.strides.last()?));
        for view in [&mut a, &mut b] {
            if let (Some(remaining), Some(stride)) = (view.sizes.last_mut(), view.strides.last_mut()) {
                *remaining /= size;
                *stride *= size.cast_signed();
            }
            if view.sizes.last() == Some(&1) {
                view.sizes.pop();
                view.strides.pop();
            }
        }
    }
    dims.reverse();
    let sizes: Vec<usize> = dims.iter().map(|(size, ..)| *size).collect();
    let view = |offset, strides: Vec<isize>| View { offset, sizes: sizes.clone(), strides };
    let strides = |pick: fn(&(usize, isize, isize)) -> isize| dims.iter().map(pick).collect();
    Some((view(from.offset, strides(|dim| dim.1)), view(to.offset, strides(|dim| dim.2))))
}

impl OpDef for Reshape {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (operand, result) = (cx.array(0)?, cx.explicit_result_array()?);
        if operand.element_type != result.element_type {
            let message = Message::ops("op-result-type")
                .with("found", result.element_type.name())
                .with("expected", operand.element_type.name());
            return Err(cx.error("reshape-1", message).at(OpPart::Result));
        }
        if operand.elements() != result.elements() {
            // In the message, -1 is an unknown number of elements.
            let message = Message::ops("op-reshape-count")
                .with("operand", operand.elements().unwrap_or(-1))
                .with("result", result.elements().unwrap_or(-1));
            let mut flat = operand.clone();
            flat.dimensions = operand.elements().into_iter().collect();
            let fix = flat.human_string();
            return Err(cx.error("reshape-2", message).at(OpPart::Result).with_fix(OpPart::Result, fix));
        }
        Ok(Shape::Array(result.clone()))
    }

    fn task(&self, context: &TaskContext) -> Result<PlannedTask, Fallback> {
        let (from, to) =
            common_refinement(&context.view(0)?, &context.out_view()?).ok_or(Fallback::UnsupportedLayout)?;
        context.copy_task(0, from, to)
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let from = cx.array(0)?.dimensions.clone();
        let to = cx.explicit_result_array()?.dimensions.clone();
        Ok(Semantics::per_element(move |out, read| {
            read.get(0, &multi_index(row_major_index(out, &to), &from), Role::Value)
        }))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let (x, sizes) = (to.name(0), &to.result()?.dimensions);
        let text = match to.language {
            Language::Rust => format!("b.reshape({x}, &{sizes:?})"),
            Language::Jax => format!("lax.reshape({x}, {})", tuple(sizes)),
            Language::NumPy => format!("np.reshape({x}, {})", tuple(sizes)),
        };
        Some(text.into())
    }
}
