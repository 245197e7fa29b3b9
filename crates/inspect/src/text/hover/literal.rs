//! Literals: the index of a written element, and the value that its type stores.

use super::context::{Context, Hover, joined};
use super::{described, names, shape};
use xla_array::value::text::Exactness;
use xla_array::{ElementType, Literal, Shape};
use xla_hlo::lexer::TokenKind;
use xla_messages::i18n::Message;
use xla_ops::AttrValue;

/// Explains a value in the parentheses of a constant, or the number of a parameter.
pub(super) fn hover_value(context: &Context) -> Option<Hover> {
    let cursor = &context.cursor;
    let (_, instruction) = context.instruction()?;
    let argument = instruction.argument_span()?;
    let is_within = argument.start <= cursor.token.span.start && cursor.token.span.end <= argument.end;
    if !is_within {
        return None;
    }
    if instruction.opcode == "parameter" {
        return names::parameter_number(context);
    }
    if matches!(instruction.attrs.get("literal"), Some(AttrValue::Elided)) || cursor.word == "." {
        let hover = Hover::new(argument, Message::inspect("inspect-literal"));
        return Some(hover.say(Message::inspect("inspect-literal-elided")));
    }
    let is_value = described::is_number(context) || matches!(cursor.word, "true" | "false" | "-");
    if !is_value {
        let hover = Hover::new(argument, Message::inspect("inspect-literal"));
        return Some(hover.say_all(shape::describe(&instruction.shape)));
    }
    let Shape::Array(array) = &instruction.shape else { return None };
    let braces = cursor.enclosing.iter().filter(|bracket| bracket.open == '{');
    let index: Vec<i64> = braces.filter_map(|bracket| i64::try_from(bracket.index).ok()).collect();
    if index.len() != array.rank() {
        return None;
    }
    let mut hover = Hover::new(cursor.token.span, Message::inspect("inspect-literal-element"));
    if !index.is_empty() {
        hover = hover.say(Message::inspect("inspect-literal-index").with("index", joined(&index, ", ")));
    }
    Some(hover.say_all(stored(context, array.element_type, &index)))
}

/// The value that the type stores, if its text differs from the written one.
fn stored(context: &Context, of: ElementType, index: &[i64]) -> Option<Message> {
    let (_, instruction) = context.instruction()?;
    let Some(AttrValue::Literal(literal)) = instruction.attrs.get("literal") else { return None };
    let Literal::Array(literal) = &**literal else { return None };
    let value = literal.get(index)?;
    let exact = value.as_float();
    let written = context.cursor.token.kind;
    let text = value.text(of, Exactness::RoundTrip);
    if !of.is_floating()
        || written == TokenKind::Int
        || context.cursor.word.parse::<f64>().is_ok_and(|w| w.total_cmp(&exact).is_eq())
    {
        return Some(Message::inspect("inspect-literal-exact").with("type", of.name()).with("value", text));
    }
    Some(Message::inspect("inspect-literal-rounded").with("type", of.name()).with(
        "value",
        xla_array::Value::from_f64(ElementType::F64, exact).text(ElementType::F64, Exactness::RoundTrip),
    ))
}
