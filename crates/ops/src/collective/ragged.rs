//! `ragged-all-to-all`: see [`RaggedAllToAll`].

use super::groups::{CHANNEL_ID, GroupRules, Groups, REPLICA_GROUPS};
use super::{Collective, GroupSize};
use crate::read::Read;
use crate::{
    Attrs, Category, Effect, Example, Formula, History, OpContext, OpDef, OpError, OpMeta, Operands, Role,
    Rule, Semantics,
};
use xla_array::{Dims, Shape};
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// Sends runs of rows of varying length between all members of a group: an all-to-all with ragged splits.
///
/// Device `i` sends to device `j` the rows of `input` from `input_offsets[j]` on, `send_sizes[j]` many, to the row
/// `output_offsets[j]` of the result there; rows that nobody writes are those of `output`. With `n` times as many
/// entries as devices each pair exchanges `n` runs of rows. `recv_sizes` is redundant and not read.
/// Source: `ShapeInference::InferRaggedAllToAllShape`.
pub struct RaggedAllToAll;

static META: OpMeta = OpMeta {
    opcode: "ragged-all-to-all",
    title: "RaggedAllToAll",
    search_terms: &[],
    sections: &[],
    category: Category::Collective,
    history: History::NEWER,
    summary: "op-ragged-all-to-all",
    formula: Formula::Words("formula-ragged-all-to-all"),
    operands: Operands::exactly(&[
        "input",
        "output",
        "input_offsets",
        "send_sizes",
        "output_offsets",
        "recv_sizes",
    ]),
    inline_attr: None,
    attrs: &[CHANNEL_ID, REPLICA_GROUPS],
    rules: &[
        Rule {
            identifier: "ragged-all-to-all-1",
            description: "rule-ragged-rows",
            violated_by: "x = f32[2,3] parameter(0) y = f32[2,2] parameter(1) n = s32[1] parameter(2)
                        ROOT r = f32[2,2] ragged-all-to-all(x, y, n, n, n, n), replica_groups={{0}}",
        },
        Rule {
            identifier: "ragged-all-to-all-2",
            description: "rule-ragged-numbers",
            violated_by: "x = f32[2] parameter(0) y = f32[2] parameter(1) n = f32[1] parameter(2)
                        ROOT r = f32[2] ragged-all-to-all(x, y, n, n, n, n), replica_groups={{0}}",
        },
        Rule {
            identifier: "ragged-all-to-all-3",
            description: "rule-ragged-count",
            violated_by: "x = f32[2] parameter(0) y = f32[2] parameter(1) n = s32[3] parameter(2)
                        ROOT r = f32[2] ragged-all-to-all(x, y, n, n, n, n), replica_groups={{0,1}}",
        },
    ],
    examples: &[Example {
        title: "shows-one-replica",
        hlo: "x = f32[3] constant({1, 2, 3}) y = f32[4] constant({0, 0, 0, 9})
              from = s32[1] constant({1}) sizes = s32[1] constant({2}) to = s32[1] constant({0})
              ROOT r = f32[4] ragged-all-to-all(x, y, from, sizes, to, sizes), replica_groups={{0}}",
        result: "f32[4] {2, 3, 0, 9}",
    }],
};

/// The number of operands.
const OPERANDS: usize = 6;

/// Entry `at` of an operand that is a list of numbers.
fn list_entry(read: &mut dyn Read, operand: usize, at: i64) -> i64 {
    read.get(operand, &[at], Role::Start).as_index()
}

impl OpDef for RaggedAllToAll {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn requires_written_shape(&self) -> bool {
        true
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (arrays, input, output) = (cx.arrays()?, cx.array(0)?, cx.array(1)?);
        let groups = Groups::from_attrs(cx, GroupRules { has_global_ids: false, is_uniform: true })?;
        if input.element_type != output.element_type {
            return Err(cx.type_mismatch("ragged-all-to-all-1", 1));
        }
        if input.rank() == 0 || input.dimensions.get(1..) != output.dimensions.get(1..) || output.rank() == 0
        {
            return Err(cx.size_mismatch("ragged-all-to-all-1", 1, 0));
        }
        let offsets = arrays[2];
        for (i, list) in arrays.iter().enumerate().skip(2) {
            if !list.element_type.is_integral() || list.rank() != 1 || list.dimensions != offsets.dimensions {
                let message = Message::ops("op-ragged-numbers")
                    .with("operand", cx.label(i))
                    .with("shape", list.human_string());
                return Err(cx.error("ragged-all-to-all-2", message).at_operand(i));
            }
        }
        let entries = offsets.dimensions[0];
        // An unknown group size is checked at run time.
        let size = groups
            .size()
            .map_or(1, |size| i64::try_from(size).or_bug(1, "a group of more than i64::MAX devices"));
        if entries % size != 0 || entries == 0 {
            let message = Message::ops("op-ragged-count").with("found", entries).with("count", size);
            return Err(cx.error("ragged-all-to-all-3", message).at_operand(2));
        }
        cx.result(output.element_type, output.dimensions.iter().copied())
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let groups = Groups::from_attrs(cx, GroupRules { has_global_ids: false, is_uniform: true })?;
        let (rows, entries) = (cx.array(0)?.dimensions[0], cx.array(2)?.dimensions[0]);
        Collective::semantics(cx, groups, GroupSize::DivisorOf(entries), move |_, position, out, read| {
            let runs = (entries
                / i64::try_from(position.group_size).or_bug(1, "a group of more than i64::MAX devices"))
            .max(1);
            let first_run =
                i64::try_from(position.in_group).or_bug(0, "a position beyond all devices") * runs;
            // Of rows sent to the same offset, those of the last sender win.
            for member in (0..position.group_size).rev() {
                let operand_of_member = |k: usize| member * OPERANDS + k;
                for at in (first_run..first_run.saturating_add(runs).min(entries)).rev() {
                    let to = list_entry(read, operand_of_member(4), at);
                    let count = list_entry(read, operand_of_member(3), at);
                    let row = out[0].saturating_sub(to);
                    if row < 0 || row >= count {
                        continue;
                    }
                    let from = list_entry(read, operand_of_member(2), at).saturating_add(row);
                    if (0..rows).contains(&from) {
                        let mut index = Dims::from_slice(out);
                        index[0] = from;
                        return read.get(operand_of_member(0), &index, Role::Value);
                    }
                }
            }
            read.get(position.in_group * OPERANDS + 1, out, Role::Value)
        })
    }

    fn needs_environment_check(&self) -> bool {
        true
    }

    fn effect(&self, _: &Attrs) -> Effect {
        Effect::Rendezvous
    }
}
