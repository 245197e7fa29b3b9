//! The values of the program: parameters, the run, and the value of the selected instruction.

use std::rc::Rc;

use yew::prelude::*;

use super::array_files::{assign, dropped_files};
use super::devices::{device_selector, devices_field};
use super::parameters::Arguments;
use super::reading::Reading;
use super::running::{RunStatus, Runs, Start};
use super::stepping::{instruction_path, step_action};
use super::tasks::failure_line;
use super::trail::{Jump, Visited, use_trail};
use super::value_view::ValueView;
use crate::app::components::remedies::remedies;
use crate::app::context::{Context, grouped, use_app_context};
use crate::cause::{Cause, Part};
use crate::i18n::Message;
use crate::state::program::session::{Action, Session};
use crate::worker::program::wire::{
    CellTarget, Details, Event, InstructionKey, InstructionPath, NumericEvents, Query, Ran, ValueQuery,
};

/// Properties of [`ValuePane`].
#[derive(Clone, PartialEq, Properties)]
pub struct ValuePaneProps {
    /// The program.
    pub reading: Rc<Reading>,
    /// The session.
    pub session: Rc<Session>,
    /// The selected instruction.
    pub selected: Option<InstructionPath>,
    /// The run.
    pub runs: Runs,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
    /// Asks the query worker.
    pub ask: Callback<Query>,
}

/// The pane.
#[component]
pub fn ValuePane(props: &ValuePaneProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    let ValuePaneProps { reading, session, runs, dispatch, .. } = props;
    let run = &*runs.run;
    let can_run =
        reading.opened.as_ref().is_some_and(|opened| opened.error_count == 0 && opened.root.is_some());
    let is_current = runs.is_current(reading, session);
    let device = reading.device(session);
    use_automatic_run(props, can_run, is_current);
    let at = props.selected.as_ref().map(|selected| selected.at);
    let has_values = runs.has_values() && is_current;
    let trail = use_trail(&reading.text, at, dispatch);
    {
        let show = runs.show.clone();
        let asked = (at, session.execution, device, session.cell.clone(), has_values);
        use_effect_with(asked, move |(at, execution, device, cell, has_values)| {
            if let Some(at) = at.filter(|_| *has_values) {
                let (execution, device, cell) = (*execution, *device, cell.clone());
                show.emit(ValueQuery { at, execution, device, cell, ..ValueQuery::default() });
            }
        });
    }
    let is_running = run.status == RunStatus::Running || run.awaits_value;
    let has_run = is_current && matches!(run.status, RunStatus::Done(_));
    let start = {
        let (start, input) = (runs.start.clone(), Start::of(reading, session));
        Callback::from(move |()| start.emit(input.clone()))
    };
    let onclick = start.reform(|_: MouseEvent| ());
    let cancel = runs.cancel.reform(|_: MouseEvent| ());
    let failure_of_run = match &run.status {
        RunStatus::Failed(failure) if is_current => Some(failure),
        _ => None,
    };
    let arguments = Arguments { reading, session, failure: failure_of_run, dispatch, ask: &props.ask };
    let ondrop = {
        let (ask, language) = (props.ask.clone(), context.language);
        Callback::from(move |event: DragEvent| {
            let files = dropped_files(&event);
            if can_run && !files.is_empty() {
                event.prevent_default();
                event.stop_propagation();
                assign(files, None, language, &ask);
            }
        })
    };
    let details = reading.details_of(at).cloned();
    // The cell under the pointer is not returned to: it changes with each move.
    let from = details.as_ref().map(|details| Visited {
        name: details.row.name.clone(),
        instruction: instruction_path(details),
        execution: session.execution,
        device,
        cell: session.chosen.clone(),
    });
    let follow = trail.follow(from);
    let value = run.value.clone().filter(|value| Some(value.page.query.at) == at && has_values);
    html! {
        <section class="pane value-pane" aria-labelledby="h-values" aria-busy={is_running.to_string()} {ondrop}>
            <div class="pane-head">
                <h2 id="h-values">{text("program-values")}</h2>
                <span class="end row">
                    if is_running { <button class="btn small" id="program-cancel" onclick={cancel}>{text("program-cancel")}</button> }
                    <button class={classes!("btn", "small", (!has_run).then_some("primary"))} id="program-run" {onclick} disabled={!can_run}>{text(if has_run { "program-run-again" } else { "program-run" })}</button>
                </span>
            </div>
            <div class="pane-body">
                if can_run {
                    {arguments.view(&context)}
                    {devices_field(reading, session, dispatch)}
                }
                {status(&context, props, is_current, (&start, &follow))}
                if let Some(problem) = &run.problem { {failure_line(&context, problem, "program-value-problem")} }
                // The title stays while the instruction and its value are on their way, so that its buttons keep the focus.
                if let Some(details) = details.as_ref().or(reading.newest_details()).filter(|_| at.is_some() && has_values) {
                    {title(&context, details, run.value.as_ref().map_or(0, |value| value.page.executions), session, dispatch)}
                    {device_selector(&context, reading, session, dispatch)}
                }
                if let Some((value, details)) = value.zip(details) {
                    <ValueView {value} is_loop={is_iteration(reading, &details)} show_execution={show_execution(&details, dispatch)} {details} run={run.clone()} show={runs.show.clone()} save={runs.save.clone()} trace={runs.trace.clone()} back={trail.back(&context)} marks={trail.marks()} requested={session.cell.clone()} {follow} dispatch={dispatch.clone()} />
                }
            </div>
        </section>
    }
}

/// Runs a small program that computes little as soon as it is read, and again when its arguments change.
#[hook]
fn use_automatic_run(props: &ValuePaneProps, can_run: bool, is_current: bool) {
    let opened = props.reading.opened.as_ref();
    let starts_unasked =
        opened.is_some_and(|opened| opened.starts_unasked(props.reading.devices(&props.session)));
    let is_ready = props.reading.status == super::reading::ReadStatus::Ready;
    let (start, input) = (props.runs.start.clone(), Start::of(&props.reading, &props.session));
    let arguments = (input.session.arguments.clone(), input.session.seed, input.devices);
    let runs = can_run && starts_unasked && is_ready;
    use_effect_with((runs, input.text.clone(), arguments), move |(runs, ..)| {
        if *runs && !is_current {
            start.emit(input);
        }
    });
}

/// Shows another execution of an instruction.
fn show_execution(details: &Details, dispatch: &Callback<Action>) -> Callback<u64> {
    let instruction = instruction_path(details);
    dispatch.reform(move |execution: u64| Action::SelectExecution(instruction.clone(), execution))
}

/// Whether the executions of an instruction are the iterations of a loop of the entry computation.
fn is_iteration(reading: &Reading, details: &Details) -> bool {
    let [crumb] = details.path.as_slice() else { return false };
    let is_root = reading.opened.as_ref().and_then(|opened| opened.root).map(|root| root.computation);
    is_root == Some(crumb.call.at.computation) && crumb.opcode == "while" && crumb.call.callee_index == 1
}

/// The instruction, with buttons that step to the previous and to the next one.
fn title(
    context: &Context,
    details: &Details,
    executions: u64,
    session: &Session,
    dispatch: &Callback<Action>,
) -> Html {
    let button = |is_back: bool, id: &'static str, key: &'static str, arrow: &'static str| {
        let to = step_action(details, session.execution, executions, is_back);
        let (is_end, dispatch) = (to.is_none(), dispatch.clone());
        let onclick = Callback::from(move |_: MouseEvent| to.iter().for_each(|to| dispatch.emit(to.clone())));
        let label = context.text(&Message::program(key));
        html! { <button class="btn tiny" {id} aria-label={label.clone()} title={label} disabled={is_end} {onclick}>{arrow}</button> }
    };
    html! {
        <div class="row value-title">
            <h3><code>{&details.row.name}</code>{" "}<span class="dim">{&details.row.opcode}</span></h3>
            <span class="row end">
                {button(true, "step-back", "program-step-back", "◂")}
                {button(false, "step-on", "program-step-on", "▸")}
            </span>
        </div>
    }
}

/// The status of the run.
fn status(
    context: &Context,
    props: &ValuePaneProps,
    is_current: bool,
    (retry, follow): (&Callback<()>, &Callback<Jump>),
) -> Html {
    let run = &*props.runs.run;
    let is_of_other = props.runs.is_of_other_program(&props.reading.text, &props.session);
    let not_run = Message::program(if props.reading.has_errors() {
        "program-run-after-errors"
    } else {
        "program-not-run"
    });
    let (id, message) = match &run.status {
        RunStatus::Done(_) | RunStatus::Cancelled | RunStatus::Failed(_) if is_of_other => {
            ("idle", Some(not_run))
        }
        RunStatus::Idle => ("idle", Some(not_run)),
        RunStatus::Running => ("running", Some(Message::program("program-running"))),
        RunStatus::Cancelled => ("cancelled", Some(Message::program("program-cancelled"))),
        RunStatus::Done(_) if !is_current && props.reading.has_errors() => ("stale", Some(not_run)),
        RunStatus::Done(_) if !is_current => ("stale", Some(Message::program("program-stale"))),
        RunStatus::Done(ran) => ("done", Some(ran_message(ran))),
        RunStatus::Failed(_) => ("failed", None),
        RunStatus::Delayed(cause) => ("delayed", Some(cause.message(Part::Worker))),
        RunStatus::Ended(cause) => ("ended", Some(cause.message(Part::Worker))),
    };
    // Before its first run.
    let long_run = props.reading.opened.as_ref().filter(|_| id == "idle");
    let long_run = long_run.and_then(|opened| opened.long_run(props.reading.devices(&props.session)));
    let message = match long_run {
        Some(operations) => Some(Message::program("program-long-run").with("billions", billions(operations))),
        None => message,
    };
    let cause = match &run.status {
        RunStatus::Delayed(cause) | RunStatus::Ended(cause) => Some(cause.clone()),
        _ => None,
    };
    let progress = run.progress.as_ref().map(|progress| {
        let steps = grouped(i64::try_from(progress.steps).unwrap_or(i64::MAX));
        Message::program("program-progress").with("steps", steps).with("name", progress.name.as_str())
    });
    // What the buttons below say, for screen readers.
    let found = match &run.status {
        RunStatus::Done(ran) if is_current => {
            let events = ran.events.get(props.reading.device(&props.session) as usize);
            events.map(|events| spoken_events(context, events)).unwrap_or_default()
        }
        _ => String::new(),
    };
    let is_busy = run.status == RunStatus::Running || run.awaits_value;
    let planned =
        if let RunStatus::Done(ran) = &run.status { Some(ran).filter(|ran| ran.is_planned) } else { None };
    let workers = planned.map(|ran| ran.workers.to_string());
    html! {
        <div class="run-status" data-run={id} data-cause={cause.as_ref().map(Cause::name)} data-planned={planned.map(|_| "")} data-workers={workers}>
            <p role="status" id="program-status">{message.map(|message| context.text(&message))}
                if !found.is_empty() { <span class="sr-only">{" "}{found}</span> }
            </p>
            if long_run.is_some() {
                <button class="btn primary" id="program-run-long" onclick={retry.reform(|_: MouseEvent| ())}>{context.text(&Message::program("program-run"))}</button>
            }
            if is_busy { <progress aria-label={context.text(&Message::program("program-running"))} /> }
            if let Some(progress) = progress.filter(|_| is_busy) { <p class="dim">{context.text(&progress)}</p> }
            if let Some(cause) = cause { {remedies(context, &cause, "program", retry)} }
            if let RunStatus::Failed(why) = &run.status {
                if !is_of_other { {failure_line(context, why, "program-failure")} }
            }
            if let RunStatus::Done(ran) = &run.status {
                if ran.is_slower_on_devices {
                    <p class="dim" id="program-slower">{context.text(&Message::program("program-devices-slower"))}</p>
                }
                if is_current {
                    {for ran.events.get(props.reading.device(&props.session) as usize).map(|found| events(context, found, follow))}
                }
            }
        </div>
    }
}

/// Billions, with one decimal below 10.
fn billions(count: u64) -> String {
    let tenths = count.saturating_add(50_000_000) / 100_000_000;
    if tenths < 100 {
        format!("{}.{}", tenths / 10, tenths % 10)
    } else {
        grouped(i64::try_from(tenths / 10).unwrap_or(i64::MAX))
    }
}

fn ran_message(ran: &Ran) -> Message {
    Message::program("program-ran").with("milliseconds", ran.milliseconds)
}

/// Where NaNs and infinities appeared, as text.
fn spoken_events(context: &Context, found: &NumericEvents) -> String {
    let events =
        [("program-first-nan", &found.first_nan), ("program-first-infinity", &found.first_computed_infinity)];
    let text = |(key, event): (&'static str, &Option<Event>)| {
        let event = event.as_ref()?;
        Some(context.text(&Message::program(key).with("name", event.name.as_str())).to_string())
    };
    events.into_iter().filter_map(text).collect::<Vec<_>>().join("; ")
}

/// Where NaNs, infinities and the largest growth appeared, as buttons that lead there.
fn events(context: &Context, found: &NumericEvents, follow: &Callback<Jump>) -> Html {
    let go_to =
        |at: InstructionKey, execution: u64, label: Message, id: &'static str, class: &'static str, cell| {
            let label = if execution == 0 {
                context.text(&label)
            } else {
                let number = execution.saturating_add(1);
                context.text(
                    &Message::program("program-at-execution").with("label", label).with("number", number),
                )
            };
            let instruction = InstructionPath { at, calls: Vec::new() };
            let onclick = follow.reform(move |_: MouseEvent| {
                Jump::from(match &cell {
                    Some(cell) => Action::SelectCell(instruction.clone(), execution, CellTarget::clone(cell)),
                    None => Action::SelectExecution(instruction.clone(), execution),
                })
            });
            html! { <button class={classes!("btn", "small", class)} {id} {onclick}>{label}</button> }
        };
    let event = |event: &Event, id: &'static str, key: &'static str, cell: CellTarget| {
        let class = if event.is_inherited { "given" } else { "bad" };
        let label = Message::program(key).with("name", event.name.as_str());
        go_to(event.at, event.execution, label, id, class, Some(cell))
    };
    let nan = found
        .first_nan
        .as_ref()
        .map(|found| event(found, "first-nan", "program-first-nan", CellTarget::FirstNan));
    let infinity = found.first_computed_infinity.as_ref();
    let infinity = infinity
        .map(|found| event(found, "first-infinity", "program-first-infinity", CellTarget::FirstInfinity));
    let growth = found.largest_growth.as_ref().map(|growth| {
        let label = Message::program("program-largest-jump")
            .with("name", growth.name.as_str())
            .with("ratio", growth.ratio.as_str());
        go_to(growth.at, growth.execution, label, "largest-jump", "jump", None)
    });
    html! {
        <p class="row wrap events">{for nan}{for infinity}{for growth}</p>
    }
}
