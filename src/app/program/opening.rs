//! The screen without a program: its purpose, and the controls that open a program.

use web_sys::DragEvent;
use yew::prelude::*;

use super::file_input::{FileProblem, dropped_file, read_text, take_chosen_file};
use super::paste_field::PasteField;
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

/// The controls that open a program.
#[component]
pub fn Opening(props: &OpeningProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
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
    let ondrop = {
        let open = open.clone();
        Callback::from(move |event: DragEvent| {
            if let Some(file) = dropped_file(&event) {
                event.prevent_default();
                read_text(&file, open.clone());
            }
        })
    };
    let onchange = {
        let open = open.clone();
        Callback::from(move |event: Event| {
            if let Some(file) = take_chosen_file(&event) {
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
    let problem = problem.as_ref().map(|problem| problem.text(&context));
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
                <PasteField id="program-paste" button_id="program-open" rows={7} label={text("program-paste")} button={text("program-open-typed")}
                    on_text={open.reform(Ok)}>
                    <label class="btn file" for="program-file">{text("program-file")}</label>
                    <input type="file" class="sr-only" id="program-file" accept=".hlo,.txt,.mlir,text/plain" {onchange} />
                    <span class="dim">{text("program-drop")}</span>
                </PasteField>
                if let Some(problem) = problem { <p class="error-line" role="alert" id="file-problem">{problem}</p> }
            </section>
            <section aria-labelledby="h-samples">
                <h2 id="h-samples">{text("program-samples")}</h2>
                <ul class="samples">{for samples}</ul>
            </section>
        </div>
    }
}
