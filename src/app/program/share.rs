//! The share dialog of the Program screen: the link, the text as a file, and the program with its values as a page or for JAX.

use std::rc::Rc;

use yew::prelude::*;

use super::devices::single_device_note;
use super::reading::Reading;
use super::running::job_of;
use super::tasks::{TaskHandle, TaskStatus, task_status};
use crate::app::components::files::download;
use crate::app::components::link_field::LinkField;
use crate::app::components::modal::Modal;
use crate::app::components::page_export::template;
use crate::app::context::{Context, use_app_context};
use crate::app::link;
use crate::i18n::Message;
use crate::state::program::session::{Session, Source};
use crate::state::program::{file_name, link as permalink};
use crate::worker::program::wire::{ExportFormat, ExportTask, InstructionPath, TaskReply, TaskRequest};

/// Properties of [`ShareProgram`].
#[derive(Clone, PartialEq, Properties)]
pub struct ShareProgramProps {
    /// The program.
    pub reading: Rc<Reading>,
    /// The session.
    pub session: Rc<Session>,
    /// The selected instruction.
    pub selected: Option<InstructionPath>,
    /// The export.
    pub task: TaskHandle,
    /// Closes the dialog.
    pub close: Callback<()>,
}

/// The dialog.
#[component]
pub fn ShareProgram(props: &ShareProgramProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    let is_too_long = match &props.session.source {
        Source::Own(text, _) => permalink::is_stored(text),
        Source::Stored(_) => true,
        Source::Empty | Source::Sample(_) => false,
    };
    let name = file_name(props.reading.opened.as_ref().map_or("", |opened| opened.name.as_str()));
    let save = {
        let source = props.reading.text.clone();
        Callback::from(move |_: MouseEvent| download(&format!("{name}.hlo"), "text/plain", source.text()))
    };
    html! {
        <Modal id="share-dialog" title={context.text_of_key("share")} close={props.close.clone()}>
            if is_too_long {
                <p id="program-too-long">{text("program-link-too-long")}</p>
            } else {
                <LinkField fragment={permalink::write(&props.session)} />
            }
            <p class="row"><button class="btn" id="save-program" onclick={save}>{text("program-save")}</button></p>
            <Exports ..props.clone() />
        </Modal>
    }
}

/// The exports of the program with its values.
#[component]
fn Exports(props: &ShareProgramProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    let problem = use_state_eq(|| None::<Message>);
    let opened = props.reading.opened.as_ref();
    let can_run = opened.is_some_and(|opened| opened.error_count == 0 && opened.root.is_some());
    let is_running = props.task.task.status == TaskStatus::Running;
    let start = {
        let (start, problem) = (props.task.start.clone(), problem.clone());
        let (source, session, language) =
            (props.reading.text.clone(), props.session.clone(), context.language.tag());
        Callback::from(move |format: ExportFormat| {
            problem.set(None);
            start.emit(TaskRequest::Export(ExportTask { job: job_of(&source, &session, language), format }));
        })
    };
    let export_page = {
        let (start, problem) = (start.clone(), problem.setter());
        let link = link::full_url(&permalink::write(&props.session));
        let selected = props.selected.as_ref().map(|selected| selected.at);
        Callback::from(move |_: MouseEvent| {
            let (start, problem, link) = (start.clone(), problem.clone(), link.clone());
            wasm_bindgen_futures::spawn_local(async move {
                match template().await {
                    Ok(template) => start.emit(ExportFormat::Page { template, link, selected }),
                    Err(message) => problem.set(Some(message)),
                }
            });
        })
    };
    let export_jax = start.reform(|_: MouseEvent| ExportFormat::Jax);
    html! {
        <section class="program-exports" aria-labelledby="h-export">
            <h3 id="h-export">{text("program-export")}</h3>
            {single_device_note(&context, &props.reading, &props.session)}
            <p class="row wrap">
                <button class="btn" id="export-page" disabled={!can_run || is_running} onclick={export_page} aria-describedby="about-page">
                    {context.text_of_key("page-export")}
                </button>
                <span class="dim" id="about-page">{text("program-export-page-about")}</span>
            </p>
            <p class="row wrap">
                <button class="btn" id="export-jax" disabled={!can_run || is_running} onclick={export_jax} aria-describedby="about-jax">
                    {text("program-export-jax")}
                </button>
                <span class="dim" id="about-jax">{text("program-export-jax-about")}</span>
            </p>
            {task_status(&context, "export", &props.task)}
            {outcome(&context, props, problem.as_ref())}
        </section>
    }
}

/// The name of the file that was saved, or why there is none.
fn outcome(context: &Context, props: &ShareProgramProps, problem: Option<&Message>) -> Html {
    let saved = match &props.task.task.status {
        TaskStatus::Done(reply) => match &**reply {
            TaskReply::Exported { name, is_complete } => {
                let key = if *is_complete { "program-export-saved" } else { "program-export-partial" };
                Some(Message::program(key).with("name", name.as_str()))
            }
            _ => None,
        },
        _ => None,
    };
    let class = if problem.is_some() { "bad" } else { "good" };
    let message = problem.cloned().or(saved);
    html! { <p role="status" {class} id="export-outcome">{message.map(|message| context.text(&message))}</p> }
}
