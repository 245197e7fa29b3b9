//! The link that moves the focus past the header.

use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

use crate::app::context::Context;

/// Focuses an element of the page.
pub fn focus(id: &str) {
    let element = gloo::utils::document().get_element_by_id(id);
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        // This fails only for an element that cannot have the focus.
        let _ = element.focus();
    }
}

/// Focuses the stage without changing the URL, which contains the state.
pub fn skip_link(context: &Context) -> Html {
    let onclick = Callback::from(|event: MouseEvent| {
        event.prevent_default();
        focus("stage");
    });
    html! { <a class="skip" href="#stage" {onclick}>{context.text_of_key("skip")}</a> }
}
