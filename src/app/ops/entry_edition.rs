//! The notice of the edition where the user may expect the other one: an entry of the 2017 document that current XLA computes, or an
//! op that XLA 2017 computes because that was selected for an earlier one.

use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

use super::editions;
use crate::app::context::Context;
use crate::array::Edition;
use crate::i18n::Message;
use crate::state::experiment::session::{Action, Session};

/// The notice, with a button that selects the other edition; nothing for an entry of the 2017 document in XLA 2017, and for another
/// op in current XLA.
pub fn entry_edition(context: &Context, session: &Session, dispatch: &Callback<Action>) -> Html {
    let (notice, button, id, other) = match (session.document_entry().is_some(), session.edition()) {
        (true, Edition::Current) => ("entry-current", "entry-use-2017", "use-2017", Edition::V2017),
        (false, Edition::V2017) => ("computed-2017", "edition-switch", "use-current", Edition::Current),
        _ => return Html::default(),
    };
    let onclick = dispatch.reform(move |_: MouseEvent| {
        // The button disappears, so the focus moves to the select element that it changed.
        let choice = gloo::utils::document().get_element_by_id(editions::EDITION_SELECT_ID);
        if let Some(choice) = choice.and_then(|choice| choice.dyn_into::<HtmlElement>().ok()) {
            let _ = choice.focus();
        }
        Action::SetEdition(other)
    });
    html! {
        <p class="row wrap" id="entry-edition">
            <span class="dim">{context.text(&Message::ops(notice))}</span>
            <button class="btn tiny" {id} {onclick}>{context.text(&Message::ops(button))}</button>
        </p>
    }
}
