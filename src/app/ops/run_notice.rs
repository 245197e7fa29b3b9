//! The status of a run without values: its progress, or why it ended.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::KeyboardEvent;
use yew::prelude::*;

use super::running::RunStatus;
use crate::app::components::remedies::remedies;
use crate::app::components::rule_code::rule_code;
use crate::app::context::{grouped, use_app_context};
use crate::app::keys;
use crate::cause::{Cause, Part};
use crate::i18n::Message;
use crate::worker::evaluation::wire::{Failure, Progress};

/// Properties of [`Notice`].
#[derive(Clone, PartialEq, Properties)]
pub struct NoticeProps {
    /// The status of the run.
    pub status: RunStatus,
    /// Whether earlier values are displayed.
    pub shows_previous_run: bool,
    /// Cancels the run.
    pub cancel: Callback<()>,
    /// Runs it again.
    pub rerun: Callback<()>,
}

/// The status of a run without values.
#[component]
pub fn Notice(props: &NoticeProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::ops(key));
    use_escape(matches!(props.status, RunStatus::Running(_)), props.cancel.clone());
    let rerun = props.rerun.reform(|_: MouseEvent| ());
    let rerun =
        html! { <button class="btn small" id="run-again" onclick={rerun}>{text("run-again")}</button> };
    let notice = match &props.status {
        // Displayed by the notice about malformed values, or below the program text.
        RunStatus::Done | RunStatus::Running(None) | RunStatus::InvalidArguments => return Html::default(),
        // Displayed in the panel of the function.
        RunStatus::AwaitingApproval => Html::default(),
        RunStatus::Running(Some(progress)) => {
            html! { <RunProgress progress={progress.clone()} cancel={props.cancel.clone()} /> }
        }
        RunStatus::Failed(failure) => html! { <RunFailure failure={failure.clone()} /> },
        RunStatus::Cancelled => html! {
            <div class="notice mild" id="run-stopped" role="status"><p>{text("run-stopped")}</p>{rerun}</div>
        },
        RunStatus::Ended(cause) | RunStatus::StartDelayed(cause) => {
            let id = if *cause == Cause::ReleaseMismatch { "run-other-version" } else { "run-died" };
            html! {
                <div class="notice" {id} role="alert" data-cause={cause.name()}>
                    <p>{context.text(&cause.message(Part::Worker))}</p>
                    {remedies(&context, cause, "run", &props.rerun)}
                </div>
            }
        }
    };
    html! {
        <>
            {notice}
            if props.shows_previous_run { <p class="dim" id="as-of-before">{text("run-as-of-before")}</p> }
        </>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct RunProgressProps {
    progress: Progress,
    cancel: Callback<()>,
}

/// The progress of a run.
#[component]
fn RunProgress(props: &RunProgressProps) -> Html {
    let context = use_app_context();
    let text = |message: Message| context.text(&message);
    let Progress { steps, instruction, cells, .. } = &props.progress;
    let percent = cells.filter(|(_, all)| *all > 0).map(|(done, all)| done.saturating_mul(100) / all);
    let cancel = props.cancel.reform(|_: MouseEvent| ());
    let running = text(Message::ops("run-under-way"));
    html! {
        <div class="notice mild" id="running">
            <p role="status">{running.clone()}{" "}<span class="dim">{text(Message::ops("run-escape"))}</span></p>
            <div class="row">
                // Without a value the bar is indeterminate.
                if let Some(percent) = percent {
                    <progress id="run-progress" max="100" value={percent.to_string()} aria-label={running} />
                } else {
                    <progress id="run-progress" aria-label={running} />
                }
                <button class="btn small" id="run-cancel" onclick={cancel}>{text(Message::ops("run-cancel"))}</button>
            </div>
            if *steps > 0 {
                <p class="dim" id="run-at">
                    {text(Message::ops("run-at")
                        .with("instruction", instruction.as_str())
                        .with("steps", grouped(i64::try_from(*steps).unwrap_or(i64::MAX))))}
                </p>
            }
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct RunFailureProps {
    failure: Failure,
}

/// Why a run ended.
#[component]
fn RunFailure(props: &RunFailureProps) -> Html {
    let context = use_app_context();
    let Failure { message, rule, hints, at, .. } = &props.failure;
    let at = at.as_ref().filter(|(_, instruction)| !instruction.is_empty());
    html! {
        <div class="notice" id="run-failed" role="alert">
            <p>{message}</p>
            if let Some((_, instruction)) = at {
                <p class="dim">{context.text(&Message::ops("run-failed-at").with("instruction", instruction.as_str()))}</p>
            }
            if !hints.is_empty() {
                <ul>{for hints.iter().map(|hint| html! { <li>{hint}</li> })}</ul>
            }
            {rule_code(&context, rule)}
        </div>
    }
}

/// Escape cancels a run, except in a dialog, which it closes.
#[hook]
fn use_escape(is_active: bool, cancel: Callback<()>) {
    use_effect_with(is_active, move |is_active| {
        let document = gloo::utils::document();
        let listener = is_active.then(|| {
            Closure::<dyn FnMut(KeyboardEvent)>::new(move |event: KeyboardEvent| {
                let dialog = gloo::utils::document().query_selector("dialog[open]").ok().flatten();
                if keys::name(&event) == "Escape" && dialog.is_none() {
                    cancel.emit(());
                }
            })
        });
        if let Some(listener) = &listener {
            let function = listener.as_ref().unchecked_ref();
            // This cannot fail for a valid event name.
            let _ = document.add_event_listener_with_callback("keydown", function);
        }
        move || {
            if let Some(listener) = listener {
                let function = listener.as_ref().unchecked_ref();
                let _ = document.remove_event_listener_with_callback("keydown", function);
            }
        }
    });
}
