//! The field into which a program is pasted or typed, with the button that opens it.

use web_sys::{ClipboardEvent, HtmlTextAreaElement};
use yew::prelude::*;

use crate::app::keys;

/// Properties of [`PasteField`].
#[derive(Clone, PartialEq, Properties)]
pub struct PasteFieldProps {
    /// The id of the field.
    pub id: AttrValue,
    /// The id of the button.
    pub button_id: AttrValue,
    /// The number of lines that the field shows.
    pub rows: u8,
    /// The label of the field.
    pub label: AttrValue,
    /// The label of the button.
    pub button: AttrValue,
    /// Called with text that is not blank: at once if it is pasted, else by the button or by Ctrl+Enter.
    pub on_text: Callback<String>,
    /// Content next to the button.
    pub children: Html,
}

/// The field and its button.
#[component]
pub fn PasteField(props: &PasteFieldProps) -> Html {
    let field = use_node_ref();
    let has_text = use_state_eq(|| false);
    let on_text = {
        let on_text = props.on_text.clone();
        Callback::from(move |text: String| {
            if !text.trim().is_empty() {
                on_text.emit(text);
            }
        })
    };
    let onpaste = {
        let on_text = on_text.clone();
        Callback::from(move |event: Event| {
            // The browser would lay out the whole text in the field before anything else happens.
            let pasted = wasm_bindgen::JsCast::dyn_ref::<ClipboardEvent>(&event)
                .and_then(ClipboardEvent::clipboard_data)
                .and_then(|data| data.get_data("text/plain").ok())
                .filter(|text| !text.trim().is_empty());
            if let Some(pasted) = pasted {
                event.prevent_default();
                on_text.emit(pasted);
            }
        })
    };
    let oninput = {
        let (on_text, has_text) = (on_text.clone(), has_text.setter());
        Callback::from(move |event: InputEvent| {
            let typed = event.target_unchecked_into::<HtmlTextAreaElement>().value();
            has_text.set(!typed.trim().is_empty());
            // A paste or a drop whose content was not accessible before it was inserted.
            if matches!(keys::input_type(&event).as_str(), "insertFromPaste" | "insertFromDrop") {
                on_text.emit(typed);
            }
        })
    };
    let open_typed = {
        let field = field.clone();
        Callback::from(move |()| {
            if let Some(field) = field.cast::<HtmlTextAreaElement>() {
                on_text.emit(field.value());
            }
        })
    };
    let onkeydown = {
        let open_typed = open_typed.clone();
        Callback::from(move |event: KeyboardEvent| {
            if keys::name(&event) == "Enter" && (event.ctrl_key() || event.meta_key()) {
                event.prevent_default();
                open_typed.emit(());
            }
        })
    };
    html! {
        <>
            <textarea class="text hlo" id={props.id.clone()} ref={field} rows={props.rows.to_string()} {onpaste} {oninput} {onkeydown}
                autocomplete="off" spellcheck="false" aria-label={props.label.clone()} placeholder={props.label.clone()} />
            <div class="row wrap">
                <button class="btn primary" id={props.button_id.clone()} onclick={open_typed.reform(|_: MouseEvent| ())} disabled={!*has_text}>
                    {&props.button}
                </button>
                {props.children.clone()}
            </div>
        </>
    }
}
