//! The Speed screen: holds the setup, starts and stops measurements, and composes the panels.

use std::rc::Rc;

use yew::prelude::*;

use super::form::Form;
use super::measuring::{MeasurementStatus, Measurements, machine, use_measurements};
use super::results::ResultsView;
use crate::app;
use crate::app::components::frame::Frame;
use crate::app::components::header::{Dialog, Dialogs, Header, use_dialogs};
use crate::app::components::help::Help;
use crate::app::components::link_field::LinkField;
use crate::app::components::modal::Modal;
use crate::app::components::remedies::remedies;
use crate::app::components::skip_link::{focus, skip_link};
use crate::app::context::{Context, use_app_context};
use crate::app::keys::PageKeys;
use crate::app::link;
use crate::app::linked::{Linked, problems, use_linked};
use crate::cause::{Cause, Part};
use crate::i18n::{Domain, Message};
use crate::interaction::keys::Command;
use crate::state::screens;
use crate::state::session::LinkChange;
use crate::state::speed::example::example;
use crate::state::speed::results::Results;
use crate::state::speed::{Setup, View, link as permalink, report};

/// Mounts the app with the Speed screen.
pub fn mount() {
    app::mount(&[Domain::CORE, Domain::SPEED], html! { <SpeedPage /> });
}

impl Linked for Setup {
    type LinkState = Self;
    type Action = Self;

    const SCREEN: screens::Screen = screens::SPEED;

    fn is_own_link(fragment: &str) -> bool {
        permalink::is_own_link(fragment)
    }

    fn read(fragment: &str) -> (Self, Vec<Message>) {
        let loaded = permalink::read(fragment);
        (loaded.setup, loaded.problems)
    }

    fn write(setup: &Self) -> String {
        permalink::write(setup)
    }

    fn new(setup: Self, _: &str) -> Self {
        setup
    }

    fn link_state(&self) -> &Self {
        self
    }

    fn apply(&mut self, setup: Self) -> LinkChange {
        *self = setup;
        LinkChange::Push
    }

    fn load(&mut self, setup: Self, _: &str) {
        *self = setup;
    }
}

/// The Speed screen.
#[component]
fn SpeedPage() -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::speed(key));
    let (page, set) = use_linked::<Setup>();
    let measurements = use_measurements();
    let Dialogs { dialog, open, close } = use_dialogs();
    let is_invalid = use_state_eq(|| false);
    let invalid = {
        let is_invalid = is_invalid.clone();
        use_callback((), move |is_invalid_now: bool, ()| is_invalid.set(is_invalid_now))
    };
    let can_measure = !*is_invalid && page.state.problem().is_none();
    use_keys(&context, &measurements, &page.state, can_measure, &dialog);

    let running = measurements.state.status == MeasurementStatus::Running;
    let measure = {
        let (start, setup) = (measurements.start.clone(), page.state.clone());
        Callback::from(move |_: MouseEvent| start.emit(setup.clone()))
    };
    let stop = measurements.stop.reform(|_: MouseEvent| focus("measure"));
    let actions = html! {
        <div class="row wrap" id="actions">
            <button class="btn primary" id="measure" onclick={measure} disabled={!can_measure}>{text("speed-measure")}</button>
            if running { <button class="btn" id="stop" onclick={stop}>{text("speed-stop")}</button> }
        </div>
    };
    let views = views(&context, &page.state, &set);
    let about = match page.state.view {
        View::Implementations => "speed-view-implementations-about",
        View::Sizes => "speed-view-sizes-about",
        View::Layouts => "speed-view-layouts-about",
    };
    let measure_again = {
        let (start, setup) = (measurements.start.clone(), page.state.clone());
        Callback::from(move |()| start.emit(setup.clone()))
    };
    let results = measurements.state.results_of(page.state.view).cloned();
    let is_of_other_setup = results.as_ref().is_some_and(|results| results.setup != page.state);
    let example = use_memo(page.state.view, |view| {
        // An embed shows only the visitor's results.
        (!link::is_embed()).then(|| example(*view).map(Rc::new)).flatten()
    });
    let results_html = html! {
        <>
            {status(&context, &measurements.state.status, results.as_deref(), &measure_again)}
            if let Some(results) = results {
                if is_of_other_setup {
                    <p class="dim" id="of-before">
                        {context.text(&Message::speed("speed-of-before").with("setup", report::setup_line(&results.setup, context.language)))}
                    </p>
                }
                <ResultsView {results} />
            } else if let Some(example) = &*example {
                if example.setup.op != page.state.op { <p id="nothing-yet">{text("speed-nothing-yet")}</p> }
                <p id="example">
                    {context.text(&Message::speed("speed-example").with("setup", report::setup_line(&example.setup, context.language)))}
                </p>
                <p>{sentences(&context, &report::summary(example, context.language))}</p>
                <ResultsView results={example.clone()} is_example=true />
            } else {
                <p class="dim" id="nothing-yet">{text("speed-nothing-yet")}</p>
            }
        </>
    };
    if link::is_embed() {
        return html! {
            <Frame title={report::setup_line(&page.state, context.language)} fragment={permalink::write(&page.state)}>
                {problems(&context, &page)}
                if link::has_opaque_origin() { <p class="dim">{text("speed-isolated")}</p> } else { {actions} {results_html} }
            </Frame>
        };
    }
    let facts = machine();
    let facts =
        Message::speed("speed-machine").with("browser", facts.browser).with("cores", i64::from(facts.cores));
    html! {
        <>
            {skip_link(&context)}
            <Header screen={screens::SPEED} {open} />
            {problems(&context, &page)}
            <main class="speed">
                <aside>
                    <section>
                        <h2 class="title">{text("speed-title")}</h2>
                        <p class="dim">{text("speed-lead")}</p>
                    </section>
                    <Form setup={page.state.clone()} {set} {invalid} />
                    if link::has_opaque_origin() { <p class="dim">{text("speed-isolated")}</p> } else { {actions} }
                    <p class="dim" id="machine">{context.text(&facts)}</p>
                </aside>
                <div class="stage" id="stage" tabindex="-1">
                    <div class="views">{views}</div>
                    <p class="about-view">{text(about)}</p>
                    <div class="measured-results">{results_html}</div>
                </div>
            </main>
            {match *dialog {
                Some(Dialog::Share) => html! {
                    <Modal id="share-dialog" title={context.text_of_key("share")} {close}>
                        <LinkField fragment={permalink::write(&page.state)} />
                    </Modal>
                },
                Some(Dialog::Help) => html! { <SpeedHelp {close} /> },
                _ => Html::default(),
            }}
        </>
    }
}

/// The tabs of the views.
fn views(context: &Context, setup: &Setup, set: &Callback<Setup>) -> Html {
    let text = |key: &'static str| context.text(&Message::speed(key));
    let tabs = View::ALL.into_iter().map(|(view, name)| {
        let key = match view {
            View::Implementations => "speed-view-implementations",
            View::Sizes => "speed-view-sizes",
            View::Layouts => "speed-view-layouts",
        };
        let changed = Setup { view, ..setup.clone() };
        let onclick = set.reform(move |_: MouseEvent| changed.clone());
        let id = format!("view-{}", if name.is_empty() { "ways" } else { name });
        let pressed = (setup.view == view).to_string();
        html! { <button class="tab" {id} aria-pressed={pressed} {onclick}>{text(key)}</button> }
    });
    html! { <div class="tabs" role="group" aria-label={text("speed-views")}>{for tabs}</div> }
}

/// Sentences in one paragraph.
fn sentences(context: &Context, messages: &[Message]) -> String {
    messages.iter().map(|message| context.text(message)).collect::<Vec<_>>().join(" ")
}

/// The status of the measurement: progress, or the result.
fn status(
    context: &Context,
    status: &MeasurementStatus,
    results: Option<&Results>,
    measure_again: &Callback<()>,
) -> Html {
    let (id, messages) = match status {
        MeasurementStatus::Idle => ("idle", vec![]),
        MeasurementStatus::Running => ("running", vec![Message::speed("speed-running")]),
        MeasurementStatus::Done => {
            ("done", results.map_or_else(Vec::new, |results| report::summary(results, context.language)))
        }
        MeasurementStatus::Stopped => ("stopped", vec![Message::speed("speed-stopped")]),
        MeasurementStatus::Ended(Cause::ReleaseMismatch) => {
            ("other-version", vec![Cause::ReleaseMismatch.message(Part::Worker)])
        }
        MeasurementStatus::StartDelayed(cause) | MeasurementStatus::Ended(cause) => {
            ("died", vec![cause.message(Part::Worker)])
        }
    };
    let cause = match status {
        MeasurementStatus::StartDelayed(cause) | MeasurementStatus::Ended(cause) => Some(cause.clone()),
        _ => None,
    };
    let progress = results.filter(|_| *status == MeasurementStatus::Running).map(|results| {
        let name = results.cases.last().map(|case| report::case_name(results, case, context.language));
        (results.progress(), name)
    });
    html! {
        <div class="standing" data-standing={id} data-cause={cause.as_ref().map(Cause::name)}>
            <p role="status" id="standing">{sentences(context, &messages)}</p>
            if let Some(cause) = cause { {remedies(context, &cause, "measure", measure_again)} }
            if let Some((share, name)) = progress {
                <progress max="1" value={share.to_string()} aria-label={context.text(&Message::speed("speed-running"))} />
                if let Some(name) = name { <span class="dim" id="running-row">{name}</span> }
            }
        </div>
    }
}

/// Properties of [`SpeedHelp`].
#[derive(Clone, PartialEq, Properties)]
struct SpeedHelpProps {
    close: Callback<()>,
}

/// The help of the Speed screen.
#[component]
fn SpeedHelp(props: &SpeedHelpProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::speed(key));
    let keys = [
        ("Space", "speed-key-measure"),
        ("Esc", "speed-key-stop"),
        ("s  e", "speed-key-share"),
        ("?", "speed-key-help"),
    ];
    let keys: Vec<_> = keys.into_iter().map(|(keys, key)| (keys, text(key))).collect();
    let notes = ["speed-help-bars", "speed-help-strict", "speed-help-layout", "speed-help-quiet"];
    let notes: Vec<_> = notes.into_iter().map(text).collect();
    html! { <Help {keys} {notes} close={props.close.clone()} /> }
}

/// Performs the page's shortcuts.
#[hook]
fn use_keys(
    context: &Context,
    measurements: &Measurements,
    setup: &Setup,
    can_measure: bool,
    dialog: &UseStateHandle<Option<Dialog>>,
) {
    let letters = context.preferences.letter_keys;
    let running = measurements.state.status == MeasurementStatus::Running;
    let (start, stop, dialog) = (measurements.start.clone(), measurements.stop.clone(), dialog.clone());
    use_effect_with(
        (letters, running, can_measure, setup.clone()),
        move |(letters, running, can_measure, setup)| {
            let (letters, running, can_measure, setup) = (*letters, *running, *can_measure, setup.clone());
            let keys = PageKeys::listen(letters, move |command| {
                match command {
                    Command::TogglePlayback if can_measure => start.emit(setup.clone()),
                    Command::ClearHighlights if running => stop.emit(()),
                    Command::Share => dialog.set(Some(Dialog::Share)),
                    Command::Help => dialog.set(Some(Dialog::Help)),
                    _ => return false,
                }
                true
            });
            move || drop(keys)
        },
    );
}
