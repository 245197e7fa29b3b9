//! Shows parts of the program in the field of its HLO text.

use wasm_bindgen::JsCast;
use web_sys::HtmlTextAreaElement;

use crate::diagnostic::Span;
use crate::hlo::Instruction;

/// Selects an instruction in the field of the HLO text.
pub fn select_in_text(text: &str, instruction: &Instruction) {
    select(text, instruction, instruction.spans.whole);
}

/// Puts the caret before an instruction in the field of the HLO text: what is typed then replaces nothing.
pub fn edit_in_text(text: &str, instruction: &Instruction) {
    select(text, instruction, Span::at(instruction.spans.whole.start));
}

/// Selects a part of the text. A text with errors has other places than the module of the instruction.
fn select(text: &str, instruction: &Instruction, Span { start, end }: Span) {
    let is_there = text.get(instruction.spans.name.range()) == Some(instruction.name.as_str());
    let field = gloo::utils::document().get_element_by_id("hlo");
    let Some(field) = field.and_then(|field| field.dyn_into::<HtmlTextAreaElement>().ok()) else { return };
    // It cannot fail for an element of the page.
    let _ = field.focus();
    let (Some(before), Some(own)) = (text.get(..start), text.get(start..end)) else { return };
    let units = |text: &str| u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX);
    if is_there && field.value() == text {
        let _ = field.set_selection_range(units(before), units(before).saturating_add(units(own)));
        let line = |text: &str| i32::try_from(text.matches('\n').count()).unwrap_or(i32::MAX);
        let height = field.scroll_height() / line(text).saturating_add(1).max(1);
        field.set_scroll_top(line(before).saturating_mul(height) - field.client_height() / 2);
    }
}
