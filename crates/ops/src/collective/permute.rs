//! `collective-permute`: see [`CollectivePermute`].

use std::collections::HashMap;

use super::groups::{CHANNEL_ID, Groups};
use super::mesh::MAX_DEVICES;
use super::{Collective, GroupSize, one_or_tuple};
use crate::infer::comma_separated;
use crate::{
    AttrKind, AttrSpec, AttrValue, Attrs, Category, Effect, Example, Formula, History, HostExample,
    OpContext, OpDef, OpError, OpMeta, OpPart, Operands, Role, Rule, Semantics,
};
use xla_array::{Dims, Shape, Value};
use xla_messages::i18n::Message;

/// Sends arrays between pairs of devices. A device that receives nothing gets zeros.
///
/// Source: `ShapeInference::InferCollectivePermuteShape`, `CheckDuplicatedSourceOrTarget` of XLA's verifier.
pub struct CollectivePermute;

static META: OpMeta = OpMeta {
    opcode: "collective-permute",
    title: "CollectivePermute",
    search_terms: &[],
    sections: &["CollectivePermute"],
    category: Category::Collective,
    history: History::NEWER,
    summary: "op-collective-permute",
    formula: Formula::Words("formula-collective-permute"),
    operands: Operands::at_least(&["operand"], "operand"),
    inline_attr: None,
    attrs: &[
        CHANNEL_ID,
        AttrSpec::required("source_target_pairs", AttrKind::IntLists, "attr-source-target-pairs"),
        AttrSpec::optional("slice_sizes", AttrKind::IntLists, "attr-permute-slices"),
    ],
    rules: &[
        Rule {
            identifier: "collective-permute-1",
            description: "rule-permute-pairs",
            violated_by: "x = f32[2] parameter(0)
                        ROOT r = f32[2] collective-permute(x), source_target_pairs={{0,1,2}}",
        },
        Rule {
            identifier: "collective-permute-2",
            description: "rule-permute-once",
            violated_by: "x = f32[2] parameter(0)
                        ROOT r = f32[2] collective-permute(x), source_target_pairs={{0,1},{2,1}}",
        },
        Rule {
            identifier: "collective-permute-3",
            description: "rule-permute-devices",
            violated_by: "x = f32[2] parameter(0)
                        ROOT r = f32[2] collective-permute(x), source_target_pairs={{0,1},{1,65536}}",
        },
        Rule {
            identifier: "collective-permute-4",
            description: "rule-permute-in-place",
            violated_by:
                "x = f32[2] parameter(0)
                        ROOT r = f32[2] collective-permute(x), source_target_pairs={{0,1}}, slice_sizes={{1}}",
        },
    ],
    examples: &[
        Example {
            title: "shows-to-itself",
            hlo: "x = f32[2] constant({1, 2})
                  ROOT r = f32[2] collective-permute(x), source_target_pairs={{0,0}}",
            result: "f32[2] {1, 2}",
        },
        Example {
            title: "shows-nothing-sent",
            hlo: "x = f32[2] constant({1, 2}) ROOT r = f32[2] collective-permute(x), source_target_pairs={}",
            result: "f32[2] {0, 0}",
        },
    ],
};

/// Whether slices of a buffer are sent into another buffer: operands are both buffers, then the offsets of the slices.
fn is_in_place(cx: &OpContext) -> bool {
    cx.attrs.get("slice_sizes").is_some()
}

/// Checks buffers and offsets: `collective-permute-4`. An offset is a tuple of an index per dimension, or of several
/// such tuples; of tuples of buffers a tuple of offsets. Source: `CheckInplaceCollectivePermute`.
fn check_in_place(cx: &OpContext) -> Result<(), OpError> {
    let violation =
        |i: usize| cx.error("collective-permute-4", Message::ops("rule-permute-in-place")).at_operand(i);
    let &[input, output, input_offset, output_offset] = cx.operands else { return Err(violation(0)) };
    let matches = |buffer: &Shape, offset: &Shape| {
        let (Some(array), Some(parts)) = (buffer.as_array(), offset.as_tuple()) else { return false };
        let is_index = parts.iter().all(|part| part.as_array().is_some()) && parts.len() == array.rank();
        let are_indices =
            || parts.iter().all(|part| part.as_tuple().is_some_and(|index| index.len() == array.rank()));
        is_index || !parts.is_empty() && are_indices()
    };
    for (i, buffer, offset) in [(2, input, input_offset), (3, output, output_offset)] {
        let matches = match (buffer.as_tuple(), offset.as_tuple()) {
            (Some(buffers), Some(offsets)) => {
                buffers.len() == offsets.len() && buffers.iter().zip(offsets).all(|(b, o)| matches(b, o))
            }
            _ => matches(buffer, offset),
        };
        if !matches {
            return Err(violation(i));
        }
    }
    let count = |shape: &Shape| shape.as_tuple().map(<[Shape]>::len);
    if count(input) == count(output) { Ok(()) } else { Err(violation(1)) }
}

/// How many pairs may have the same source, or the same target: as many as slices have offsets.
fn max_repeats_per_device(cx: &OpContext) -> usize {
    let &[input, _, offset, _] = cx.operands else { return 1 };
    let first = offset.as_tuple().and_then(|parts| parts.first());
    let offset = if input.as_tuple().is_some() { first } else { Some(offset) };
    offset.and_then(Shape::as_tuple).map_or(1, <[Shape]>::len)
}

fn source_target_pairs(cx: &OpContext) -> Result<Vec<[usize; 2]>, OpError> {
    let Some(AttrValue::IntLists(lists)) = cx.attrs.get("source_target_pairs") else {
        let message = Message::ops("op-permute-pair").with("found", "[…]");
        return Err(cx.error("collective-permute-1", message).at_attr("source_target_pairs"));
    };
    let mut found: Vec<[usize; 2]> = Vec::new();
    let max_repeats = max_repeats_per_device(cx);
    let (mut sources, mut targets) = (HashMap::new(), HashMap::new());
    let insert = |counts: &mut HashMap<usize, usize>, number: usize| {
        let count = counts.entry(number).or_default();
        *count += 1;
        *count <= max_repeats
    };
    for list in lists {
        let numbers: Vec<usize> = list.iter().filter_map(|n| usize::try_from(*n).ok()).collect();
        let ([source, target], 2) = (&numbers[..], list.len()) else {
            let message = Message::ops("op-permute-pair").with("found", comma_separated(list));
            return Err(cx.error("collective-permute-1", message).at_attr("source_target_pairs"));
        };
        if let Some(number) = [source, target].into_iter().find(|number| **number >= MAX_DEVICES) {
            let message =
                Message::ops("op-permute-number").with("number", *number).with("limit", MAX_DEVICES);
            let is_in_range = |pair: &&Dims| {
                pair.iter().all(|n| usize::try_from(*n).is_ok_and(|number| number < MAX_DEVICES))
            };
            let fix: Vec<String> = lists
                .iter()
                .filter(is_in_range)
                .map(|pair| format!("{{{}}}", comma_separated(pair)))
                .collect();
            let error = cx.error("collective-permute-3", message).at_attr("source_target_pairs");
            return Err(error.with_fix(OpPart::Attr("source_target_pairs"), format!("{{{}}}", fix.join(","))));
        }
        let (key, number) = match (insert(&mut sources, *source), insert(&mut targets, *target)) {
            (false, _) => ("op-permute-source", source),
            (true, false) => ("op-permute-target", target),
            (true, true) => {
                found.push([*source, *target]);
                continue;
            }
        };
        let message = Message::ops(key).with("number", *number);
        return Err(cx.error("collective-permute-2", message).at_attr("source_target_pairs"));
    }
    Ok(found)
}

/// Three replicas, each of which sends to the next.
static HOST_EXAMPLES: &[HostExample] = &[HostExample {
    title: "shows-ring",
    hlo: "HloModule three_replicas

ENTRY together {
  x = f32[2] parameter(0)
  ROOT passed = f32[2] collective-permute(x), source_target_pairs={{0,1},{1,2},{2,0}}
}
",
    values: &[&["{1, 2}"], &["{3, 4}"], &["{5, 6}"]],
    infeed: &[],
    functions: &[],
    replicas: 3,
    results: &["f32[2] {5, 6}", "f32[2] {1, 2}", "f32[2] {3, 4}"],
}];

impl OpDef for CollectivePermute {
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
        if is_in_place(cx) {
            check_in_place(cx)?;
            source_target_pairs(cx)?;
            return cx.operand(1).cloned();
        }
        let arrays = cx.arrays()?;
        source_target_pairs(cx)?;
        let shapes = arrays.iter().map(|a| cx.result(a.element_type, a.dimensions.iter().copied()));
        Ok(one_or_tuple(shapes.collect::<Result<_, _>>()?))
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        if is_in_place(cx) {
            return Err(cx.error("not-run", Message::ops("op-permute-in-place")).at_attr("slice_sizes"));
        }
        let pairs = source_target_pairs(cx)?;
        let inputs = cx.operands.len();
        let zeros: Vec<Value> = cx.arrays()?.iter().map(|a| Value::from_bits(a.element_type, 0)).collect();
        // Without pairs, no device is required.
        let devices = pairs.iter().flatten().max().map_or(0, |last| last + 1);
        let sources: HashMap<usize, usize> = pairs.into_iter().map(|[from, to]| (to, from)).collect();
        Collective::semantics_with_min_devices(
            cx,
            Groups::all(cx),
            GroupSize::Any,
            devices,
            move |operand, position, out, read| {
                // In the group of all devices, the id is the device number.
                match sources.get(&position.id) {
                    Some(source) => read.get(source * inputs + operand, out, Role::Value),
                    None => zeros[operand],
                }
            },
        )
    }

    fn needs_environment_check(&self) -> bool {
        true
    }

    fn effect(&self, _: &Attrs) -> Effect {
        Effect::Rendezvous
    }
}
