//! A task of the page: its status, and callbacks that start and cancel it.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::components::files::save_bytes;
use crate::app::components::remedies::remedies;
use crate::app::components::rule_code::rule_code;
use crate::app::context::{Context, grouped};
use crate::cause::{Cause, Part};
use crate::i18n::Message;
use crate::worker::evaluation::wire::Failure;
use crate::worker::program::tasks::{TaskEvent, TaskWorker};
use crate::worker::program::wire::{ResultProgram, TaskProgress, TaskReply, TaskRequest};

/// The status of the newest task.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum TaskStatus {
    /// There was none.
    #[default]
    Idle,
    /// It runs.
    Running,
    /// It ended.
    Done(Rc<TaskReply>),
    /// It failed.
    Failed(Failure),
    /// The user cancelled it.
    Cancelled,
    /// The worker has not started yet, but still may.
    Delayed(Cause),
    /// The worker has ended.
    Ended(Cause),
}

/// The newest task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Task {
    /// Its status.
    pub status: TaskStatus,
    /// Its request.
    pub request: Option<Rc<TaskRequest>>,
    /// Its progress.
    pub progress: Option<TaskProgress>,
    /// The smallest program that it has reported; kept when it is cancelled.
    pub smallest: Option<Rc<ResultProgram>>,
}

/// A change of the task.
pub enum Change {
    /// A task starts.
    Start(Rc<TaskRequest>),
    /// The user cancelled it.
    Cancel,
    /// The worker reports something.
    Event(TaskEvent),
}

impl Reducible for Task {
    type Action = Change;

    fn reduce(self: Rc<Self>, change: Change) -> Rc<Self> {
        let mut next = (*self).clone();
        match change {
            Change::Start(request) => {
                next = Self { status: TaskStatus::Running, request: Some(request), ..Self::default() };
            }
            Change::Cancel => (next.status, next.progress) = (TaskStatus::Cancelled, None),
            Change::Event(event) => match event {
                TaskEvent::Progress(progress) => {
                    if let TaskProgress::Shrink { smallest: Some(smallest), .. } = &progress {
                        next.smallest = Some(Rc::new((**smallest).clone()));
                    }
                    (next.status, next.progress) = (TaskStatus::Running, Some(progress));
                }
                TaskEvent::Reply(TaskReply::Failed(failure)) => {
                    (next.status, next.progress) = (TaskStatus::Failed(failure), None);
                }
                TaskEvent::Reply(reply) => {
                    (next.status, next.progress) = (TaskStatus::Done(Rc::new(reply)), None);
                }
                TaskEvent::Delayed(cause) => next.status = TaskStatus::Delayed(cause),
                TaskEvent::Ended(cause) => (next.status, next.progress) = (TaskStatus::Ended(cause), None),
            },
        }
        Rc::new(next)
    }
}

/// The task, and callbacks that change it.
#[derive(Clone, PartialEq)]
pub struct TaskHandle {
    /// The task at this rendering.
    pub task: Rc<Task>,
    /// Starts a task; cancels the one before.
    pub start: Callback<TaskRequest>,
    /// Cancels the task.
    pub cancel: Callback<()>,
}

/// A task of this page.
#[hook]
pub fn use_task() -> TaskHandle {
    let task = use_reducer(Task::default);
    let worker = {
        let dispatcher = task.dispatcher();
        use_memo((), move |()| {
            TaskWorker::new(move |event| dispatcher.dispatch(Change::Event(event)), save_bytes)
        })
    };
    let start = {
        let (worker, dispatcher) = (worker.clone(), task.dispatcher());
        use_callback((), move |request: TaskRequest, ()| {
            worker.start(&request);
            dispatcher.dispatch(Change::Start(Rc::new(request)));
        })
    };
    let cancel = {
        let dispatcher = task.dispatcher();
        use_callback((), move |(), ()| {
            worker.cancel();
            dispatcher.dispatch(Change::Cancel);
        })
    };
    TaskHandle { task: Rc::new((*task).clone()), start, cancel }
}

/// The status of a task.
fn progress_message(progress: &TaskProgress) -> Message {
    let number = |count: usize| grouped(i64::try_from(count).unwrap_or(i64::MAX));
    match progress {
        TaskProgress::Run { is_second, steps, name } => {
            let key = if *is_second { "program-task-second" } else { "program-task-first" };
            let steps = grouped(i64::try_from(*steps).unwrap_or(i64::MAX));
            Message::program(key).with("steps", steps).with("name", name.as_str())
        }
        TaskProgress::Shrink { tries, instructions, original, .. } => Message::program("program-shrinking")
            .with("instructions", number(*instructions))
            .with("original", number(*original))
            .with("tries", number(*tries)),
    }
}

/// The status of a task, with its progress, its failure and a button that cancels it. `id` is the prefix of the ids.
pub fn task_status(context: &Context, id: &str, handle: &TaskHandle) -> Html {
    let text = |key: &'static str| context.text(&Message::program(key));
    let task = &*handle.task;
    let is_running = task.status == TaskStatus::Running;
    let cause = match &task.status {
        TaskStatus::Delayed(cause) | TaskStatus::Ended(cause) => Some(cause.clone()),
        _ => None,
    };
    let message = match &task.status {
        TaskStatus::Running => {
            Some(task.progress.as_ref().map_or(Message::program("program-running"), progress_message))
        }
        TaskStatus::Cancelled => Some(Message::program("program-cancelled")),
        TaskStatus::Delayed(cause) | TaskStatus::Ended(cause) => Some(cause.message(Part::Worker)),
        TaskStatus::Idle | TaskStatus::Done(_) | TaskStatus::Failed(_) => None,
    };
    let cancel = handle.cancel.reform(|_: MouseEvent| ());
    let again = {
        let (start, request) = (handle.start.clone(), task.request.clone());
        Callback::from(move |()| {
            if let Some(request) = &request {
                start.emit((**request).clone());
            }
        })
    };
    let progress = match &task.progress {
        Some(TaskProgress::Shrink { instructions, original, .. }) => {
            let done = original.saturating_sub(*instructions);
            html! { <progress aria-label={text("program-running")} value={done.to_string()} max={(*original).max(1).to_string()} /> }
        }
        _ => html! { <progress aria-label={text("program-running")} /> },
    };
    html! {
        <div class="task-status" data-task={status_name(&task.status)}>
            if is_running {
                <div class="row">
                    {progress}
                    <button class="btn small" id={format!("{id}-cancel")} onclick={cancel}>{text("program-cancel")}</button>
                </div>
            }
            <p role="status" class="dim" id={format!("{id}-status")}>{message.map(|message| context.text(&message))}</p>
            if let Some(cause) = cause { {remedies(context, &cause, id, &again)} }
            if let TaskStatus::Failed(failure) = &task.status { {failure_line(context, failure, format!("{id}-failure"))} }
        </div>
    }
}

/// A failure: where, what, and how to fix it.
pub fn failure_line(context: &Context, failure: &Failure, id: impl Into<AttrValue>) -> Html {
    let at = failure.at.as_ref().map(|(computation, instruction)| format!("{computation} / {instruction}: "));
    html! {
        <div class="problem" id={id.into()} role="alert">
            <p class="error-line">{at}{&failure.message}</p>
            <div class="hints">
                {for failure.hints.iter().map(|hint| html! { <span class="advice">{hint}</span> })}
                {rule_code(context, &failure.rule)}
            </div>
        </div>
    }
}

fn status_name(status: &TaskStatus) -> &'static str {
    match status {
        TaskStatus::Idle => "idle",
        TaskStatus::Running => "running",
        TaskStatus::Done(_) => "done",
        TaskStatus::Failed(_) => "failed",
        TaskStatus::Cancelled => "cancelled",
        TaskStatus::Delayed(_) => "delayed",
        TaskStatus::Ended(_) => "ended",
    }
}
