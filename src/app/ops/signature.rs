//! The selected instruction on one line, above its picture and as the title of an embed.

use crate::app::context::Context;
use crate::hlo::{InstructionId, Module};
use crate::i18n::Message;
use crate::state::experiment::session::Session;

/// Maximum number of characters of an attribute's value in the signature, and of the signature.
const MAX_VALUE_CHARS: usize = 200;
const MAX_SIGNATURE_CHARS: usize = 2_000;

/// The start of a long text, with an ellipsis.
fn truncate(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Maximum number of operands in the signature.
const MAX_NAMED_OPERANDS: usize = 16;

/// The selected instruction on one line, with shapes instead of names.
pub fn signature(context: &Context, session: &Session, id: InstructionId) -> String {
    let text = &session.experiment().text;
    let Some(entry) = session.module().entry_computation() else { return String::new() };
    let Some(instruction) = entry.get(id) else { return String::new() };
    let shapes = Module::operand_shapes(entry, instruction);
    let mut operands: Vec<String> =
        shapes.iter().take(MAX_NAMED_OPERANDS).map(|shape| shape.human_string()).collect();
    if shapes.len() > MAX_NAMED_OPERANDS {
        let more = Message::ops("signature-more").with("count", shapes.len() - MAX_NAMED_OPERANDS);
        operands.push(context.text(&more).to_string());
    }
    let operands = operands.join(", ");
    let mut parts =
        vec![format!("{} = {}({operands})", instruction.shape.human_string(), instruction.opcode)];
    for (name, span) in
        instruction.spans.attrs.iter().filter(|(name, _)| {
            instruction.op.is_some_and(|op| op.meta().attrs.iter().any(|a| a.name == *name))
        })
    {
        let value = text.get(span.range()).unwrap_or_default();
        let short = if value.len() > 40 && value.contains(" parameter(") { "{…}" } else { value };
        parts.push(format!("{name}={}", truncate(short, MAX_VALUE_CHARS)));
    }
    truncate(&parts.join(", "), MAX_SIGNATURE_CHARS)
}
