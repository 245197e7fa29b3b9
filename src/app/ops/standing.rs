//! What is said of a run that has no values: how far it is with a way to end it, or why it ended.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::KeyboardEvent;
use yew::prelude::*;

use super::running::Standing;
use crate::app::components::remedies::Remedies;
use crate::app::context::{grouped, use_say};
use crate::cause::{Cause, Part};
use crate::i18n::Message;
use crate::worker::evaluation::wire::{Failure, Progress};

/// Properties of [`Notice`].
#[derive(Clone, PartialEq, Properties)]
pub struct NoticeProps {
    /// How the run stands.
    pub standing: Standing,
    /// Whether values of before are on the screen.
    pub is_old: bool,
    /// Whether the program has errors, so that the result is of the one before.
    pub is_behind: bool,
    /// Ends the run.
    pub stop: Callback<()>,
    /// Runs it again.
    pub again: Callback<()>,
}

/// How the run stands, where its values are not there.
#[component]
pub fn Notice(props: &NoticeProps) -> Html {
    let context = use_say();
    let tell = |key: &'static str| context.tell(&Message::engine(key));
    use_escape(matches!(props.standing, Standing::Running(_)), props.stop.clone());
    let again = props.again.reform(|_: MouseEvent| ());
    let again =
        html! { <button class="btn small" id="run-again" onclick={again}>{tell("run-again")}</button> };
    let notice = match &props.standing {
        Standing::Done | Standing::Running(None) if props.is_behind => {
            return html! { <p class="stale-note" id="as-of-before" role="status">{tell("text-stale")}</p> };
        }
        // Of values that cannot be read the notice of their fields says so.
        Standing::Done | Standing::Running(None) | Standing::Unreadable => return Html::default(),
        // The function's own panel says so.
        Standing::Held => Html::default(),
        Standing::Running(Some(progress)) => {
            html! { <Under progress={progress.clone()} stop={props.stop.clone()} /> }
        }
        Standing::Failed(failure) => html! { <Why failure={failure.clone()} /> },
        Standing::Stopped => html! {
            <div class="notice mild" id="run-stopped" role="status"><p>{tell("run-stopped")}</p>{again}</div>
        },
        Standing::Ended(cause) | Standing::Late(cause) => {
            let id = if *cause == Cause::OtherRelease { "run-other-version" } else { "run-died" };
            html! {
                <div class="notice" {id} role="alert" data-cause={cause.name()}>
                    <p>{context.tell(&cause.message(Part::Worker))}</p>
                    <Remedies cause={cause.clone()} id="run" retry={props.again.clone()} />
                </div>
            }
        }
    };
    html! {
        <>
            {notice}
            if props.is_old { <p class="dim" id="as-of-before">{tell("run-as-of-before")}</p> }
        </>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct UnderProps {
    progress: Progress,
    stop: Callback<()>,
}

/// How far a run is.
#[component]
fn Under(props: &UnderProps) -> Html {
    let context = use_say();
    let tell = |message: Message| context.tell(&message);
    let Progress { steps, instruction, cells, .. } = &props.progress;
    let percent = cells.filter(|(_, all)| *all > 0).map(|(done, all)| done.saturating_mul(100) / all);
    let stop = props.stop.reform(|_: MouseEvent| ());
    let running = tell(Message::engine("run-under-way"));
    html! {
        <div class="notice mild" id="running">
            <p role="status">{running.clone()}{" "}<span class="dim">{tell(Message::engine("run-escape"))}</span></p>
            <div class="row">
                // Without a value it only says that something goes on.
                if let Some(percent) = percent {
                    <progress id="run-progress" max="100" value={percent.to_string()} aria-label={running} />
                } else {
                    <progress id="run-progress" aria-label={running} />
                }
                <button class="btn small" id="run-cancel" onclick={stop}>{tell(Message::engine("run-cancel"))}</button>
            </div>
            if *steps > 0 {
                <p class="dim" id="run-at">
                    {tell(Message::engine("run-at")
                        .with("instruction", instruction.as_str())
                        .with("steps", grouped(i64::try_from(*steps).unwrap_or(i64::MAX))))}
                </p>
            }
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct WhyProps {
    failure: Failure,
}

/// Why a run ended.
#[component]
fn Why(props: &WhyProps) -> Html {
    let context = use_say();
    let Failure { message, rule, hints, place } = &props.failure;
    let place = place.as_ref().filter(|(_, instruction)| !instruction.is_empty());
    html! {
        <div class="notice" id="run-failed" role="alert">
            <p>{message}{" "}<span class="rule">{rule}</span></p>
            if let Some((_, instruction)) = place {
                <p class="dim">{context.tell(&Message::engine("run-place").with("instruction", instruction.as_str()))}</p>
            }
            if !hints.is_empty() {
                <ul>{for hints.iter().map(|hint| html! { <li>{hint}</li> })}</ul>
            }
        </div>
    }
}

/// Escape ends a run from anywhere but a dialog, which it closes.
#[hook]
fn use_escape(on: bool, stop: Callback<()>) {
    use_effect_with(on, move |on| {
        let document = gloo::utils::document();
        let listener = on.then(|| {
            Closure::<dyn FnMut(KeyboardEvent)>::new(move |event: KeyboardEvent| {
                let dialog = gloo::utils::document().query_selector("dialog[open]").ok().flatten();
                if event.key() == "Escape" && dialog.is_none() {
                    stop.emit(());
                }
            })
        });
        if let Some(listener) = &listener {
            let function = listener.as_ref().unchecked_ref();
            // It fails for no event of this name.
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
