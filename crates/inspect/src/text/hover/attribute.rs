//! Attributes: their names, and values that need no module of their own.

use super::context::{Context, Hover};
use super::{described, dimensions, groups, header, names, notes, sharding, window};
use crate::text::keywords::meaning;
use xla_messages::i18n::Message;
use xla_ops::AttrKind;

/// Explains the name of an attribute.
pub(super) fn hover_name(context: &Context) -> Option<Hover> {
    let cursor = &context.cursor;
    let name = cursor.word;
    let hover = Hover::new(cursor.token.span, Message::inspect("inspect-attribute").with("name", name));
    if let Some(spec) = described::spec(context, name) {
        let key = if spec.required { "inspect-attribute-required" } else { "inspect-attribute-optional" };
        let op = context.instruction().map_or("", |(_, instruction)| &*instruction.opcode);
        return Some(hover.say(Message::ops(spec.description)).say(Message::inspect(key).with("op", op)));
    }
    if context.instruction().is_none()
        && let Some(sentence) = header::attribute(name)
    {
        return Some(hover.say(sentence));
    }
    if let Some(sentence) = described::common_attribute(name) {
        return Some(hover.say(sentence));
    }
    header::hover_table(context)
}

/// Explains a token in the value of an attribute.
pub(super) fn hover_value(context: &Context) -> Option<Hover> {
    let (name, _) = context.cursor.attribute?;
    match name {
        "metadata" => return notes::metadata(context),
        "frontend_attributes" | "backend_config" | "statistics" | "origin" | "result_accuracy" => {
            return notes::dictionary(context, name);
        }
        "control-predecessors" => {
            return names::hover_name(context).or_else(|| described::whole(context, name));
        }
        "sharding" => return sharding::hover_value(context),
        _ => {}
    }
    let Some(spec) = described::spec(context, name) else { return header::hover_value(context, name) };
    let found = match spec.kind {
        AttrKind::Ints | AttrKind::Int if spec.dimensions_of.is_some() || dimensions::is_sizes(name) => {
            dimensions::hover_value(context, spec)
        }
        AttrKind::IntLists => groups::hover_value(context, spec),
        AttrKind::Padding => window::padding(context),
        AttrKind::Window => window::hover_window(context),
        AttrKind::DimLabels => window::dim_labels(context),
        AttrKind::Slice => window::slice(context),
        AttrKind::Computation | AttrKind::Computations => names::hover_computation(context),
        AttrKind::Keyword(_) | AttrKind::Bool => word(context, name),
        _ => None,
    };
    found.or_else(|| described::whole(context, name))
}

/// Explains a keyword or a truth value.
fn word(context: &Context, name: &str) -> Option<Hover> {
    let cursor = &context.cursor;
    if !cursor.token.kind.is_name() {
        return None;
    }
    let title = Message::inspect("inspect-attribute-value").with("name", name);
    let hover = Hover::new(cursor.token.span, title).say_all(meaning(name, cursor.word));
    Some(hover.say_all(described::spec(context, name).map(|spec| Message::ops(spec.description))))
}
