//! The view: two forms, the status of the task, and its result.

use std::rc::Rc;

use yew::prelude::*;

use super::cutting::CutForm;
use super::props::CutViewProps;
use super::result::ResultView;
use super::shrinking::ShrinkForm;
use crate::app::context::{Context, use_app_context};
use crate::app::program::devices::single_device_note;
use crate::app::program::tasks::{TaskHandle, TaskStatus, failure_line, task_status};
use crate::i18n::Message;
use crate::worker::program::wire::{ResultProgram, ShrinkEnd, TaskReply, TaskRequest};

/// The view.
#[component]
pub fn CutView(props: &CutViewProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    if props.reading.has_errors() {
        return html! { <div class="cut-view"><p class="dim" id="cut-errors">{text("program-cut-errors")}</p></div> };
    }
    let result = is_current(props).then(|| outcome(&context, &props.task)).flatten();
    html! {
        <div class="cut-view">
            <div class="cut-forms">
                {single_device_note(&context, &props.reading, &props.session)}
                <CutForm view={props.clone()} />
                <ShrinkForm view={props.clone()} />
            </div>
            <section class="cut-result" aria-labelledby="h-cut-result">
                <h2 id="h-cut-result">{text("program-cut-result")}</h2>
                {task_status(&context, "cut", &props.task)}
                if let Some((sentence, problem, program)) = result {
                    <p role="status" id="cut-summary"><b>{sentence}</b></p>
                    {problem}
                    <ResultView {program} dispatch={props.dispatch.clone()} />
                } else if props.task.task.status == TaskStatus::Idle {
                    <p class="dim">{text("program-cut-no-result")}</p>
                }
            </section>
        </div>
    }
}

/// Whether the newest task ran on the text that is open.
fn is_current(props: &CutViewProps) -> bool {
    let text = props.reading.text.text();
    match props.task.task.request.as_deref() {
        Some(TaskRequest::Compare(_)) | None => false,
        Some(request) => request.job().text == **text,
    }
}

/// The result of a task: a sentence, a problem, and the program; after a cancelled reduction the smallest program so far.
fn outcome(context: &Context, handle: &TaskHandle) -> Option<(AttrValue, Html, Rc<ResultProgram>)> {
    let operations = |program: &ResultProgram| i64::try_from(program.operations).unwrap_or(i64::MAX);
    match &handle.task.status {
        TaskStatus::Done(reply) => match &**reply {
            TaskReply::Cut(program, problem) => {
                let message = Message::program("program-cut-done").with("count", operations(program));
                let problem = problem.as_ref().map(|failure| {
                    let about = context.text(&Message::program("program-cut-run-failed"));
                    html! { <><p>{about}</p>{failure_line(context, failure, "cut-run-failure")}</> }
                });
                Some((context.text(&message), problem.unwrap_or_default(), Rc::new((**program).clone())))
            }
            TaskReply::Shrunk(shrunk) => {
                let key = match shrunk.end {
                    ShrinkEnd::Minimal => "program-shrink-minimal",
                    ShrinkEnd::OutOfTries => "program-shrink-tries",
                };
                let message = Message::program(key)
                    .with("count", operations(&shrunk.program))
                    .with("original", i64::try_from(shrunk.original).unwrap_or(i64::MAX))
                    .with("tries", i64::try_from(shrunk.tries).unwrap_or(i64::MAX));
                Some((context.text(&message), Html::default(), Rc::new(shrunk.program.clone())))
            }
            TaskReply::Compared(_) | TaskReply::Exported { .. } | TaskReply::Failed(_) => None,
        },
        TaskStatus::Cancelled => {
            let program = handle.task.smallest.clone()?;
            let message = Message::program("program-shrink-cancelled").with("count", operations(&program));
            Some((context.text(&message), Html::default(), program))
        }
        _ => None,
    }
}
