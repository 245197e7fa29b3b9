//! The notice that an entry of the 2017 document is computed by current XLA, with a button that selects XLA 2017.

use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

use super::editions;
use crate::app::context::Context;
use crate::array::Edition;
use crate::i18n::Message;
use crate::state::experiment::session::{Action, Session};

/// The notice; nothing if the op was not opened by an entry, or in XLA 2017.
pub fn entry_edition(context: &Context, session: &Session, dispatch: &Callback<Action>) -> Html {
    if session.document_entry().is_none() || session.edition() == Edition::V2017 {
        return Html::default();
    }
    let onclick = dispatch.reform(|_: MouseEvent| {
        // The button disappears, so the focus moves to the select element that it changed.
        let choice = gloo::utils::document().get_element_by_id(editions::EDITION_SELECT_ID);
        if let Some(choice) = choice.and_then(|choice| choice.dyn_into::<HtmlElement>().ok()) {
            let _ = choice.focus();
        }
        Action::SetEdition(Edition::V2017)
    });
    html! {
        <p class="row wrap" id="entry-edition">
            <span class="dim">{context.text(&Message::ops("entry-current"))}</span>
            <button class="btn tiny" id="use-2017" {onclick}>{context.text(&Message::ops("entry-use-2017"))}</button>
        </p>
    }
}
