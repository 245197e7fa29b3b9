//! Annotations: metadata with its source location, and dictionaries that the compiler's backends read.

use super::context::{Context, Hover};
use super::described;
use xla_hlo::lexer::TokenKind;
use xla_messages::i18n::Message;

/// Maximum number of frames of a stack that are listed.
const MAX_LISTED_FRAMES: usize = 8;

/// Explains a field of metadata.
pub(super) fn metadata(context: &Context) -> Option<Hover> {
    let cursor = &context.cursor;
    let field = match (cursor.token.kind, cursor.previous) {
        (TokenKind::AttrName, _) => Some((cursor.word, cursor.token.span)),
        (TokenKind::String | TokenKind::Int, Some(before)) if before.kind == TokenKind::AttrName => {
            Some((context.source(before.span), before.span.join(cursor.token.span)))
        }
        _ => None,
    };
    let Some((field, span)) = field.filter(|_| !cursor.enclosing.is_empty()) else {
        return Some(locations(context, described::whole(context, "metadata")?));
    };
    let key = match field {
        "op_name" => "inspect-metadata-op-name",
        "op_type" => "inspect-metadata-op-type",
        "source_file" => "inspect-metadata-source-file",
        "source_line" | "source_end_line" | "source_column" | "source_end_column" => {
            "inspect-metadata-source-line"
        }
        "stack_frame_id" => "inspect-metadata-stack-frame",
        "scheduling_name" => "inspect-metadata-scheduling-name",
        "deduplicated_name" => "inspect-metadata-deduplicated-name",
        "profile_type" => "inspect-metadata-profile-type",
        _ => "inspect-metadata-other",
    };
    let hover = Hover::new(span, Message::inspect("inspect-metadata-field").with("name", field));
    let hover = hover.say(Message::inspect(key));
    Some(if field == "stack_frame_id" { locations(context, hover) } else { hover })
}

/// Adds the source locations of the instruction, its own first.
fn locations(context: &Context, hover: Hover) -> Hover {
    let Some((_, instruction)) = context.instruction() else { return hover };
    let source = instruction.source_metadata();
    let frames = context.module.source_locations(&source);
    let sentences: Vec<Message> = frames
        .iter()
        .take(MAX_LISTED_FRAMES)
        .map(|frame| {
            let key = if frame.function.is_empty() { "inspect-source" } else { "inspect-source-function" };
            let message = Message::inspect(key).with("file", frame.file).with("line", i64::from(frame.line));
            if frame.function.is_empty() { message } else { message.with("function", frame.function) }
        })
        .collect();
    hover.say_all(sentences)
}

/// Explains a dictionary that only a backend or a frontend reads: by the key around the cursor.
pub(super) fn dictionary(context: &Context, name: &str) -> Option<Hover> {
    let cursor = &context.cursor;
    let hover = described::whole(context, name)?;
    let is_field = !cursor.enclosing.is_empty() && !matches!(cursor.token.kind, TokenKind::Punct(_));
    let known = match cursor.word.trim_matches('"') {
        "window_config" => Some("inspect-backend-window-config"),
        "flag_configs" => Some("inspect-backend-flag-configs"),
        "scoped_memory_configs" => Some("inspect-backend-scoped-memory"),
        "estimated_cycles" => Some("inspect-backend-estimated-cycles"),
        "known_trip_count" => Some("inspect-backend-trip-count"),
        "outer_dimension_partitions" => Some("inspect-backend-partitions"),
        "operation_queue_id" => Some("inspect-backend-queue"),
        "_scheduling_group_id" => Some("inspect-frontend-scheduling-group"),
        "xla.sdy.meshes" => Some("inspect-frontend-meshes"),
        _ => None,
    };
    let field = known.filter(|_| is_field).map(Message::inspect);
    Some(hover.say_all(field))
}
