//! Attributes by their descriptions.

use super::context::{Context, Hover};
use xla_hlo::lexer::TokenKind;
use xla_messages::i18n::Message;
use xla_ops::AttrSpec;

/// The schema of an attribute of the instruction at the cursor.
pub(super) fn spec(context: &Context, name: &str) -> Option<&'static AttrSpec> {
    let (_, instruction) = context.instruction()?;
    instruction.op?.meta().attr(name)
}

/// The description of an attribute that every instruction may have.
pub(super) fn common_attribute(name: &str) -> Option<Message> {
    let key = match name {
        "metadata" => "inspect-note-metadata",
        "sharding" => "inspect-note-sharding",
        "frontend_attributes" => "inspect-note-frontend-attributes",
        "backend_config" => "inspect-note-backend-config",
        "control-predecessors" => "inspect-note-control-predecessors",
        "parameter_replication" => "inspect-note-parameter-replication",
        "statistics" => "inspect-note-statistics",
        "origin" => "inspect-note-origin",
        "result_accuracy" => "inspect-note-result-accuracy",
        "execution_thread" => "inspect-note-execution-thread",
        _ => return None,
    };
    Some(Message::inspect(key))
}

/// Explains a value as a whole, by the description of its attribute.
pub(super) fn whole(context: &Context, name: &str) -> Option<Hover> {
    let (_, span) = context.cursor.attribute_value(context.text)?;
    let hover = Hover::new(span, Message::inspect("inspect-attribute-value").with("name", name));
    let sentence = match spec(context, name) {
        Some(spec) => Message::ops(spec.description),
        None => common_attribute(name)?,
    };
    Some(hover.say(sentence))
}

/// Whether the token is a number.
pub(super) fn is_number(context: &Context) -> bool {
    matches!(context.cursor.token.kind, TokenKind::Int | TokenKind::Float)
}
