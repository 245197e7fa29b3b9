//! The JavaScript functions of custom calls. They run only after the user's approval, which is not requested in a frame,
//! where the embedding page could cover the question (clickjacking).

use std::collections::BTreeSet;
use std::rc::Rc;

use web_sys::{HtmlTextAreaElement, KeyboardEvent};
use yew::prelude::*;

use super::review::{Review, is_reviewable};
use super::run::{Approved, may_run};
use super::sandbox::CALL_TIMEOUT_MS;
use crate::app::components::window::{use_window, window_bar};
use crate::app::context::use_app_context;
use crate::app::keys;
use crate::app::link;
use crate::escape;
use crate::i18n::Message;
use crate::state::experiment::state::Environment;

/// Properties of [`Functions`].
#[derive(Clone, PartialEq, Properties)]
pub struct FunctionsProps {
    /// The functions that are called.
    pub names: Vec<String>,
    /// The environment, which has their code.
    pub environment: Environment,
    /// Whether a function waits for approval.
    pub awaits_approval: bool,
    /// Whether functions are running.
    pub is_running: bool,
    /// The functions that may run.
    pub approved: UseStateHandle<Approved>,
    /// Changes the environment.
    pub change: Callback<Environment>,
}

/// An editor per function.
#[component]
pub fn Functions(props: &FunctionsProps) -> Html {
    let context = use_app_context();
    let window = use_window(props.names.len(), None);
    let shown = props.names.iter().enumerate().skip(window.range.start).take(window.range.len());
    let editors = shown.map(|(index, name)| {
        let code = props.environment.functions.get(name).cloned();
        let run = {
            let (approved, change) = (props.approved.clone(), props.change.clone());
            let (environment, name) = (props.environment.clone(), name.clone());
            Callback::from(move |code: String| {
                let mut next_approved: BTreeSet<String> = (**approved).clone();
                next_approved.insert(code.clone());
                approved.set(Rc::new(next_approved));
                let mut next = environment.clone();
                next.functions.insert(name.clone(), code);
                change.emit(next);
            })
        };
        let awaits_approval = props.awaits_approval && code.as_ref().is_some_and(|code| !may_run(code, &props.approved));
        html! {
            <Editor key={name.clone()} {index} name={name.clone()} {code} {run} {awaits_approval} is_running={props.is_running} />
        }
    });
    html! {
        <>
            {window_bar(&context, "functions", context.text(&Message::ops("functions-window")), &window)}
            {for editors}
        </>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct EditorProps {
    index: usize,
    name: AttrValue,
    code: Option<String>,
    run: Callback<String>,
    awaits_approval: bool,
    is_running: bool,
}

/// The initial code.
const INITIAL_CODE: &str =
    "const [x] = inputs;\nfor (let i = 0; i < output.data.length; i++) {\n  output.data[i] = x.data[i];\n}";

#[component]
fn Editor(props: &EditorProps) -> Html {
    let context = use_app_context();
    let label_of = |key: &'static str| context.text(&Message::ops(key));
    let field = use_node_ref();
    let text = props.code.clone().unwrap_or_else(|| INITIAL_CODE.to_owned());
    {
        // A text area keeps typed text, so the code of another function must be set explicitly.
        let field = field.clone();
        use_effect_with((text.clone(), props.awaits_approval), move |(text, _)| {
            if let Some(field) = field.cast::<HtmlTextAreaElement>() {
                field.set_value(text);
            }
        });
    }
    let is_framed = link::is_framed();
    let reviewed_code = use_state(|| None::<String>);
    let run = {
        let (field, run) = (field.clone(), props.run.clone());
        move || {
            if is_framed {
                return;
            }
            if let Some(field) = field.cast::<HtmlTextAreaElement>() {
                run.emit(field.value());
            }
        }
    };
    let id = format!("js-{}", props.index);
    let label = Message::ops("js-label").with("name", props.name.to_string());
    let help = Message::ops("js-help").with("seconds", i64::from(CALL_TIMEOUT_MS / 1_000));
    if let Some(code) = props.code.clone().filter(|_| props.awaits_approval) {
        let is_reviewed = *reviewed_code == Some(code.clone());
        let state = match () {
            () if is_framed => "js-framed",
            () if !is_reviewable(&code) => "js-too-long",
            () if !is_reviewed => "js-unseen",
            () => "js-held",
        };
        let on_reviewed = {
            let (reviewed_code, code) = (reviewed_code.setter(), code.clone());
            Callback::from(move |()| reviewed_code.set(Some(code.clone())))
        };
        let allow = {
            let (run, code) = (props.run.clone(), code.clone());
            Callback::from(move |_: MouseEvent| run.emit(code.clone()))
        };
        let status_id = format!("js-state-{}", props.index);
        return html! {
            <div class="world-part code">
                <h3>{context.text(&label)}</h3>
                <p class="dim">{context.text(&help)}</p>
                if is_reviewable(&code) {
                    <pre aria-hidden="true">{format!("function {}(output, inputs) {{", props.name)}</pre>
                    <Review {id} {code} {on_reviewed} />
                    <pre aria-hidden="true">{"}"}</pre>
                }
                <div class="row wrap">
                    if !is_framed && state != "js-too-long" {
                        <button class="btn small primary" id={format!("run-js-{}", props.index)} onclick={allow}
                            disabled={!is_reviewed} aria-describedby={status_id.clone()}>
                            {label_of("js-run")}
                        </button>
                    }
                    <span class="waits" id={status_id} role="status">{label_of(state)}</span>
                </div>
            </div>
        };
    }
    let onclick = {
        let run = run.clone();
        Callback::from(move |_: MouseEvent| run())
    };
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        if keys::name(&event) == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            run();
        }
    });
    let rows = text.lines().count().clamp(4, 16).to_string();
    let state = match () {
        () if is_framed => "js-framed",
        () if props.code.is_none() => "js-missing",
        () if props.is_running => "js-running",
        () => "js-ready",
    };
    html! {
        <div class="world-part code">
            <h3>{context.text(&label)}</h3>
            <p class="dim">{context.text(&help)}</p>
            <pre aria-hidden="true">{format!("function {}(output, inputs) {{", escape::argument(&props.name))}</pre>
            <textarea class="text" {id} ref={field} {rows} {onkeydown} readonly={is_framed} spellcheck="false"
                autocomplete="off" autocapitalize="off" wrap="off" aria-label={context.text(&label)} />
            <pre aria-hidden="true">{"}"}</pre>
            <div class="row wrap">
                if !is_framed {
                    <button class="btn small" id={format!("run-js-{}", props.index)} {onclick}>
                        {label_of("js-run")}
                    </button>
                }
                <span class="dim" id={format!("js-state-{}", props.index)} role="status">{label_of(state)}</span>
            </div>
        </div>
    }
}
