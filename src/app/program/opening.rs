//! The screen without a program: what it is for, and the ways to open one.

use web_sys::{ClipboardEvent, DragEvent, HtmlTextAreaElement};
use yew::prelude::*;

use super::file_input::{FileProblem, chosen, dropped, read_text};
use crate::app::context::use_app_context;
use crate::i18n::Message;
use crate::state::program::samples::SAMPLES;
use crate::state::program::session::Action;
use crate::state::program::source_text::SourceText;

/// Properties of [`Opening`].
#[derive(Clone, PartialEq, Properties)]
pub struct OpeningProps {
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// The ways to open a program.
#[component]
pub fn Opening(props: &OpeningProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    let field = use_node_ref();
    let has_text = use_state_eq(|| false);
    let problem = use_state_eq(|| None::<FileProblem>);
    let open = {
        let (dispatch, problem) = (props.dispatch.clone(), problem.setter());
        Callback::from(move |read: Result<String, FileProblem>| match read {
            Ok(text) => {
                problem.set(None);
                dispatch.emit(Action::OpenText(SourceText::new(text)));
            }
            Err(why) => problem.set(Some(why)),
        })
    };
    let onpaste = {
        let open = open.clone();
        Callback::from(move |event: Event| {
            // The browser would lay out the whole text in the field before anything else happens.
            let pasted = wasm_bindgen::JsCast::dyn_ref::<ClipboardEvent>(&event)
                .and_then(ClipboardEvent::clipboard_data)
                .and_then(|data| data.get_data("text/plain").ok())
                .filter(|text| !text.trim().is_empty());
            if let Some(pasted) = pasted {
                event.prevent_default();
                open.emit(Ok(pasted));
            }
        })
    };
    let oninput = {
        let (open, has_text) = (open.clone(), has_text.clone());
        Callback::from(move |event: InputEvent| {
            let typed = event.target_unchecked_into::<HtmlTextAreaElement>().value();
            let is_blank = typed.trim().is_empty();
            has_text.set(!is_blank);
            // A paste or a drop whose content was not accessible before it was inserted.
            if !is_blank && matches!(event.input_type().as_str(), "insertFromPaste" | "insertFromDrop") {
                open.emit(Ok(typed));
            }
        })
    };
    let open_typed = {
        let (open, field) = (open.clone(), field.clone());
        Callback::from(move |()| {
            if let Some(typed) = field.cast::<HtmlTextAreaElement>().map(|field| field.value()) {
                open.emit(Ok(typed));
            }
        })
    };
    let onkeydown = {
        let open_typed = open_typed.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
                event.prevent_default();
                open_typed.emit(());
            }
        })
    };
    let ondrop = {
        let open = open.clone();
        Callback::from(move |event: DragEvent| {
            if let Some(file) = dropped(&event) {
                event.prevent_default();
                read_text(&file, open.clone());
            }
        })
    };
    let onchange = {
        let open = open.clone();
        Callback::from(move |event: Event| {
            if let Some(file) = chosen(&event) {
                read_text(&file, open.clone());
            }
        })
    };
    let samples = SAMPLES.iter().map(|sample| {
        let onclick = props.dispatch.reform(move |_: MouseEvent| Action::OpenSample(sample));
        html! {
            <li key={sample.name}>
                <button class="sample" id={format!("sample-{}", sample.name)} {onclick}>
                    <b>{text(sample.title)}</b><span class="dim">{text(sample.about)}</span>
                </button>
            </li>
        }
    });
    let problem = problem.as_ref().map(|problem| match problem {
        FileProblem::Unreadable => text("program-file-unreadable"),
        FileProblem::TooLarge => text("program-file-too-large"),
        FileProblem::Array => text("program-file-opened-as-text"),
    });
    let points = ["program-for-read", "program-for-run", "program-for-trace"];
    html! {
        <div class="opening" ondragover={Callback::from(|event: DragEvent| event.prevent_default())} {ondrop}>
            <section class="opening-lead">
                <h2 class="title">{text("program-title")}</h2>
                <ul>{for points.map(|key| html! { <li>{text(key)}</li> })}</ul>
                <p class="dim">{text("program-private")}</p>
            </section>
            <section class="opening-own" aria-labelledby="h-open">
                <h2 id="h-open">{text("program-open")}</h2>
                <textarea class="text hlo" id="program-paste" ref={field} rows="7" {onpaste} {oninput} {onkeydown} autocomplete="off" spellcheck="false"
                    aria-label={text("program-paste")} placeholder={text("program-paste")} />
                <div class="row wrap">
                    <button class="btn primary" id="program-open" onclick={open_typed.reform(|_: MouseEvent| ())} disabled={!*has_text}>
                        {text("program-open-typed")}
                    </button>
                    <label class="btn file" for="program-file">{text("program-file")}</label>
                    <input type="file" class="sr-only" id="program-file" accept=".hlo,.txt,.mlir,text/plain" {onchange} />
                    <span class="dim">{text("program-drop")}</span>
                </div>
                if let Some(problem) = problem { <p class="error-line" role="alert" id="file-problem">{problem}</p> }
            </section>
            <section aria-labelledby="h-samples">
                <h2 id="h-samples">{text("program-samples")}</h2>
                <ul class="samples">{for samples}</ul>
            </section>
        </div>
    }
}
