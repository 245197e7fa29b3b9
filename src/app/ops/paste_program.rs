//! A field of the gallery for a program of the visitor's own.

use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use super::open_in_program::use_large_paste;
use crate::app::context::use_app_context;
use crate::app::keys;
use crate::i18n::Message;
use crate::state::experiment::Experiment;
use crate::state::experiment::session::Action;

/// Properties of [`PasteProgram`].
#[derive(Clone, PartialEq, Properties)]
pub struct PasteProgramProps {
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// The field: a pasted or dropped text opens without another click, a typed one with the button or Control and Enter.
#[component]
pub fn PasteProgram(props: &PasteProgramProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::ops(key));
    let field = use_node_ref();
    let has_text = use_state_eq(|| false);
    let large_paste = use_large_paste();
    let open = {
        let (dispatch, field, large_paste) = (props.dispatch.clone(), field.clone(), large_paste.clone());
        Callback::from(move |()| {
            let Some(program) = field.cast::<HtmlTextAreaElement>().map(|field| field.value()) else {
                return;
            };
            if !program.trim().is_empty() && !large_paste.offer(&program) {
                dispatch.emit(Action::Load(Box::new(Experiment::from_text(program))));
            }
        })
    };
    let oninput = {
        let (open, has_text) = (open.clone(), has_text.clone());
        Callback::from(move |event: InputEvent| {
            let program = event.target_unchecked_into::<HtmlTextAreaElement>().value();
            has_text.set(!program.trim().is_empty());
            if matches!(keys::input_type(&event).as_str(), "insertFromPaste" | "insertFromDrop") {
                open.emit(());
            }
        })
    };
    let onkeydown = {
        let open = open.clone();
        Callback::from(move |event: KeyboardEvent| {
            if keys::name(&event) == "Enter" && (event.ctrl_key() || event.meta_key()) {
                event.prevent_default();
                open.emit(());
            }
        })
    };
    html! {
        <div class="paste-program">
            <label for="own-program">{text("gallery-own-program")}</label>
            <textarea class="text hlo" id="own-program" ref={field} rows="2" {oninput} {onkeydown} onpaste={large_paste.onpaste.clone()} ondrop={large_paste.ondrop.clone()} autocomplete="off" spellcheck="false"
                placeholder="HloModule … / module @jit_f …" />
            <button type="button" class="btn" id="open-own-program" onclick={open.reform(|_: MouseEvent| ())} disabled={!*has_text}>
                {text("gallery-open-own-program")}
            </button>
            {large_paste.notice(&context)}
        </div>
    }
}
