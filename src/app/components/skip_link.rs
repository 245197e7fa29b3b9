//! The link that moves the focus past the header.

use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

use crate::app::context::use_say;

/// Gives an element of the page the focus.
pub fn focus(id: &str) {
    let element = gloo::utils::document().get_element_by_id(id);
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        // It fails only where the element cannot have the focus.
        let _ = element.focus();
    }
}

/// Moves the focus to the stage without changing the address, which holds what is shown.
#[component]
pub fn SkipLink() -> Html {
    let context = use_say();
    let onclick = Callback::from(|event: MouseEvent| {
        event.prevent_default();
        focus("stage");
    });
    html! { <a class="skip" href="#stage" {onclick}>{context.say("skip")}</a> }
}
