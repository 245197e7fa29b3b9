//! Typing the value of one cell: the values become typed text, with the value of the cell selected in its field.

use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use super::panel_fields::ParameterSettings;
use super::values_editor::current_text;
use crate::array::index::row_major_index;
use crate::array::literal::user_input::element_span;
use crate::array::{Dims, Shape};
use crate::state::document::ValueRule;

/// Milliseconds between checks whether the field is there, and their maximum number.
const FIELD_CHECK_INTERVAL_MS: u32 = 30;
const MAX_FIELD_CHECKS: u32 = 40;

/// Edits the value of a cell of a parameter, in the field for typed values; `None` if its values are too many to type.
pub fn cell_editor(
    id: &str,
    settings: &ParameterSettings,
    set_values: &Callback<ValueRule>,
) -> Option<Callback<Dims>> {
    let Shape::Array(shape) = settings.shape.clone() else { return None };
    let (text, is_typed) = match &settings.values {
        ValueRule::Text(text) => (text.clone(), true),
        values => (current_text(&settings.shape, values), false),
    };
    if text.is_empty() {
        return None;
    }
    let (field_id, set_values) = (format!("{id}-typed"), set_values.clone());
    Some(Callback::from(move |index: Dims| {
        if index.len() != shape.rank() {
            return;
        }
        if !is_typed {
            set_values.emit(ValueRule::Text(text.clone()));
        }
        let number = usize::try_from(row_major_index(&index, &shape.dimensions)).ok();
        let span = number.and_then(|number| element_span(&text, shape.element_type, number));
        // A field selects by UTF-16 units.
        let units = |end: usize| text.get(..end).map_or(0, |before| before.encode_utf16().count());
        let selected = span.map(|span| (units(span.start), units(span.end)));
        let field_id = field_id.clone();
        select_in_field(field_id, selected, MAX_FIELD_CHECKS);
    }))
}

/// Waits for a field, which appears only after the next rendering of its panel, and selects a range of its text.
fn select_in_field(id: String, selected: Option<(usize, usize)>, checks: u32) {
    let field = gloo::utils::document().get_element_by_id(&id);
    let Some(field) = field.and_then(|field| field.dyn_into::<HtmlTextAreaElement>().ok()) else {
        if checks > 0 {
            Timeout::new(FIELD_CHECK_INTERVAL_MS, move || select_in_field(id, selected, checks - 1)).forget();
        }
        return;
    };
    // These fail only for a field that cannot have the focus.
    let _ = field.focus();
    if let Some((start, end)) = selected
        && let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end))
    {
        let _ = field.set_selection_range(start, end);
    }
}
