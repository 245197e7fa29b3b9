//! `all-to-all`: see [`AllToAll`].

use super::groups::{CHANNEL_ID, CONSTRAIN_LAYOUT, GroupRules, Groups, REPLICA_GROUPS};
use super::{Collective, GroupSize, one_dimension};
use crate::{
    AttrKind, AttrSpec, Attrs, Category, DimensionsOf, Effect, Example, Formula, History, HostExample,
    OpContext, OpDef, OpError, OpMeta, Operands, Role, Rule, Semantics,
};
use xla_array::{Dims, Shape};
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// Every device sends a part to every device of the group: device `i` sends its part `j` to device `j`, where it
/// becomes part `i`.
///
/// The array form (`dimensions={d}`, one operand) splits and concatenates along a dimension; the tuple form has one
/// operand per device and a tuple as result. Source: `ShapeInference::InferAllToAllShape`, `InferAllToAllTupleShape`.
pub struct AllToAll;

static META: OpMeta = OpMeta {
    opcode: "all-to-all",
    title: "AllToAll",
    search_terms: &[],
    sections: &["AllToAll"],
    category: Category::Collective,
    history: History::NEWER,
    summary: "op-all-to-all",
    formula: Formula::Words("formula-all-to-all"),
    operands: Operands::at_least(&["operand"], "operand"),
    inline_attr: None,
    attrs: &[
        CHANNEL_ID,
        REPLICA_GROUPS,
        CONSTRAIN_LAYOUT,
        AttrSpec::optional("dimensions", AttrKind::Ints, "attr-one-dimension")
            .dimensions_of(DimensionsOf::Operand(0)),
    ],
    rules: &[
        Rule {
            identifier: "all-to-all-1",
            description: "rule-all-to-all-array",
            violated_by: "x = f32[2] parameter(0)
                        ROOT r = f32[2] all-to-all(x, x), replica_groups={{0,1}}, dimensions={0}",
        },
        Rule {
            identifier: "all-to-all-2",
            description: "rule-all-to-all-parts",
            violated_by: "x = f32[3] parameter(0)
                        ROOT r = f32[3] all-to-all(x), replica_groups={{0,1}}, dimensions={0}",
        },
        Rule {
            identifier: "all-to-all-3",
            description: "rule-all-to-all-operands",
            violated_by: "x = f32[3] parameter(0)
                        ROOT r = (f32[3]) all-to-all(x), replica_groups={{0,1}}",
        },
        Rule {
            identifier: "all-to-all-4",
            description: "rule-same-shape",
            violated_by: "x = f32[3] parameter(0) y = f32[2] parameter(1)
                        ROOT r = (f32[3], f32[2]) all-to-all(x, y), replica_groups={{0,1}}",
        },
    ],
    examples: &[
        Example {
            title: "shows-one-replica",
            hlo: "x = f32[2] constant({1, 2})
                  ROOT r = f32[2] all-to-all(x), replica_groups={{0}}, dimensions={0}",
            result: "f32[2] {1, 2}",
        },
        Example {
            title: "shows-one-replica-tuple",
            hlo: "x = f32[2] constant({1, 2}) r = (f32[2]) all-to-all(x), replica_groups={{0}}
                  ROOT e = f32[2] get-tuple-element(r), index=0",
            result: "f32[2] {1, 2}",
        },
    ],
};

/// An example on two replicas.
static HOST_EXAMPLES: &[HostExample] = &[HostExample {
    title: "shows-exchanged",
    hlo: "HloModule two_replicas

ENTRY together {
  x = f32[2] parameter(0)
  ROOT mixed = f32[2] all-to-all(x), replica_groups={{0,1}}, dimensions={0}
}
",
    values: &[&["{1, 2}"], &["{3, 4}"]],
    infeed: &[],
    functions: &[],
    replicas: 2,
    results: &["f32[2] {1, 3}", "f32[2] {2, 4}"],
}];

impl OpDef for AllToAll {
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
        let (arrays, first) = (cx.arrays()?, cx.array(0)?);
        let groups = Groups::from_attrs(cx, GroupRules { has_global_ids: false, is_uniform: true })?;
        if cx.attrs.get("dimensions").is_some() {
            if arrays.len() != 1 {
                let message = Message::ops("op-all-to-all-array").with("found", arrays.len());
                return Err(cx.error("all-to-all-1", message));
            }
            let d = one_dimension(cx, first.rank())?;
            let size = first.dimensions[d];
            if let Some(count) = groups.size().and_then(|count| i64::try_from(count).ok())
                && size % count != 0
            {
                let message =
                    Message::ops("op-parts").with("dimension", d).with("size", size).with("count", count);
                return Err(cx.error("all-to-all-2", message).at_operand(0));
            }
            return cx.result(first.element_type, first.dimensions.iter().copied());
        }
        if let Some(count) = groups.size().filter(|count| *count != arrays.len()) {
            let message =
                Message::ops("op-all-to-all-operands").with("count", count).with("found", arrays.len());
            return Err(cx.error("all-to-all-3", message));
        }
        for (i, array) in arrays.iter().enumerate() {
            if array.dimensions != first.dimensions {
                return Err(cx.size_mismatch("all-to-all-4", i, 0));
            }
            if array.element_type != first.element_type {
                return Err(cx.type_mismatch("all-to-all-4", i));
            }
        }
        let element_shape =
            |array: &&xla_array::ArrayShape| cx.result(array.element_type, array.dimensions.iter().copied());
        Ok(Shape::Tuple(arrays.iter().map(element_shape).collect::<Result<_, _>>()?))
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let groups = Groups::from_attrs(cx, GroupRules { has_global_ids: false, is_uniform: true })?;
        let inputs = cx.operands.len();
        if cx.attrs.get("dimensions").is_none() {
            let group_size =
                GroupSize::Exactly(i64::try_from(inputs).or_bug(1, "more than i64::MAX operands"));
            return Collective::semantics(cx, groups, group_size, move |operand, position, out, read| {
                read.get(operand * inputs + position.in_group, out, Role::Value)
            });
        }
        let first = cx.array(0)?;
        let d = one_dimension(cx, first.rank())?;
        let size = first.dimensions[d];
        Collective::semantics(cx, groups, GroupSize::DivisorOf(size), move |_, position, out, read| {
            let part = (size
                / i64::try_from(position.group_size).or_bug(1, "a group of more than i64::MAX devices"))
            .max(1);
            let mut index = Dims::from_slice(out);
            index[d] = part * i64::try_from(position.in_group).or_bug(0, "a position beyond all devices")
                + out[d] % part;
            let member = usize::try_from(out[d] / part).or_bug(0, "a negative index");
            read.get(member, &index, Role::Value)
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
