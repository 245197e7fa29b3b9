//! `reduce-scatter`: see [`ReduceScatter`].

use super::groups::{CHANNEL, CONSTRAIN, GLOBAL, GROUPS, Groups};
use super::{Collective, Needs, check_fold, fold, one_dimension, resized};
use crate::{
    At, AttrKind, AttrSpec, Attrs, Body, Category, Effect, Example, OpContext, OpDef, OpError, OpMeta,
    Operands, Rule,
};
use xla_array::{Dims, Shape};
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// Folds the arrays of all devices of the group, cell by cell, and gives each device its part along a dimension: the
/// first part to the first of the group.
///
/// Source: `ShapeInference::InferReduceScatterShape`, `ShapeVerifier::HandleReduceScatter`.
pub struct ReduceScatter;

static META: OpMeta = OpMeta {
    opcode: "reduce-scatter",
    title: "ReduceScatter",
    names: &[],
    sections: &["ReduceScatter"],
    category: Category::Collective,
    summary: "op-reduce-scatter",
    formula: "out_of_device_m[…, i, …] = fold(operand_of_device_0[…, m · size + i, …], …)",
    operands: Operands { fixed: &["operand"], rest: Some("operand") },
    argument: None,
    attrs: &[
        CHANNEL,
        GROUPS,
        CONSTRAIN,
        GLOBAL,
        AttrSpec::required("dimensions", AttrKind::Ints, "attr-one-dimension"),
        AttrSpec::required("to_apply", AttrKind::Computation, "attr-reducer"),
    ],
    rules: &[
        Rule {
            label: "reduce-scatter-1",
            description: "rule-reduce-scatter-size",
            broken_by: "x = f32[3] parameter(0)
                        ROOT r = f32[1] reduce-scatter(x), replica_groups={{0,1}}, dimensions={0}, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        },
        Rule {
            label: "collective-6",
            description: "rule-one-dimension",
            broken_by: "x = f32[2] parameter(0)
                        ROOT r = f32[2] reduce-scatter(x), replica_groups={{0}}, dimensions={}, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        },
        Rule {
            label: "collective-9",
            description: "rule-reducer-types",
            broken_by: "x = s32[2] parameter(0)
                        ROOT r = s32[2] reduce-scatter(x), replica_groups={{0}}, dimensions={0}, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        },
    ],
    examples: &[Example {
        hlo: "x = f32[2] constant({1, 2}) ROOT r = f32[2] reduce-scatter(x), replica_groups={{0}}, dimensions={0},
              to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        result: "f32[2] {1, 2}",
    }],
};

/// The number of parts: from the written result, else the group size.
fn parts(cx: &OpContext, groups: &Groups, d: usize) -> Result<Option<i64>, OpError> {
    let of_groups = groups.size().and_then(|size| i64::try_from(size).ok());
    let result = match cx.written {
        Some(Shape::Tuple(elements)) => elements.first().and_then(Shape::as_array),
        Some(other) => other.as_array(),
        None => None,
    };
    let size = cx.array(0)?.dimensions[d];
    // A written result of lower rank has no dimension d: reported below as size 0.
    let found = result.map(|result| result.dimensions.get(d).copied().unwrap_or(0));
    let count = match found {
        Some(0) | None => of_groups,
        Some(part) => Some(size / part),
    };
    let part = count.filter(|count| *count > 0).map(|count| size / count);
    let fits = match (count, part) {
        (Some(count), Some(part)) => {
            count > 0 && part.checked_mul(count) == Some(size) && found.is_none_or(|found| found == part)
        }
        _ => found.is_none_or(|found| found == size),
    };
    if fits && of_groups.is_none_or(|wanted| count == Some(wanted)) {
        return Ok(count);
    }
    // 0 stands for an unknown size.
    let message = Message::engine("op-reduce-scatter-size")
        .with("dimension", d)
        .with("found", found.unwrap_or(0))
        .with("size", size)
        .with("count", of_groups.unwrap_or(0));
    Err(cx.error("reduce-scatter-1", message).at(At::Result))
}

impl OpDef for ReduceScatter {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn is_written(&self) -> bool {
        true
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let groups = Groups::of(cx, true, true)?;
        let d = one_dimension(cx, cx.array(0)?.rank())?;
        check_fold(cx)?;
        let Some(count) = parts(cx, &groups, d)? else { return cx.written_shape().cloned() };
        resized(cx, d, |size| size / count.max(1))
    }

    fn bind(&self, cx: &OpContext) -> Result<Body, OpError> {
        let groups = Groups::of(cx, true, true)?;
        let d = one_dimension(cx, cx.array(0)?.rank())?;
        let count = parts(cx, &groups, d)?;
        let sizes: Vec<i64> = cx.arrays()?.iter().map(|array| array.dimensions[d]).collect();
        let (inputs, region) = (cx.operands.len(), cx.region("to_apply")?);
        let needs = count.filter(|_| sizes.iter().any(|size| *size > 0)).map_or(Needs::Any, Needs::Exactly);
        Collective::body(cx, groups, needs, move |k, stand, out, read| {
            let part =
                sizes[k] / i64::try_from(stand.members).or_bug(1, "a group of more than i64::MAX devices");
            let mut index = Dims::from_slice(out);
            index[d] += part * i64::try_from(stand.position).or_bug(0, "a position beyond all devices");
            fold(&region, inputs, k, stand, &index, read)
        })
    }

    fn omits(&self, name: &str, cx: &OpContext) -> bool {
        cx.is_unset_flag(name)
    }

    fn needs_admission(&self) -> bool {
        true
    }

    fn effect(&self, _: &Attrs) -> Effect {
        Effect::Meets
    }
}
