//! Explains groups of devices, and pairs of a source and a target device.

use super::context::{Context, Hover, integers, joined};
use super::described;
use xla_hlo::lexer::TokenKind;
use xla_hlo::module::Instruction;
use xla_messages::i18n::Message;
use xla_ops::{AttrSpec, AttrValue, replica_groups};

/// Maximum number of groups or pairs that are listed.
const MAX_LISTED: usize = 8;

/// Explains a list of lists of numbers.
pub(super) fn hover_value(context: &Context, spec: &AttrSpec) -> Option<Hover> {
    let (_, instruction) = context.instruction()?;
    let value = instruction.attrs.get(spec.name)?;
    match spec.name {
        "replica_groups" => hover_groups(context, instruction, value),
        "source_target_pairs" => pairs(context, value),
        _ => None,
    }
}

/// The meaning of the numbers in the groups, as XLA's `GetCollectiveOpGroupMode` derives it.
fn id_meaning(instruction: &Instruction) -> Message {
    let has_channel = instruction.attrs.get("channel_id").is_some();
    let has_global_ids = instruction.op.is_some_and(|op| op.meta().attr("use_global_device_ids").is_some());
    let is_global = instruction.attrs.get("use_global_device_ids") == Some(&AttrValue::Bool(true));
    Message::inspect(match (has_channel, has_global_ids, is_global) {
        (false, ..) => "inspect-groups-replicas",
        (true, false, _) => "inspect-groups-partitions",
        (true, true, true) => "inspect-groups-devices",
        (true, true, false) => "inspect-groups-replicas-and-partitions",
    })
}

fn braced(group: &[i64]) -> String {
    let mut shown: Vec<String> = group.iter().take(2 * MAX_LISTED).map(ToString::to_string).collect();
    shown.extend((group.len() > 2 * MAX_LISTED).then(|| "…".to_owned()));
    format!("{{{}}}", shown.join(","))
}

fn hover_groups(context: &Context, instruction: &Instruction, value: &AttrValue) -> Option<Hover> {
    let hover = described::whole(context, "replica_groups")?;
    let groups = replica_groups(value)?;
    if groups.iter().all(Vec::is_empty) {
        return Some(hover.say(Message::inspect("inspect-groups-all")).say(id_meaning(instruction)));
    }
    let size = groups.first().map_or(0, Vec::len);
    let is_uniform = groups.iter().all(|group| group.len() == size);
    let mut listed: Vec<String> = groups.iter().take(MAX_LISTED).map(|group| braced(group)).collect();
    listed.extend((groups.len() > MAX_LISTED).then(|| "…".to_owned()));
    let key = if is_uniform { "inspect-groups-uniform" } else { "inspect-groups-mixed" };
    let sentence = Message::inspect(key).with("count", groups.len()).with("size", size);
    let hover = hover.say(sentence.with("groups", listed.join(", ")));
    let text = value.to_string();
    let form = if text.starts_with("mesh") {
        Some(Message::inspect("inspect-groups-mesh"))
    } else if let Some((_, iota)) = text.split_once("<=") {
        let (sizes, order) = iota.split_once('T').map_or((iota, None), |(sizes, order)| (sizes, Some(order)));
        let sizes = joined(&integers(sizes), " × ");
        let total: usize = groups.iter().map(Vec::len).sum();
        Some(match order {
            Some(order) => Message::inspect("inspect-groups-iota-transposed")
                .with("total", total)
                .with("sizes", sizes)
                .with("order", joined(&integers(order), ", ")),
            None => Message::inspect("inspect-groups-iota").with("total", total),
        })
    } else {
        None
    };
    Some(hover.say_all(form).say(id_meaning(instruction)))
}

fn pairs(context: &Context, value: &AttrValue) -> Option<Hover> {
    let AttrValue::IntLists(pairs) = value else { return None };
    let hover = described::whole(context, "source_target_pairs")?;
    let cursor = &context.cursor;
    let within = cursor.enclosing.iter().rev().nth(1).filter(|_| cursor.token.kind == TokenKind::Int);
    let shown = match within {
        Some(list) => pairs.get(list.index..list.index + 1)?,
        None => pairs.get(..pairs.len().min(MAX_LISTED))?,
    };
    let sentences = shown.iter().filter_map(|pair| {
        let message = Message::inspect("inspect-pair").with("source", *pair.first()?);
        Some(message.with("target", *pair.get(1)?))
    });
    let sentences: Vec<Message> = sentences.collect();
    Some(hover.say_all(sentences))
}
