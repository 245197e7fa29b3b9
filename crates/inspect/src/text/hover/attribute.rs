//! Attributes: their names, and values that need no module of their own.

use super::{Context, Hover, dimensions, groups, header, names, notes, sharding, window};
use xla_hlo::lexer::TokenKind;
use xla_messages::i18n::Message;
use xla_ops::{AttrKind, AttrSpec};

/// The schema of an attribute of the instruction at the place.
fn spec(context: &Context, name: &str) -> Option<&'static AttrSpec> {
    let (_, instruction) = context.instruction()?;
    instruction.op?.meta().attr(name)
}

/// What an attribute says that any instruction may have.
pub(super) fn note(name: &str) -> Option<Message> {
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

/// Explains the name of an attribute.
pub(super) fn of_name(context: &Context) -> Option<Hover> {
    let place = &context.place;
    let name = place.word;
    let hover = Hover::new(place.token.span, Message::inspect("inspect-attribute").with("name", name));
    if let Some(spec) = spec(context, name) {
        let key = if spec.required { "inspect-attribute-required" } else { "inspect-attribute-optional" };
        let op = context.instruction().map_or("", |(_, instruction)| &*instruction.opcode);
        return Some(hover.say(Message::ops(spec.description)).say(Message::inspect(key).with("op", op)));
    }
    if context.instruction().is_none()
        && let Some(sentence) = header::attribute(name)
    {
        return Some(hover.say(sentence));
    }
    if let Some(sentence) = note(name) {
        return Some(hover.say(sentence));
    }
    header::of_table(context)
}

/// Explains a token in the value of an attribute.
pub(super) fn of_value(context: &Context) -> Option<Hover> {
    let (name, _) = context.place.attribute?;
    match name {
        "metadata" => return notes::metadata(context),
        "frontend_attributes" | "backend_config" | "statistics" | "origin" | "result_accuracy" => {
            return notes::dictionary(context, name);
        }
        "control-predecessors" => return names::of_name(context).or_else(|| whole(context, name)),
        "sharding" => return sharding::of_value(context),
        _ => {}
    }
    let Some(spec) = spec(context, name) else { return header::of_value(context, name) };
    let found = match spec.kind {
        AttrKind::Ints | AttrKind::Int if spec.dimensions_of.is_some() || dimensions::is_sizes(name) => {
            dimensions::of_value(context, spec)
        }
        AttrKind::IntLists => groups::of_value(context, spec),
        AttrKind::Padding => window::padding(context),
        AttrKind::Window => window::of_window(context),
        AttrKind::DimLabels => window::dim_labels(context),
        AttrKind::Slice => window::slice(context),
        AttrKind::Computation | AttrKind::Computations => names::of_computation(context),
        AttrKind::Keyword(_) | AttrKind::Bool => word(context, name),
        _ => None,
    };
    found.or_else(|| whole(context, name))
}

/// Explains a value as a whole, by the description of its attribute.
pub(super) fn whole(context: &Context, name: &str) -> Option<Hover> {
    let (_, span) = context.place.attribute_value(context.text)?;
    let hover = Hover::new(span, Message::inspect("inspect-attribute-value").with("name", name));
    let sentence = match spec(context, name) {
        Some(spec) => Message::ops(spec.description),
        None => note(name)?,
    };
    Some(hover.say(sentence))
}

/// Explains a keyword or a truth value.
fn word(context: &Context, name: &str) -> Option<Hover> {
    let place = &context.place;
    if !place.token.kind.is_name() {
        return None;
    }
    let title = Message::inspect("inspect-attribute-value").with("name", name);
    let hover = Hover::new(place.token.span, title).say_all(meaning(name, place.word));
    Some(hover.say_all(spec(context, name).map(|spec| Message::ops(spec.description))))
}

/// What a keyword means as the value of an attribute.
pub(in crate::text) fn meaning(name: &str, word: &str) -> Option<Message> {
    let key = match (name, word) {
        ("direction", "EQ") => "inspect-direction-eq",
        ("direction", "NE") => "inspect-direction-ne",
        ("direction", "GE") => "inspect-direction-ge",
        ("direction", "GT") => "inspect-direction-gt",
        ("direction", "LE") => "inspect-direction-le",
        ("direction", "LT") => "inspect-direction-lt",
        ("type", "FLOAT") => "inspect-compare-float",
        ("type", "TOTALORDER") => "inspect-compare-total",
        ("type", "SIGNED") => "inspect-compare-signed",
        ("type", "UNSIGNED") => "inspect-compare-unsigned",
        ("kind", "kLoop") => "inspect-fusion-loop",
        ("kind", "kInput") => "inspect-fusion-input",
        ("kind", "kOutput") => "inspect-fusion-output",
        ("kind", "kCustom") => "inspect-fusion-custom",
        ("fft_type", "FFT") => "inspect-fft",
        ("fft_type", "IFFT") => "inspect-ifft",
        ("fft_type", "RFFT") => "inspect-rfft",
        ("fft_type", "IRFFT") => "inspect-irfft",
        ("distribution", "rng_uniform") => "inspect-rng-uniform",
        ("distribution", "rng_normal") => "inspect-rng-normal",
        ("algorithm", "rng_three_fry") => "inspect-rng-three-fry",
        ("algorithm", "rng_philox") => "inspect-rng-philox",
        ("algorithm", "rng_default") => "inspect-rng-default",
        ("transpose_a", "NO_TRANSPOSE") => "inspect-transpose-no",
        ("transpose_a", "TRANSPOSE") => "inspect-transpose-yes",
        ("transpose_a", "ADJOINT") => "inspect-transpose-adjoint",
        _ => return None,
    };
    Some(Message::inspect(key))
}

/// Whether the token is a number.
pub(super) fn is_number(context: &Context) -> bool {
    matches!(context.place.token.kind, TokenKind::Int | TokenKind::Float)
}
