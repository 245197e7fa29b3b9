//! An embed of the current state as one line of HTML, for the user's own page.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::files::copy;
use super::link_field::use_status;
use crate::app::context::use_app_context;
use crate::app::link;
use crate::escape::xml;

/// The permissions of a sandboxed embed: scripts, and opening the app in a tab without sandbox.
const SANDBOX: &str = " sandbox=\"allow-scripts allow-popups allow-popups-to-escape-sandbox\"";

/// Properties of [`EmbedField`].
#[derive(Clone, PartialEq, Properties)]
pub struct EmbedFieldProps {
    /// The fragment of the link.
    pub fragment: AttrValue,
    /// The title of the frame.
    pub title: AttrValue,
    /// The preferred height of the panel in pixels.
    pub height: u32,
}

/// The line, with a button that copies it.
#[component]
pub fn EmbedField(props: &EmbedFieldProps) -> Html {
    let context = use_app_context();
    let field = use_node_ref();
    let (status, set_status) = use_status();
    // The sandbox attribute is only written if this host lets sandboxed frames load the app.
    let sandbox = use_state_eq(|| false);
    {
        let sandbox = sandbox.clone();
        use_effect_with((), move |()| {
            wasm_bindgen_futures::spawn_local(async move { sandbox.set(link::allows_all_origins().await) });
        });
    }
    let line = format!(
        "<iframe src=\"{}\" title=\"{}\" width=\"100%\" height=\"{}\" loading=\"lazy\" style=\"border:0\"{}></iframe>",
        xml(&link::full_url(&format!("{}{}", link::EMBED_PREFIX, props.fragment))),
        xml(&props.title),
        props.height,
        if *sandbox { SANDBOX } else { "" },
    );
    let copy_line = {
        let (line, field) = (line.clone(), field.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(input) = field.cast::<HtmlInputElement>() {
                input.select();
            }
            let set_status = set_status.clone();
            copy(&line, move |key| set_status.emit(key));
        })
    };
    html! {
        <>
            <label for="embed">{context.text_of_key("embed-label")}</label>
            <div class="row">
                <input id="embed" class="text mono" ref={field} type="text" readonly=true value={line} />
                <button class="btn" id="copy-embed" onclick={copy_line} aria-label={context.text_of_key("copy-embed")}>
                    {context.text_of_key("copy")}
                </button>
            </div>
            <p role="status" class="good">{status.map(|key| context.text_of_key(key))}</p>
        </>
    }
}
