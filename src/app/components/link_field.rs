//! The link of the current state, to be copied, or saved if it is too long to send.

use gloo::timers::callback::Timeout;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::files::{copy, download};
use crate::app::context::use_app_context;
use crate::app::link;
use crate::i18n::Message;
use crate::state::permalink;

/// Properties of [`LinkField`].
#[derive(Clone, PartialEq, Properties)]
pub struct LinkFieldProps {
    /// The fragment of the link.
    pub fragment: AttrValue,
}

/// A status message that disappears after a few seconds.
#[hook]
pub fn use_status() -> (Option<&'static str>, Callback<&'static str>) {
    let status = use_state_eq(|| None::<&'static str>);
    let now = *status;
    let set_status = Callback::from(move |key: &'static str| {
        status.set(Some(key));
        let status = status.clone();
        Timeout::new(4_000, move || status.set(None)).forget();
    });
    (now, set_status)
}

/// A field with the full URL, and buttons that copy and save it.
#[component]
pub fn LinkField(props: &LinkFieldProps) -> Html {
    let context = use_app_context();
    let field = use_node_ref();
    let (status, set_status) = use_status();
    let url = link::full_url(&props.fragment);
    let copy_link = {
        let (url, field) = (url.clone(), field.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(input) = field.cast::<HtmlInputElement>() {
                input.select();
            }
            let set_status = set_status.clone();
            copy(&url, move |key| set_status.emit(key));
        })
    };
    let long = url.len() > permalink::LONG_LINK_CHARS;
    let save_link = {
        let fragment = props.fragment.clone();
        Callback::from(move |_: MouseEvent| download("array.xla-playground.txt", "text/plain", &fragment))
    };
    let length = Message::new("link-length").with("characters", url.chars().count());
    html! {
        <>
            <label for="link">{context.text_of_key("link-label")}</label>
            <div class="row">
                <input id="link" class="text mono" ref={field} type="text" readonly=true value={url} />
                <button class="btn primary" id="copy-link" onclick={copy_link}>{context.text_of_key("copy")}</button>
            </div>
            <p class="dim">{context.text(&length)}{" "}{context.text_of_key("link-restores")}</p>
            if long {
                <p>{context.text_of_key("link-long")}{" "}
                    <button class="btn small" onclick={save_link}>{context.text_of_key("save-file")}</button>
                </p>
            }
            <p role="status" class="good">{status.map(|key| context.text_of_key(key))}</p>
        </>
    }
}
