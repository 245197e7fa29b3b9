//! The tabs of the views.

use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

use crate::app::context::Context;
use crate::app::keys;
use crate::i18n::Message;
use crate::state::program::session::Action;
use crate::state::program::view::View;

/// The id of a tab.
pub fn tab_id(view: View) -> String {
    format!("view-{}", view.name())
}

/// The tablist. The selected tab has the focus; arrows select another.
pub fn view_tabs(context: &Context, shown: View, dispatch: &Callback<Action>) -> Html {
    let onkeydown = {
        let dispatch = dispatch.clone();
        Callback::from(move |event: KeyboardEvent| {
            if let Some(to) = shown.after_key(&keys::name(&event)) {
                event.prevent_default();
                dispatch.emit(Action::Show(to));
                let tab = gloo::utils::document().get_element_by_id(&tab_id(to));
                if let Some(tab) = tab.and_then(|tab| tab.dyn_into::<HtmlElement>().ok()) {
                    // The element exists: there is nothing to do if it cannot be focused.
                    let _ = tab.focus();
                }
            }
        })
    };
    let tabs = View::ALL.into_iter().map(|view| {
        let is_shown = view == shown;
        let onclick = dispatch.reform(move |_: MouseEvent| Action::Show(view));
        html! {
            <button class="tab" role="tab" id={tab_id(view)} aria-selected={is_shown.to_string()} aria-controls="stage"
                tabindex={if is_shown { "0" } else { "-1" }} {onclick} key={view.name()}>
                {context.text(&Message::program(view.title()))}
            </button>
        }
    });
    html! {
        <div class="tabs view-tabs" role="tablist" aria-label={context.text(&Message::program("program-views"))} {onkeydown}>{for tabs}</div>
    }
}
