//! Where the values of two programs differ: tolerance, run, the first instruction that differs, and all others.

use std::rc::Rc;

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::components::window::{use_window, window_bar};
use crate::app::context::{Context, grouped, use_app_context};
use crate::app::program::devices::single_device_note;
use crate::app::program::parameters::Arguments;
use crate::app::program::reading::Reading;
use crate::app::program::running::job_of;
use crate::app::program::tasks::{TaskHandle, TaskStatus, task_status};
use crate::i18n::Message;
use crate::state::program::session::{Action, Session};
use crate::state::program::source_text::SourceText;
use crate::worker::program::wire::{
    CompareTask, ComparedWith, DifferentElement, DifferentValue, Distance, FileArgument, InstructionPath,
    Query, TaskReply, TaskRequest, ValueDifferences,
};

/// The default tolerance in ulps: the effect of reordering a short sum.
const DEFAULT_ULPS: u64 = 4;

/// Properties of [`CompareValues`].
#[derive(Clone, PartialEq, Properties)]
pub struct CompareValuesProps {
    /// The program that is open, whose parameters are shown; `None` for a dump of a series, which has random values.
    pub reading: Option<Rc<Reading>>,
    /// The session.
    pub session: Rc<Session>,
    /// The text.
    pub text: SourceText,
    /// The other values.
    pub other: OtherValues,
    /// The task.
    pub task: TaskHandle,
    /// Shows an instruction of the first program, if that is open.
    pub show: Option<Callback<InstructionPath>>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
    /// Asks the query worker.
    pub ask: Callback<Query>,
}

/// The values to compare with.
#[derive(Clone, PartialEq)]
pub enum OtherValues {
    /// Those of another program.
    Program(SourceText),
    /// The arrays of an archive.
    Archive(FileArgument),
}

/// The section of the view with the comparison of values.
#[component]
pub fn CompareValues(props: &CompareValuesProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    let ulps = use_state_eq(|| DEFAULT_ULPS);
    let absolute = use_state_eq(|| 0.0_f64);
    let set_ulps = {
        let ulps = ulps.setter();
        Callback::from(move |event: Event| {
            if let Ok(value) = event.target_unchecked_into::<HtmlInputElement>().value().parse() {
                ulps.set(value);
            }
        })
    };
    let set_absolute = {
        let absolute = absolute.setter();
        Callback::from(move |event: Event| {
            let value = event.target_unchecked_into::<HtmlInputElement>().value().parse::<f64>();
            if let Ok(value) = value
                && value.is_finite()
                && value >= 0.0
            {
                absolute.set(value);
            }
        })
    };
    let onclick = {
        let (start, session) = (props.task.start.clone(), props.session.clone());
        let (source, other) = (props.text.clone(), props.other.clone());
        let (ulps, absolute, language) = (*ulps, *absolute, context.language.tag());
        Callback::from(move |_: MouseEvent| {
            let mut job = job_of(&source, &session, language);
            let other = match &other {
                OtherValues::Program(text) => ComparedWith::Program(text.text().to_string()),
                OtherValues::Archive(file) => {
                    job.files.extend(file.number);
                    ComparedWith::Archive(file.clone())
                }
            };
            start.emit(TaskRequest::Compare(CompareTask { job, other, ulps, absolute }));
        })
    };
    let found = match &props.task.task.status {
        TaskStatus::Done(reply) if is_current(props) => match &**reply {
            TaskReply::Compared(found) => Some(Rc::new((**found).clone())),
            _ => None,
        },
        _ => None,
    };
    html! {
        <section class="compare-values" aria-labelledby="h-compare-values">
            <h3 id="h-compare-values">{text("program-compare-values")}</h3>
            <div class="row wrap tolerance">
                <label for="compare-ulps">{text("program-compare-ulps")}</label>
                <input type="number" class="step" id="compare-ulps" min="0" step="1" value={ulps.to_string()} onchange={set_ulps} />
                <label for="compare-absolute">{text("program-compare-absolute")}</label>
                <input type="number" class="step" id="compare-absolute" min="0" step="any" value={absolute.to_string()} onchange={set_absolute} />
                <button class="btn small primary" id="compare-run" {onclick}>{text("program-compare-run")}</button>
            </div>
            if let Some(reading) = &props.reading {
                {single_device_note(&context, reading, &props.session)}
                {arguments(&context, props, reading)}
            }
            {task_status(&context, "compare", &props.task)}
            if let Some(found) = found { <Differences {found} show={props.show.clone()} /> }
        </section>
    }
}

/// The values of the parameters.
fn arguments(context: &Context, props: &CompareValuesProps, reading: &Reading) -> Html {
    let failure = match &props.task.task.status {
        TaskStatus::Failed(failure) => Some(failure),
        _ => None,
    };
    let CompareValuesProps { session, dispatch, ask, .. } = props;
    Arguments { reading, session, failure, dispatch, ask }.view(context)
}

/// Whether the newest task compared these texts with these arguments.
fn is_current(props: &CompareValuesProps) -> bool {
    match props.task.task.request.as_deref() {
        Some(TaskRequest::Compare(task)) => {
            task.job.arguments == props.session.arguments
                && task.job.seed == props.session.seed
                && task.job.text == **props.text.text()
                && match (&task.other, &props.other) {
                    (ComparedWith::Program(text), OtherValues::Program(other)) => *text == **other.text(),
                    (ComparedWith::Archive(file), OtherValues::Archive(other)) => file == other,
                    _ => false,
                }
        }
        _ => false,
    }
}

/// Properties of [`Differences`].
#[derive(Clone, PartialEq, Properties)]
struct DifferencesProps {
    found: Rc<ValueDifferences>,
    show: Option<Callback<InstructionPath>>,
}

/// The outcome: the first instruction that differs, the largest difference, and the list.
#[component]
fn Differences(props: &DifferencesProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    let found = &*props.found;
    let window = use_window(found.list.len(), None);
    let number = |count: usize| grouped(i64::try_from(count).unwrap_or(i64::MAX));
    let summary = if found.different == 0 {
        Message::program("program-compare-equal").with("compared", number(found.compared))
    } else {
        Message::program("program-compare-different")
            .with("different", number(found.different))
            .with("compared", number(found.compared))
    };
    let missing = (found.missing > 0)
        .then(|| Message::program("program-compare-missing").with("count", number(found.missing)));
    let first = found.list.first();
    let largest = found.largest.filter(|index| *index > 0).and_then(|index| found.list.get(index));
    let rows = window.range.clone().filter_map(|index| Some((index, found.list.get(index)?)));
    let omitted = found.different.saturating_sub(found.list.len());
    html! {
        <div class="value-differences" id="value-differences" data-different={found.different.to_string()}>
            <p id="compare-values-summary"><b>{context.text(&summary)}</b>{" "}
                if let Some(missing) = missing { <span class="dim">{context.text(&missing)}</span> }
            </p>
            if !found.unknown.is_empty() {
                <p class="dim" id="compare-unknown">{context.text(&Message::program("program-compare-unknown").with("names", found.unknown.join(", ")))}</p>
            }
            if let Some(first) = first {
                <h4>{text("program-compare-first-difference")}</h4>
                {difference(&context, first, first.first.as_ref(), "first-difference", props.show.as_ref())}
            }
            if let Some(largest) = largest {
                <h4>{text("program-compare-largest")}</h4>
                {difference(&context, largest, largest.largest.as_ref(), "largest-difference", props.show.as_ref())}
            }
            if found.list.len() > 1 {
                <h4>{text("program-compare-all")}</h4>
                <ol class="different-list" start={(window.range.start + 1).to_string()}>
                    {for rows.map(|(index, value)| html! { <li key={index}>{different_row(&context, value, props.show.as_ref())}</li> })}
                </ol>
                {window_bar(&context, "different", text("program-compare-all"), &window)}
                if omitted > 0 { <p class="dim">{context.text(&Message::new("problems-more").with("count", omitted))}</p> }
            }
        </div>
    }
}

/// The name of an instruction, or both if it differs between the programs.
fn joint_name(value: &DifferentValue) -> String {
    let [a, b] = &value.names;
    if a == b { a.clone() } else { format!("{a} → {b}") }
}

fn instruction_name(
    value: &DifferentValue,
    show: Option<&Callback<InstructionPath>>,
    class: &'static str,
    id: Option<String>,
) -> Html {
    let label = joint_name(value);
    match show {
        Some(show) => {
            let instruction = InstructionPath { at: value.at[0], calls: Vec::new() };
            let onclick = show.reform(move |_: MouseEvent| instruction.clone());
            html! { <button {class} {id} {onclick}><code>{label}</code></button> }
        }
        None => html! { <code {id}>{label}</code> },
    }
}

/// An instruction with one of its differing elements.
fn difference(
    context: &Context,
    value: &DifferentValue,
    element: Option<&DifferentElement>,
    id: &'static str,
    show: Option<&Callback<InstructionPath>>,
) -> Html {
    html! {
        <div class="different" {id} data-name={value.names[0].clone()}>
            <p class="row wrap">{instruction_name(value, show, "btn small", Some(format!("{id}-show")))}<span class="opcode">{&value.opcode}</span>
                <span class="dim">{extent(context, value)}</span></p>
            {for element.map(|element| two_values(context, element))}
        </div>
    }
}

/// The values of an element in both programs.
fn two_values(context: &Context, element: &DifferentElement) -> Html {
    let text = |key: &'static str| context.text(&Message::program(key));
    let distance = element.distance.map(|distance| match distance {
        Distance::Integer(number) => {
            let number = i64::try_from(number).map_or_else(|_| number.to_string(), grouped);
            ("program-compare-integer-label", AttrValue::from(number))
        }
        Distance::Ulps(ulps) => {
            let ulps = grouped(i64::try_from(ulps).unwrap_or(i64::MAX));
            let ulps = Message::program("program-compare-distance").with("ulps", ulps);
            ("program-compare-distance-label", context.text(&ulps))
        }
    });
    html! {
        <dl class="two-values">
            <div><dt>{text("program-compare-cell")}</dt><dd>{&element.position}</dd></div>
            <div><dt>{text("program-compare-first")}</dt><dd>{&element.values[0]}</dd></div>
            <div><dt>{text("program-compare-second")}</dt><dd>{&element.values[1]}</dd></div>
            if let Some((label, distance)) = distance { <div><dt>{text(label)}</dt><dd>{distance}</dd></div> }
        </dl>
    }
}

fn different_row(
    context: &Context,
    value: &DifferentValue,
    show: Option<&Callback<InstructionPath>>,
) -> Html {
    let origin = value.is_origin.then(|| {
        html! { <span class="mark">{context.text(&Message::program("program-compare-origin"))}</span> }
    });
    let largest = value.largest.as_ref().filter(|largest| value.first.as_ref() != Some(*largest));
    html! {
        <>
            <span class="different-row">{instruction_name(value, show, "as-link", None)}<span class="opcode">{&value.opcode}</span>{origin.unwrap_or_default()}
                <span class="dim end">{extent(context, value)}</span></span>
            if value.first.is_some() {
                <details class="different-values">
                    <summary>{context.text(&Message::program("program-compare-show-values"))}</summary>
                    {for value.first.iter().chain(largest).map(|element| two_values(context, element))}
                </details>
            }
        </>
    }
}

/// The number of elements of a value that differ, as text.
fn extent(context: &Context, value: &DifferentValue) -> AttrValue {
    let number = |count: u64| grouped(i64::try_from(count).unwrap_or(i64::MAX));
    if value.beyond == 0 {
        return context.text(&Message::program("program-compare-shapes"));
    }
    let message = Message::program("program-compare-beyond").with("beyond", number(value.beyond));
    context.text(&message.with("elements", number(value.elements)))
}
