//! Shows parts of the program in the field of its HLO text.

use wasm_bindgen::JsCast;
use web_sys::HtmlTextAreaElement;

use crate::diagnostic::Span;
use crate::hlo::Instruction;

/// Selects an instruction in the field of the HLO text.
pub fn select_in_text(text: &str, instruction: &Instruction) {
    select(text, instruction, instruction.spans.whole);
}

/// Puts the caret before an instruction in the field of the HLO text, so that typing replaces nothing.
pub fn edit_in_text(text: &str, instruction: &Instruction) {
    select(text, instruction, Span::at(instruction.spans.whole.start));
}

/// Selects a span of the text, unless the spans of the instruction's module do not apply to the text: after edits with
/// errors, it is newer than the module.
fn select(text: &str, instruction: &Instruction, Span { start, end }: Span) {
    let spans_apply = text.get(instruction.spans.name.range()) == Some(instruction.name.as_str());
    let field = gloo::utils::document().get_element_by_id("hlo");
    let Some(field) = field.and_then(|field| field.dyn_into::<HtmlTextAreaElement>().ok()) else { return };
    // This cannot fail for an element of the page.
    let _ = field.focus();
    let (Some(before), Some(selected)) = (text.get(..start), text.get(start..end)) else { return };
    let utf16_units = |text: &str| u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX);
    if spans_apply && field.value() == text {
        let _ = field.set_selection_range(
            utf16_units(before),
            utf16_units(before).saturating_add(utf16_units(selected)),
        );
        let line = |text: &str| i32::try_from(text.matches('\n').count()).unwrap_or(i32::MAX);
        let height = field.scroll_height() / line(text).saturating_add(1).max(1);
        field.set_scroll_top(line(before).saturating_mul(height) - field.client_height() / 2);
    }
}
