//! The link of what is shown, to be copied, or saved where it is too long to send.

use gloo::timers::callback::Timeout;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::files::{copy, download};
use crate::app::context::use_say;
use crate::app::link;
use crate::i18n::Message;
use crate::state::permalink;

/// Properties of [`LinkField`].
#[derive(Clone, PartialEq, Properties)]
pub struct LinkFieldProps {
    /// The fragment of the link.
    pub fragment: AttrValue,
}

/// A status that says something for a while.
#[hook]
pub fn use_said() -> (Option<&'static str>, Callback<&'static str>) {
    let said = use_state_eq(|| None::<&'static str>);
    let now = *said;
    let tell = Callback::from(move |key: &'static str| {
        said.set(Some(key));
        let said = said.clone();
        Timeout::new(4_000, move || said.set(None)).forget();
    });
    (now, tell)
}

/// The link.
#[component]
pub fn LinkField(props: &LinkFieldProps) -> Html {
    let context = use_say();
    let field = use_node_ref();
    let (said, tell) = use_said();
    let address = link::address(&props.fragment);
    let copy_link = {
        let (address, field) = (address.clone(), field.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(input) = field.cast::<HtmlInputElement>() {
                input.select();
            }
            let tell = tell.clone();
            copy(&address, move |key| tell.emit(key));
        })
    };
    let long = address.len() > permalink::LONG_LINK_CHARS;
    let save_link = {
        let fragment = props.fragment.clone();
        Callback::from(move |_: MouseEvent| download("array.xla-playground.txt", "text/plain", &fragment))
    };
    let length = Message::new("link-length").with("characters", address.chars().count());
    html! {
        <>
            <label for="link">{context.say("link-label")}</label>
            <div class="row">
                <input id="link" class="text mono" ref={field} type="text" readonly=true value={address} />
                <button class="btn primary" id="copy-link" onclick={copy_link}>{context.say("copy")}</button>
            </div>
            <p class="dim">{context.tell(&length)}{" "}{context.say("link-restores")}</p>
            if long {
                <p>{context.say("link-long")}{" "}
                    <button class="btn small" onclick={save_link}>{context.say("save-file")}</button>
                </p>
            }
            <p role="status" class="good">{said.map(|key| context.say(key))}</p>
        </>
    }
}
