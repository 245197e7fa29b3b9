//! `reduce-scatter`: see [`ReduceScatter`].

use super::groups::{
    CHANNEL_ID, CONSTRAIN_LAYOUT, GROUP_MODE, GroupRules, Groups, REPLICA_GROUPS, USE_GLOBAL_DEVICE_IDS,
};
use super::{Collective, GroupSize, check_reducers, one_dimension, reduce_members, resize_dimension};
use crate::{
    AttrKind, AttrSpec, Attrs, Category, DimensionsOf, Effect, Example, Formula, History, HostExample,
    OpContext, OpDef, OpError, OpMeta, OpPart, Operands, Rule, Semantics,
};
use xla_array::{Dims, Shape};
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// Reduces the arrays of all devices of the group element by element, and scatters the result along a dimension: the
/// first device of the group gets the first part.
///
/// Source: `ShapeInference::InferReduceScatterShape`, `ShapeVerifier::HandleReduceScatter`.
pub struct ReduceScatter;

static META: OpMeta = OpMeta {
    opcode: "reduce-scatter",
    title: "ReduceScatter",
    search_terms: &[],
    sections: &["ReduceScatter"],
    category: Category::Collective,
    history: History::NEWER,
    summary: "op-reduce-scatter",
    formula: Formula::Symbols("out_of_device_m[…, i, …] = reduce(operand_of_device_0[…, m · size + i, …], …)"),
    operands: Operands::at_least(&["operand"], "operand"),
    inline_attr: None,
    attrs: &[
        CHANNEL_ID,
        REPLICA_GROUPS,
        CONSTRAIN_LAYOUT,
        USE_GLOBAL_DEVICE_IDS,
        GROUP_MODE,
        AttrSpec::required("dimensions", AttrKind::Ints, "attr-one-dimension").dimensions_of(DimensionsOf::Operand(0)),
        AttrSpec::required("to_apply", AttrKind::Computation, "attr-reducer"),
    ],
    rules: &[
        Rule {
            identifier: "reduce-scatter-1",
            description: "rule-reduce-scatter-size",
            violated_by: "x = f32[3] parameter(0)
                        ROOT r = f32[1] reduce-scatter(x), replica_groups={{0,1}}, dimensions={0}, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        },
        Rule {
            identifier: "collective-6",
            description: "rule-one-dimension",
            violated_by: "x = f32[2] parameter(0)
                        ROOT r = f32[2] reduce-scatter(x), replica_groups={{0}}, dimensions={}, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        },
        Rule {
            identifier: "collective-9",
            description: "rule-reducer-types",
            violated_by: "x = s32[2] parameter(0)
                        ROOT r = s32[2] reduce-scatter(x), replica_groups={{0}}, dimensions={0}, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        },
    ],
    examples: &[
Example {
 title: "shows-one-replica",
        hlo: "x = f32[2] constant({1, 2}) ROOT r = f32[2] reduce-scatter(x), replica_groups={{0}}, dimensions={0},
              to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        result: "f32[2] {1, 2}",
    },
],
};

/// The number of parts: from the written result, else the group size.
fn part_count(cx: &OpContext, groups: &Groups, d: usize) -> Result<Option<i64>, OpError> {
    let group_size = groups.size().and_then(|size| i64::try_from(size).ok());
    let result = match cx.written {
        Some(Shape::Tuple(elements)) => elements.first().and_then(Shape::as_array),
        Some(other) => other.as_array(),
        None => None,
    };
    let size = cx.array(0)?.dimensions[d];
    // A written result of lower rank has no dimension `d`; its size is reported as 0.
    let found = result.map(|result| result.dimensions.get(d).copied().unwrap_or(0));
    let count = match found {
        Some(0) | None => group_size,
        Some(part) => Some(size / part),
    };
    let part = count.filter(|count| *count > 0).map(|count| size / count);
    let is_valid = match (count, part) {
        (Some(count), Some(part)) => {
            count > 0 && part.checked_mul(count) == Some(size) && found.is_none_or(|found| found == part)
        }
        _ => found.is_none_or(|found| found == size),
    };
    // As in XLA's verifier, groups of one device do not restrict the size: they may be placeholders for groups that are
    // not known yet.
    if is_valid && group_size.is_none_or(|wanted| wanted == 1 || count == Some(wanted)) {
        return Ok(count);
    }
    // 0 means an unknown size.
    let message = Message::ops("op-reduce-scatter-size")
        .with("dimension", d)
        .with("found", found.unwrap_or(0))
        .with("size", size)
        .with("count", group_size.unwrap_or(0));
    Err(cx.error("reduce-scatter-1", message).at(OpPart::Result))
}

/// An example on two replicas.
static HOST_EXAMPLES: &[HostExample] = &[HostExample {
    title: "shows-summed-shared",
    hlo: "HloModule two_replicas

add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }

ENTRY together {
  x = f32[2] parameter(0)
  ROOT part = f32[1] reduce-scatter(x), replica_groups={{0,1}}, dimensions={0}, to_apply=add
}
",
    values: &[&["{1, 2}"], &["{3, 4}"]],
    infeed: &[],
    functions: &[],
    replicas: 2,
    results: &["f32[1] {4}", "f32[1] {6}"],
}];

impl OpDef for ReduceScatter {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn host_examples(&self) -> &'static [HostExample] {
        HOST_EXAMPLES
    }

    fn requires_written_shape(&self) -> bool {
        true
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let groups = Groups::from_attrs(cx, GroupRules { has_global_ids: true, is_uniform: true })?;
        let d = one_dimension(cx, cx.array(0)?.rank())?;
        check_reducers(cx)?;
        let Some(count) = part_count(cx, &groups, d)? else { return cx.require_result_shape().cloned() };
        resize_dimension(cx, d, |size| size / count.max(1))
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let groups = Groups::from_attrs(cx, GroupRules { has_global_ids: true, is_uniform: true })?;
        let d = one_dimension(cx, cx.array(0)?.rank())?;
        let count = part_count(cx, &groups, d)?;
        let sizes: Vec<i64> = cx.arrays()?.iter().map(|array| array.dimensions[d]).collect();
        let (inputs, region) = (cx.operands.len(), cx.region("to_apply")?);
        let group_size =
            count.filter(|_| sizes.iter().any(|size| *size > 0)).map_or(GroupSize::Any, GroupSize::Exactly);
        Collective::semantics(cx, groups, group_size, move |operand, position, out, read| {
            let part = sizes[operand]
                / i64::try_from(position.group_size).or_bug(1, "a group of more than i64::MAX devices");
            let mut index = Dims::from_slice(out);
            index[d] += part * i64::try_from(position.in_group).or_bug(0, "a position beyond all devices");
            reduce_members(&region, inputs, operand, position, &index, read)
        })
    }

    fn is_default_attr(&self, name: &str, cx: &OpContext) -> bool {
        name == GROUP_MODE.name || cx.is_false(name)
    }

    fn needs_environment_check(&self) -> bool {
        true
    }

    fn effect(&self, _: &Attrs) -> Effect {
        Effect::Rendezvous
    }
}
