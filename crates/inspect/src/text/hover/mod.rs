//! Explanations of tokens: for the pop-up of an editor and for the panel beside a plain text field.
//!
//! [`hover`] finds the token's [`TokenContext`] and calls the module for its kind: `shape` (arrays and tuples), `names`
//! (instructions, computations, opcodes), `attribute` (keys and plain values; `described` has
//! their descriptions), `dimensions` (dimension numbers), `window` (windows, paddings,
//! slices, dimension labels), `groups` (device groups), `sharding`, `notes` (metadata and other annotations), `header`, `literal`.
//! Sentences are specific to the program: they have its numbers, sizes and names, not only definitions.

mod attribute;
mod context;
mod described;
mod dimensions;
mod groups;
mod header;
mod literal;
mod names;
mod notes;
mod shape;
mod sharding;
#[cfg(test)]
mod tests;
mod window;

use super::token_context::TokenContext;
use xla_hlo::lexer::TokenKind;
use xla_hlo::module::Module;
use xla_messages::diagnostic::Span;
use xla_messages::i18n::Message;

use self::context::Context;
pub use self::context::{Hover, HoverLink};

/// Explains the token at a byte of the text, whose module was parsed from it; `None` if there is no token.
///
/// ```
/// use xla_inspect::text::hover;
///
/// let text = "HloModule m\nENTRY e {\n  x = f32[8,128]{1,0:T(8,128)} parameter(0)\n  ROOT y = negate(x)\n}";
/// let module = xla_hlo::parse(text).module;
/// let tile = hover(text, &module, text.find("T(").unwrap()).unwrap();
/// assert_eq!(&text[tile.span.range()], "(8,128)");
/// ```
pub fn hover(text: &str, module: &Module, offset: usize) -> Option<Hover> {
    let Some(cursor) = TokenContext::find(text, module, offset) else { return comment(text, offset) };
    let context = Context { text, module, cursor };
    if let Some(found) = context.cursor.array.and_then(|array| shape::hover_array(&context, array)) {
        return Some(found);
    }
    if context.cursor.attribute.is_some() {
        return attribute::hover_value(&context).or_else(|| keyword(&context));
    }
    match context.cursor.token.kind {
        TokenKind::AttrName => attribute::hover_name(&context),
        kind if kind.is_name() => keyword(&context)
            .or_else(|| names::hover_name(&context))
            .or_else(|| literal::hover_value(&context)),
        _ => literal::hover_value(&context)
            .or_else(|| header::hover_table(&context))
            .or_else(|| shape::hover_tuple(&context))
            .or_else(|| mark(&context)),
    }
}

/// Explains a comment.
fn comment(text: &str, offset: usize) -> Option<Hover> {
    let before = text.get(..offset)?;
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let block = before.rfind("/*").filter(|at| before.get(*at..).is_some_and(|from| !from.contains("*/")));
    let from_line = before.get(line..)?.find("//").map(|at| line + at);
    let (start, end) = if let Some(start) = block {
        let length = text.get(start..)?.find("*/").map_or(text.len() - start, |length| length + 2);
        (start, start + length)
    } else {
        let start = from_line.or_else(|| text.get(offset..)?.starts_with("/*").then_some(offset))?;
        let rest = text.get(start..)?;
        let length = if rest.starts_with("/*") { rest.find("*/").map(|at| at + 2) } else { rest.find('\n') };
        (start, start + length.unwrap_or(rest.len()))
    };
    let hover = Hover::new(Span::new(start, end), Message::inspect("inspect-comment"));
    let index = text.get(start..end)?.strip_prefix("/*index=").and_then(|rest| rest.strip_suffix("*/"));
    Some(match index {
        Some(index) => hover.say(Message::inspect("inspect-comment-index").with("index", index)),
        None => hover.say(Message::inspect("inspect-comment-ignored")),
    })
}

/// Explains a reserved word that is not an element type.
fn keyword(context: &Context) -> Option<Hover> {
    let key = match context.cursor.word {
        "HloModule" => "inspect-word-module",
        "ENTRY" => "inspect-word-entry",
        "ROOT" => "inspect-word-root",
        "FileNames" => "inspect-word-file-names",
        "FunctionNames" => "inspect-word-function-names",
        "FileLocations" => "inspect-word-file-locations",
        "StackFrames" => "inspect-word-stack-frames",
        "token" => "inspect-word-token",
        "opaque" => "inspect-word-opaque",
        _ => return None,
    };
    let title = Message::inspect("inspect-keyword");
    Some(Hover::new(context.cursor.token.span, title).say(Message::inspect(key)))
}

/// Explains a mark between the parts of an instruction.
fn mark(context: &Context) -> Option<Hover> {
    let key = match context.cursor.token.kind {
        TokenKind::Arrow => "inspect-mark-arrow",
        TokenKind::Punct('=') => "inspect-mark-equals",
        _ => return None,
    };
    Some(Hover::new(context.cursor.token.span, Message::inspect("inspect-mark")).say(Message::inspect(key)))
}
