//! What is shown as one line of HTML, for a page of the visitor's own.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::files::copy;
use super::link_field::use_said;
use crate::app::context::use_say;
use crate::app::link;
use crate::escape::xml;

/// What a sandboxed embed may do: run, and open the app in a tab that is not sandboxed.
const SANDBOX: &str = " sandbox=\"allow-scripts allow-popups allow-popups-to-escape-sandbox\"";

/// Properties of [`EmbedField`].
#[derive(Clone, PartialEq, Properties)]
pub struct EmbedFieldProps {
    /// The fragment of the link.
    pub fragment: AttrValue,
    /// What the frame is called.
    pub title: AttrValue,
    /// How tall the panel wants to be, pixels.
    pub height: u32,
}

/// The line, with a button that copies it.
#[component]
pub fn EmbedField(props: &EmbedFieldProps) -> Html {
    let context = use_say();
    let field = use_node_ref();
    let (said, tell) = use_said();
    // A sandbox only where this host lets a sandboxed frame load the app: the line must work wherever it goes.
    let sandbox = use_state_eq(|| false);
    {
        let sandbox = sandbox.clone();
        use_effect_with((), move |()| {
            wasm_bindgen_futures::spawn_local(async move { sandbox.set(link::is_shared_with_all().await) });
        });
    }
    let line = format!(
        "<iframe src=\"{}\" title=\"{}\" width=\"100%\" height=\"{}\" loading=\"lazy\" style=\"border:0\"{}></iframe>",
        xml(&link::address(&format!("{}{}", link::EMBED, props.fragment))),
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
            let tell = tell.clone();
            copy(&line, move |key| tell.emit(key));
        })
    };
    html! {
        <>
            <label for="embed">{context.say("embed-label")}</label>
            <div class="row">
                <input id="embed" class="text mono" ref={field} type="text" readonly=true value={line} />
                <button class="btn" id="copy-embed" onclick={copy_line} aria-label={context.say("copy-embed")}>
                    {context.say("copy")}
                </button>
            </div>
            <p role="status" class="good">{said.map(|key| context.say(key))}</p>
        </>
    }
}
