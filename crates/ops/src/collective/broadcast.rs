//! `collective-broadcast`: see [`CollectiveBroadcast`].

use super::groups::{CHANNEL_ID, GroupRules, Groups, REPLICA_GROUPS};
use super::{Collective, GroupSize, one_or_tuple};
use crate::{
    Attrs, Category, Effect, Example, Formula, History, HostExample, OpContext, OpDef, OpError, OpMeta,
    Operands, Role, Rule, Semantics,
};
use xla_array::Shape;

/// Copies the array of the first device of a group to all its devices.
///
/// Source: `ShapeInference::InferCollectiveBroadcastShape`.
pub struct CollectiveBroadcast;

static META: OpMeta = OpMeta {
    opcode: "collective-broadcast",
    title: "CollectiveBroadcast",
    search_terms: &[],
    sections: &["CollectiveBroadcast"],
    category: Category::Collective,
    history: History::NEWER,
    summary: "op-collective-broadcast",
    formula: Formula::Symbols("out[i] = operand_of_device_0[i]"),
    operands: Operands::at_least(&["operand"], "operand"),
    inline_attr: None,
    attrs: &[CHANNEL_ID, REPLICA_GROUPS],
    rules: &[Rule {
        identifier: "collective-1",
        description: "rule-groups",
        violated_by: "x = f32[2] parameter(0)
                        ROOT r = f32[2] collective-broadcast(x), replica_groups=[2,2]<=[5]",
    }],
    examples: &[Example {
        title: "shows-one-replica",
        hlo: "x = f32[2] constant({1, 2}) ROOT r = f32[2] collective-broadcast(x), replica_groups={{0}}",
        result: "f32[2] {1, 2}",
    }],
};

/// An example on two replicas.
static HOST_EXAMPLES: &[HostExample] = &[HostExample {
    title: "shows-from-first",
    hlo: "HloModule two_replicas

ENTRY together {
  x = f32[2] parameter(0)
  ROOT copied = f32[2] collective-broadcast(x), replica_groups={{0,1}}
}
",
    values: &[&["{1, 2}"], &["{3, 4}"]],
    infeed: &[],
    functions: &[],
    replicas: 2,
    results: &["f32[2] {1, 2}", "f32[2] {1, 2}"],
}];

impl OpDef for CollectiveBroadcast {
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
        let arrays = cx.arrays()?;
        Groups::check_syntax(cx)?;
        let shapes = arrays.iter().map(|a| cx.result(a.element_type, a.dimensions.iter().copied()));
        Ok(one_or_tuple(shapes.collect::<Result<_, _>>()?))
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let groups = Groups::from_attrs(cx, GroupRules { has_global_ids: false, is_uniform: false })?;
        Collective::semantics(cx, groups, GroupSize::Any, |operand, _, out, read| {
            read.get(operand, out, Role::Value)
        })
    }

    fn needs_environment_check(&self) -> bool {
        true
    }

    fn effect(&self, _: &Attrs) -> Effect {
        Effect::Rendezvous
    }
}
