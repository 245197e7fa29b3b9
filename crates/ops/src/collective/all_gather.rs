//! `all-gather`: see [`AllGather`].

use super::groups::{
    CHANNEL_ID, CONSTRAIN_LAYOUT, GroupRules, Groups, REPLICA_GROUPS, USE_GLOBAL_DEVICE_IDS,
};
use super::{Collective, GroupSize, one_dimension, resize_dimension, tuple_if_written};
use crate::{
    AttrKind, AttrSpec, Attrs, Category, DimensionsOf, Effect, Example, Formula, History, HostExample,
    OpContext, OpDef, OpError, OpMeta, OpPart, Operands, Role, Rule, Semantics,
};
use xla_array::{Dims, Shape};
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// Concatenates the arrays of all devices of the group along a dimension, in the order of the group; every device gets
/// the result.
///
/// The number of devices follows from the result shape, which must be written; without one, it is the size of
/// the groups. Source: `ShapeInference::InferAllGatherShape`, `ShapeVerifier::HandleAllGather`.
pub struct AllGather;

static META: OpMeta = OpMeta {
    opcode: "all-gather",
    title: "AllGather",
    search_terms: &[],
    sections: &["AllGather"],
    category: Category::Collective,
    history: History::NEWER,
    summary: "op-all-gather",
    formula: Formula::Symbols("out[…, m · size + i, …] = operand_of_device_m[…, i, …]"),
    operands: Operands::at_least(&["operand"], "operand"),
    inline_attr: None,
    attrs: &[
        CHANNEL_ID,
        REPLICA_GROUPS,
        CONSTRAIN_LAYOUT,
        AttrSpec::required("dimensions", AttrKind::Ints, "attr-one-dimension")
            .dimensions_of(DimensionsOf::Operand(0)),
        USE_GLOBAL_DEVICE_IDS,
    ],
    rules: &[
        Rule {
            identifier: "collective-5",
            description: "rule-groups-sizes",
            violated_by: "x = f32[2] parameter(0)
                        ROOT r = f32[4] all-gather(x), replica_groups={{0,1},{2}}, dimensions={0}",
        },
        Rule {
            identifier: "collective-6",
            description: "rule-one-dimension",
            violated_by: "x = f32[2] parameter(0)
                        ROOT r = f32[2] all-gather(x), replica_groups={{0}}, dimensions={0,1}",
        },
        Rule {
            identifier: "collective-7",
            description: "rule-dimension-range",
            violated_by: "x = f32[2] parameter(0)
                        ROOT r = f32[2] all-gather(x), replica_groups={{0}}, dimensions={1}",
        },
        Rule {
            identifier: "all-gather-1",
            description: "rule-all-gather-size",
            violated_by: "x = f32[2] parameter(0)
                        ROOT r = f32[6] all-gather(x), replica_groups={{0,1}}, dimensions={0}",
        },
    ],
    examples: &[Example {
        title: "shows-one-replica",
        hlo: "x = f32[2] constant({1, 2}) ROOT r = f32[2] all-gather(x), replica_groups={{0}}, dimensions={0}",
        result: "f32[2] {1, 2}",
    }],
};

/// The number of arrays joined: from the written result, else the group size. Groups of one do not restrict it: as in
/// XLA's verifier, they may be placeholders for groups that are not known yet.
fn shard_count(cx: &OpContext, groups: &Groups, d: usize) -> Result<Option<i64>, OpError> {
    let group_size = groups.size().filter(|size| *size > 1).and_then(|size| i64::try_from(size).ok());
    let result = match cx.written {
        Some(Shape::Tuple(elements)) => elements.first().and_then(Shape::as_array),
        Some(other) => other.as_array(),
        None => None,
    };
    let Some(result) = result else { return Ok(group_size) };
    let size = cx.array(0)?.dimensions[d];
    // A written result of lower rank has no dimension d: reported below as size 0.
    let found = result.dimensions.get(d).copied().unwrap_or(0);
    let count = if size == 0 { group_size.or(Some(1)) } else { Some(found / size) };
    let is_valid = count.is_some_and(|count| count > 0 && size.checked_mul(count) == Some(found));
    if is_valid && group_size.is_none_or(|wanted| count == Some(wanted)) {
        return Ok(count);
    }
    let message = Message::ops("op-all-gather-size")
        .with("dimension", d)
        .with("found", found)
        .with("size", size)
        // 0 means an unknown group size.
        .with("count", group_size.unwrap_or(0));
    let error = cx.error("all-gather-1", message).at(OpPart::Result);
    let fixed = group_size.and_then(|count| size.checked_mul(count));
    if let (Some(fixed), Some(Shape::Array(array))) = (fixed, &cx.written) {
        let mut sizes = array.dimensions.clone();
        if let Some(size) = sizes.get_mut(d) {
            *size = fixed;
        }
        let sizes = super::super::infer::comma_separated(&sizes);
        return Err(error.with_fix(OpPart::Result, format!("{}[{sizes}]", array.element_type)));
    }
    let hint = Message::ops("op-hint-all-gather-multiple").with("dimension", d).with("size", size);
    Err(error.with_hint(hint))
}

/// An example on two replicas.
static HOST_EXAMPLES: &[HostExample] = &[HostExample {
    title: "shows-gathered",
    hlo: "HloModule two_replicas

ENTRY together {
  x = f32[2] parameter(0)
  ROOT all = f32[4] all-gather(x), replica_groups={{0,1}}, dimensions={0}
}
",
    values: &[&["{1, 2}"], &["{3, 4}"]],
    infeed: &[],
    functions: &[],
    replicas: 2,
    results: &["f32[4] {1, 2, 3, 4}", "f32[4] {1, 2, 3, 4}"],
}];

impl OpDef for AllGather {
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
        let Some(count) = shard_count(cx, &groups, d)? else { return cx.require_result_shape().cloned() };
        Ok(tuple_if_written(cx, resize_dimension(cx, d, |size| size.saturating_mul(count))?))
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let groups = Groups::from_attrs(cx, GroupRules { has_global_ids: true, is_uniform: true })?;
        let d = one_dimension(cx, cx.array(0)?.rank())?;
        let count = shard_count(cx, &groups, d)?;
        let sizes: Vec<i64> = cx.arrays()?.iter().map(|array| array.dimensions[d]).collect();
        let inputs = cx.operands.len();
        // Arrays without elements concatenate to the same result in any number.
        let group_size =
            count.filter(|_| sizes.iter().any(|size| *size > 0)).map_or(GroupSize::Any, GroupSize::Exactly);
        Collective::semantics(cx, groups, group_size, move |operand, _, out, read| {
            let mut index = Dims::from_slice(out);
            index[d] = out[d] % sizes[operand];
            let member = usize::try_from(out[d] / sizes[operand]).or_bug(0, "a negative index");
            read.get(member * inputs + operand, &index, Role::Value)
        })
    }

    fn is_default_attr(&self, name: &str, cx: &OpContext) -> bool {
        cx.is_false(name)
    }

    fn needs_environment_check(&self) -> bool {
        true
    }

    fn effect(&self, _: &Attrs) -> Effect {
        Effect::Rendezvous
    }
}
