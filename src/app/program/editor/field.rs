//! The element of the plain field: its text, its caret in bytes, and replacements that the browser's own undo takes back.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlDocument, HtmlTextAreaElement};
use yew::NodeRef;

use crate::state::program::source_text::SourceText;

/// Converts a number of UTF-16 units from the start of the text to an offset in bytes.
fn bytes_of_units(text: &str, units: u32) -> usize {
    let mut counted = 0;
    let found = text.char_indices().find(|(_, c)| {
        let is_reached = counted >= units;
        counted += u32::try_from(c.len_utf16()).unwrap_or(1);
        is_reached
    });
    found.map_or(text.len(), |(at, _)| at)
}

/// Converts an offset in bytes to a number of UTF-16 units from the start of the text.
fn units_of_bytes(text: &str, offset: usize) -> u32 {
    let count = text.get(..offset).unwrap_or_default().encode_utf16().count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The element.
pub struct Field(HtmlTextAreaElement);

impl Field {
    /// The element of a node, if it is in the document.
    pub fn of(node: &NodeRef) -> Option<Self> {
        node.cast().map(Self)
    }

    /// Its text.
    pub fn text(&self) -> String {
        self.0.value()
    }

    /// Replaces its text. The browser forgets what it could undo.
    pub fn set_text(&self, text: &str) {
        self.0.set_value(text);
    }

    /// The byte of its text at which the caret is, if the user is in the field.
    pub fn caret(&self, text: &str) -> Option<usize> {
        let focused = gloo::utils::document().active_element()?;
        let is_focused = focused == *self.0.unchecked_ref::<Element>();
        let units = self.0.selection_start().ok().flatten().filter(|_| is_focused)?;
        Some(bytes_of_units(text, units))
    }

    /// Selects a part of its text.
    fn select(&self, text: &str, (from, to): (usize, usize)) {
        // It fails only for fields without a selection.
        let _ = self.0.set_selection_range(units_of_bytes(text, from), units_of_bytes(text, to));
    }

    /// Moves the caret to a byte of its text.
    pub fn set_caret(&self, text: &str, offset: usize) {
        self.select(text, (offset, offset));
    }

    /// Moves the caret to a byte of its text, and scrolls there.
    pub fn reveal(&self, source: &SourceText, offset: usize) {
        self.set_caret(source.text(), offset);
        // Lines are not wrapped: all are equally high.
        let line = f64::from(u32::try_from(source.line_of(offset)).unwrap_or(u32::MAX));
        let count = f64::from(u32::try_from(source.line_count()).unwrap_or(u32::MAX));
        let top = f64::from(self.0.scroll_height()) * line / count - f64::from(self.0.client_height()) / 2.0;
        #[allow(clippy::cast_possible_truncation, reason = "pixels")]
        self.0.set_scroll_top(top.max(0.0) as i32);
    }

    /// Moves the focus to the field.
    pub fn focus(&self) {
        // It fails only for what cannot have the focus.
        let _ = self.0.focus();
    }

    /// Replaces a part of its text as if that was typed, so that the browser's own undo takes it back; returns whether the field reports
    /// it as input.
    pub fn replace(&self, text: &str, (from, to): (usize, usize), replacement: &str) -> bool {
        self.focus();
        self.select(text, (from, to));
        let document = gloo::utils::document().dyn_into::<HtmlDocument>().ok();
        let typed = document
            .map(|document| document.exec_command_with_show_ui_and_value("insertText", false, replacement));
        if typed == Some(Ok(true)) {
            return true;
        }
        // It fails only for a range that is not in the text.
        let _ = self.0.set_range_text(replacement);
        false
    }
}
