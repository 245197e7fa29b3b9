//! `collective-permute`: see [`CollectivePermute`].

use super::groups::{CHANNEL, Groups};
use super::{Collective, Needs, one_or_tuple};
use crate::array::{Shape, Value};
use crate::i18n::Message;
use crate::ops::{
    AttrKind, AttrSpec, AttrValue, Attrs, Body, Category, Effect, Example, Infer, OpDef, OpError, OpMeta,
    Operands, Role, Rule,
};

/// Sends arrays from devices to devices; one that nothing is sent to gets zeros.
///
/// Source: `ShapeInference::InferCollectivePermuteShape`, `CheckDuplicatedSourceOrTarget` of XLA's verifier.
pub struct CollectivePermute;

static META: OpMeta = OpMeta {
    opcode: "collective-permute",
    title: "CollectivePermute",
    names: &[],
    sections: &["CollectivePermute"],
    category: Category::Collective,
    summary: "op-collective-permute",
    formula: "out_of_device_target[i] = operand_of_device_source[i], or 0",
    operands: Operands { fixed: &["operand"], rest: Some("operand") },
    argument: None,
    attrs: &[
        CHANNEL,
        AttrSpec::required("source_target_pairs", AttrKind::IntLists, "attr-source-target-pairs"),
    ],
    rules: &[
        Rule {
            label: "collective-permute-1",
            says: "rule-permute-pairs",
            broken_by: "x = f32[2] parameter(0)
                        ROOT r = f32[2] collective-permute(x), source_target_pairs={{0,1,2}}",
        },
        Rule {
            label: "collective-permute-2",
            says: "rule-permute-once",
            broken_by: "x = f32[2] parameter(0)
                        ROOT r = f32[2] collective-permute(x), source_target_pairs={{0,1},{2,1}}",
        },
    ],
    examples: &[
        Example {
            hlo: "x = f32[2] constant({1, 2})
                  ROOT r = f32[2] collective-permute(x), source_target_pairs={{0,0}}",
            result: "f32[2] {1, 2}",
        },
        Example {
            hlo: "x = f32[2] constant({1, 2}) ROOT r = f32[2] collective-permute(x), source_target_pairs={}",
            result: "f32[2] {0, 0}",
        },
    ],
};

fn pairs(cx: &Infer) -> Result<Vec<[usize; 2]>, OpError> {
    let Some(AttrValue::IntLists(lists)) = cx.attrs.get("source_target_pairs") else {
        let message = Message::engine("op-permute-pair").with("found", "[…]");
        return Err(cx.error("collective-permute-1", message).at_attr("source_target_pairs"));
    };
    let mut found: Vec<[usize; 2]> = Vec::new();
    for list in lists {
        let numbers: Vec<usize> = list.iter().filter_map(|n| usize::try_from(*n).ok()).collect();
        let ([source, target], 2) = (&numbers[..], list.len()) else {
            let message = Message::engine("op-permute-pair").with("found", super::super::infer::joined(list));
            return Err(cx.error("collective-permute-1", message).at_attr("source_target_pairs"));
        };
        let (key, number) = match found.iter().find(|[s, t]| s == source || t == target) {
            Some([s, _]) if s == source => ("op-permute-source", source),
            Some(_) => ("op-permute-target", target),
            None => {
                found.push([*source, *target]);
                continue;
            }
        };
        let message = Message::engine(key).with("number", *number);
        return Err(cx.error("collective-permute-2", message).at_attr("source_target_pairs"));
    }
    Ok(found)
}

impl OpDef for CollectivePermute {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn is_written(&self) -> bool {
        true
    }

    fn infer(&self, cx: &Infer) -> Result<Shape, OpError> {
        let arrays = cx.arrays()?;
        pairs(cx)?;
        let shapes = arrays.iter().map(|a| cx.result(a.element_type, a.dimensions.iter().copied()));
        Ok(one_or_tuple(shapes.collect::<Result<_, _>>()?))
    }

    fn bind(&self, cx: &Infer) -> Result<Body, OpError> {
        let pairs = pairs(cx)?;
        let inputs = cx.operands.len();
        let zeros: Vec<Value> = cx.arrays()?.iter().map(|a| Value::from_bits(a.element_type, 0)).collect();
        Collective::body(cx, Groups::everyone(cx), Needs::Any, move |k, stand, out, read| {
            // Of all devices, the position is the number.
            match pairs.iter().find(|[source, target]| *target == stand.number && *source < stand.members) {
                Some([source, _]) => read.get(source * inputs + k, out, Role::Value),
                None => zeros[k],
            }
        })
    }

    fn effect(&self, _: &Attrs) -> Effect {
        Effect::Meets
    }
}
