//! `collective-broadcast`: see [`CollectiveBroadcast`].

use super::groups::{CHANNEL, GROUPS, Groups};
use super::{Collective, Needs, one_or_tuple};
use crate::{
    Attrs, Body, Category, Effect, Example, OpContext, OpDef, OpError, OpMeta, Operands, Role, Rule,
};
use xla_array::Shape;

/// Gives every device of a group the array of its first.
///
/// Source: `ShapeInference::InferCollectiveBroadcastShape`.
pub struct CollectiveBroadcast;

static META: OpMeta = OpMeta {
    opcode: "collective-broadcast",
    title: "CollectiveBroadcast",
    names: &[],
    sections: &[],
    category: Category::Collective,
    summary: "op-collective-broadcast",
    formula: "out[i] = operand_of_device_0[i]",
    operands: Operands { fixed: &["operand"], rest: Some("operand") },
    argument: None,
    attrs: &[CHANNEL, GROUPS],
    rules: &[
        Rule {
            label: "collective-1",
            description: "rule-groups",
            broken_by: "x = f32[2] parameter(0)
                        ROOT r = f32[2] collective-broadcast(x), replica_groups=[2,2]<=[5]",
        },
        Rule {
            label: "collective-2",
            description: "rule-groups-once",
            broken_by: "x = f32[2] parameter(0)
                        ROOT r = f32[2] collective-broadcast(x), replica_groups={{0,0}}",
        },
    ],
    examples: &[Example {
        hlo: "x = f32[2] constant({1, 2}) ROOT r = f32[2] collective-broadcast(x), replica_groups={{0}}",
        result: "f32[2] {1, 2}",
    }],
};

impl OpDef for CollectiveBroadcast {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn is_written(&self) -> bool {
        true
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let arrays = cx.arrays()?;
        Groups::of(cx, false, false)?;
        let shapes = arrays.iter().map(|a| cx.result(a.element_type, a.dimensions.iter().copied()));
        Ok(one_or_tuple(shapes.collect::<Result<_, _>>()?))
    }

    fn bind(&self, cx: &OpContext) -> Result<Body, OpError> {
        let groups = Groups::of(cx, false, false)?;
        Collective::body(cx, groups, Needs::Any, |k, _, out, read| read.get(k, out, Role::Value))
    }

    fn needs_admission(&self) -> bool {
        true
    }

    fn effect(&self, _: &Attrs) -> Effect {
        Effect::Meets
    }
}
