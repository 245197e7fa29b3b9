//! The header of a module, and the rows of its tables of source locations.

use super::context::{Context, Hover, integers, joined};
use xla_hlo::lexer::TokenKind;
use xla_messages::i18n::Message;

/// The description of an attribute of the header.
pub(super) fn attribute(name: &str) -> Option<Message> {
    let key = match name {
        "is_scheduled" => "inspect-header-is-scheduled",
        "entry_computation_layout" => "inspect-header-entry-layout",
        "input_output_alias" => "inspect-header-alias",
        "buffer_donor" => "inspect-header-donor",
        "alias_passthrough_params" => "inspect-header-alias-passthrough",
        "replica_count" => "inspect-header-replica-count",
        "num_partitions" => "inspect-header-num-partitions",
        "allow_spmd_sharding_propagation_to_parameters" => "inspect-header-spmd-parameters",
        "allow_spmd_sharding_propagation_to_output" => "inspect-header-spmd-output",
        "frontend_attributes" => "inspect-note-frontend-attributes",
        "origin_recovery_table" => "inspect-header-origin",
        "debug_attributes" => "inspect-header-debug",
        "stack_frame_index" => "inspect-header-stack-frames",
        "execution_thread" => "inspect-note-execution-thread",
        _ => return None,
    };
    Some(Message::inspect(key))
}

/// Explains a token in the value of an attribute of the header.
pub(super) fn hover_value(context: &Context, name: &str) -> Option<Hover> {
    let (_, span) = context.cursor.attribute_value(context.text)?;
    let title = Message::inspect("inspect-attribute-value").with("name", name);
    let cursor = &context.cursor;
    let hover = match name {
        "input_output_alias" => return alias(context),
        "buffer_donor" => return donor(context),
        "allow_spmd_sharding_propagation_to_parameters" => {
            let key = match cursor.word {
                "true" => "inspect-header-spmd-true",
                "false" => "inspect-header-spmd-false",
                _ => return Some(Hover::new(span, title).say(attribute(name)?)),
            };
            let index = cursor.enclosing.last().map_or(0, |bracket| bracket.index);
            let message = Message::inspect(key).with("number", index);
            return Some(Hover::new(cursor.token.span, title).say(message).say(attribute(name)?));
        }
        "is_scheduled" => {
            let key =
                if cursor.word == "true" { "inspect-header-scheduled" } else { "inspect-header-unscheduled" };
            Hover::new(span, title).say(Message::inspect(key))
        }
        _ => Hover::new(span, title),
    };
    Some(hover.say(attribute(name)?))
}

/// A shape index, as in `{0,1}`.
fn shape_index(index: &[i64]) -> Message {
    if index.is_empty() {
        Message::inspect("inspect-whole-value")
    } else {
        Message::inspect("inspect-element-at").with("index", joined(index, ", "))
    }
}

/// The text of the brackets that begin at a byte, with them.
fn bracket_text(text: &str, start: usize) -> Option<&str> {
    let mut lexer = xla_hlo::lexer::Lexer::starting_at(text, start);
    let mut depth = 0_usize;
    loop {
        match lexer.next().kind {
            TokenKind::Punct('(' | '{' | '[') => depth += 1,
            TokenKind::Punct(')' | '}' | ']') if depth <= 1 => return text.get(start..lexer.offset),
            TokenKind::Punct(')' | '}' | ']') => depth -= 1,
            TokenKind::End => return None,
            _ => {}
        }
    }
}

/// Explains an alias of an output and a parameter, as in `{0}: (1, {}, may-alias)`.
fn alias(context: &Context) -> Option<Hover> {
    let (name, span) = context.cursor.attribute_value(context.text)?;
    let title = Message::inspect("inspect-attribute-value").with("name", name);
    let hover = Hover::new(span, title).say(attribute(name)?);
    // The parenthesis around the cursor, or the one after its output.
    let from =
        context.cursor.enclosing.iter().find(|bracket| bracket.open == '(').map(|bracket| bracket.start);
    let from = from.or_else(|| {
        let rest = context.text.get(context.cursor.token.span.end..span.end)?;
        Some(context.cursor.token.span.end + rest.find('(')?)
    });
    let Some(from) = from else { return Some(hover) };
    let output = context.text.get(span.start..from)?.rsplit('{').next()?;
    let entry = bracket_text(context.text, from)?;
    let (number, index) = entry.split_once(',')?;
    let key = if entry.contains("must-alias") { "inspect-alias-must" } else { "inspect-alias-may" };
    let index = index.split('}').next().unwrap_or_default();
    let sentence = Message::inspect(key)
        .with("output", shape_index(&integers(output)))
        .with("number", integers(number).first().copied().unwrap_or_default())
        .with("part", shape_index(&integers(index)));
    Some(hover.say(sentence))
}

/// Explains a donated buffer, as in `(0, {})`.
fn donor(context: &Context) -> Option<Hover> {
    let (name, span) = context.cursor.attribute_value(context.text)?;
    let title = Message::inspect("inspect-attribute-value").with("name", name);
    let hover = Hover::new(span, title).say(attribute(name)?);
    let entry = context.cursor.enclosing.iter().find(|bracket| bracket.open == '(');
    let Some(entry) = entry.and_then(|bracket| bracket_text(context.text, bracket.start)) else {
        return Some(hover);
    };
    let (number, index) = entry.split_once(',')?;
    let sentence = Message::inspect("inspect-donor")
        .with("number", integers(number).first().copied().unwrap_or_default())
        .with("part", shape_index(&integers(index)));
    Some(hover.say(sentence))
}

/// Explains a field or a string in the tables of source locations.
pub(super) fn hover_table(context: &Context) -> Option<Hover> {
    if context.instruction().is_some() {
        return None;
    }
    let key = match context.cursor.word {
        "file_name_id" => "inspect-table-file",
        "function_name_id" => "inspect-table-function",
        "line" | "end_line" | "column" | "end_column" => "inspect-table-position",
        "file_location_id" => "inspect-table-location",
        "parent_frame_id" => "inspect-table-parent",
        _ => return None,
    };
    let title = Message::inspect("inspect-table-field").with("name", context.cursor.word);
    Some(Hover::new(context.cursor.token.span, title).say(Message::inspect(key)))
}
