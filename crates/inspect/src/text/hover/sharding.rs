//! Shardings: how an array is divided over devices.

use super::context::{Context, Hover, integers, sizes_of};
use super::described;
use xla_hlo::lexer::{Lexer, TokenKind};
use xla_messages::i18n::Message;

/// Explains a sharding.
pub(super) fn hover_value(context: &Context) -> Option<Hover> {
    let (_, span) = context.cursor.attribute_value(context.text)?;
    let text = context.source(span);
    let hover = Hover::new(span, Message::inspect("inspect-attribute-value").with("name", "sharding"));
    let inner = text.strip_prefix('{')?.strip_suffix('}')?.trim();
    if inner.starts_with('{') {
        // The element of the tuple that the cursor is in.
        let hover = hover.say(Message::inspect("inspect-sharding-tuple"));
        let index = context.cursor.enclosing.first().map_or(0, |bracket| bracket.index);
        let element = element(inner, index)?;
        return Some(hover.say_all(single(context, element.trim(), Some(index))));
    }
    Some(hover.say_all(single(context, inner, None)).say_all(described::common_attribute("sharding")))
}

/// Element `index` of a tuple of shardings, without its braces.
fn element(inner: &str, index: usize) -> Option<&str> {
    let mut lexer = Lexer::new(inner);
    let (mut depth, mut count, mut start) = (0_usize, 0, 0);
    loop {
        let token = lexer.next();
        match token.kind {
            TokenKind::Punct('{') => {
                if depth == 0 {
                    start = token.span.end;
                }
                depth += 1;
            }
            TokenKind::Punct('}') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 && count == index {
                    return inner.get(start..token.span.start);
                }
                count += usize::from(depth == 0);
            }
            TokenKind::End => return None,
            _ => {}
        }
    }
}

/// The integers in the first square brackets after a word.
fn bracketed<'t>(text: &'t str, word: &str) -> Option<(&'t str, &'t str)> {
    let (_, rest) = text.split_once(word)?;
    rest.split_once(']')
}

/// One sharding, without its braces; `leaf` is the element of a tuple that it belongs to.
fn single(context: &Context, text: &str, leaf: Option<usize>) -> Vec<Message> {
    let first = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
    let key = match first {
        "replicated" => Some("inspect-sharding-replicated"),
        "manual" => Some("inspect-sharding-manual"),
        "unknown" => Some("inspect-sharding-unknown"),
        "unreduced" => Some("inspect-sharding-unreduced"),
        "mesh" => Some("inspect-sharding-mesh"),
        _ => None,
    };
    if let Some(key) = key {
        return vec![Message::inspect(key)];
    }
    if matches!(first, "maximal" | "maximal_mesh") {
        let device = integers(text).first().copied().unwrap_or_default();
        return vec![Message::inspect("inspect-sharding-maximal").with("device", device)];
    }
    let Some((tiles, rest)) = bracketed(text, "devices=[") else { return Vec::new() };
    let mut parts = integers(tiles);
    let is_replicated = rest.contains("last_tile_dim_replicate");
    let subgroups = bracketed(rest, "last_tile_dims={").map_or(0, |(list, _)| list.split(',').count());
    let copies: i64 = {
        let kept = parts.len().saturating_sub(subgroups + usize::from(is_replicated));
        let copies = parts.get(kept..).unwrap_or_default().iter().product();
        parts.truncate(kept);
        copies
    };
    let shape = context.instruction().map(|(_, instruction)| &instruction.shape);
    let shape = match (shape, leaf) {
        (Some(shape), Some(leaf)) => shape.as_tuple().and_then(|elements| elements.get(leaf)),
        (shape, _) => shape,
    };
    let sizes = shape.and_then(sizes_of).unwrap_or_default();
    let divided = parts.iter().enumerate().filter(|(_, count)| **count > 1).map(|(d, count)| {
        let message =
            Message::inspect("inspect-sharding-dimension").with("dimension", d).with("count", *count);
        let size = sizes.get(d).copied().unwrap_or_default();
        message.with("size", size).with("part", (size + count - 1) / count)
    });
    let mut sentences: Vec<Message> = divided.collect();
    if copies > 1 {
        sentences.push(Message::inspect("inspect-sharding-copies").with("count", copies));
    }
    if rest.contains("<=") {
        sentences.push(Message::inspect("inspect-sharding-iota"));
    }
    sentences
}
