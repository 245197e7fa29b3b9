//! The controls that choose an execution of an instruction of a body, and a chart of all executions.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};
use yew::prelude::*;

use crate::app::context::{Context, use_app_context};
use crate::i18n::Message;
use crate::worker::program::wire::{RunRequest, Timeline, TimelinePoint, ValueQuery};

/// Maximum executions that the slider reaches.
const MAX_EXECUTIONS: u64 = 100_000;

/// The size of the timeline, in units of its view box.
const WIDTH: f64 = 256.0;
const HEIGHT: f64 = 48.0;

/// Properties of [`Executions`].
#[derive(Clone, PartialEq, Properties)]
pub struct ExecutionsProps {
    /// The shown value.
    pub query: ValueQuery,
    /// The number of executions.
    pub count: u64,
    /// Whether they are the iterations of a loop.
    pub is_loop: bool,
    /// The timeline, if it was asked for.
    pub timeline: Option<Rc<Timeline>>,
    /// Shows an execution.
    pub show: Callback<u64>,
    /// Asks for the timeline.
    pub ask: Callback<RunRequest>,
}

/// The row of controls, and the timeline below it.
#[component]
pub fn Executions(props: &ExecutionsProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    let (count, execution) = (props.count, props.query.execution);
    let last = count.min(MAX_EXECUTIONS).saturating_sub(1);
    let onchange = {
        let show = props.show.clone();
        Callback::from(move |event: Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            if let Ok(number) = input.value().parse() {
                show.emit(number);
            }
        })
    };
    let to = |number: Option<u64>| {
        let show = props.show.clone();
        Callback::from(move |_: MouseEvent| number.into_iter().for_each(|number| show.emit(number)))
    };
    let (before, after) = (execution.checked_sub(1), execution.checked_add(1).filter(|next| *next < count));
    let key = if props.is_loop { "program-iteration" } else { "program-execution" };
    let label = Message::program(key).with("number", execution.saturating_add(1)).with("count", count);
    let (at, leaf, device) = (props.query.at, props.query.leaf, props.query.device);
    let timeline =
        props.timeline.as_ref().filter(|shown| (shown.at, shown.leaf, shown.device) == (at, leaf, device));
    let ask_timeline = props.ask.reform(move |_: MouseEvent| RunRequest::Timeline { at, leaf, device });
    html! {
        <div class="executions" id="executions">
            <p class="field row slider">
                <label for="program-execution">{context.text(&label)}</label>
                <button class="btn tiny" id="execution-back" aria-label={text("program-iteration-back")} title={text("program-iteration-back")}
                    disabled={before.is_none()} onclick={to(before)}>{"◂"}</button>
                <input type="range" id="program-execution" min="0" max={last.to_string()} value={execution.to_string()} {onchange} />
                <button class="btn tiny" id="execution-on" aria-label={text("program-iteration-on")} title={text("program-iteration-on")}
                    disabled={after.is_none()} onclick={to(after)}>{"▸"}</button>
            </p>
            if let Some(timeline) = timeline {
                {chart(&context, timeline, execution, &props.show)}
            } else {
                <button class="btn tiny" id="show-timeline" onclick={ask_timeline}>{text("program-timeline-show")}</button>
            }
        </div>
    }
}

/// The x coordinate of an execution on the timeline.
#[allow(clippy::cast_precision_loss, reason = "a position in a picture")]
fn timeline_x(execution: u64, count: u64) -> f64 {
    (execution as f64 + 0.5) / (count.max(1) as f64) * WIDTH
}

/// The heights of each execution's minimum and maximum, on a linear scale between those of all executions.
fn heights(points: &[TimelinePoint]) -> Vec<(&TimelinePoint, f64, f64)> {
    let low = points.iter().filter_map(|point| point.min).fold(f64::INFINITY, f64::min);
    let high = points.iter().filter_map(|point| point.max).fold(f64::NEG_INFINITY, f64::max);
    let range = (high - low).max(f64::MIN_POSITIVE);
    let height = |value: f64| HEIGHT - 3.0 - ((value - low) / range).clamp(0.0, 1.0) * (HEIGHT - 6.0);
    let with_heights = |point| -> Option<(&TimelinePoint, f64, f64)> {
        let point: &TimelinePoint = point;
        Some((point, height(point.min?), height(point.max?)))
    };
    points.iter().filter_map(with_heights).collect()
}

/// Extremes as a band, NaNs and infinities as marks, the shown execution as a line. A click shows an execution.
fn chart(context: &Context, timeline: &Timeline, execution: u64, show: &Callback<u64>) -> Html {
    let count = timeline.count;
    let extremes = heights(&timeline.points);
    let x = |point: &TimelinePoint| timeline_x(point.execution, count);
    let upper = extremes.iter().map(|(point, _, max)| format!("{:.1},{max:.1}", x(point)));
    let lower = extremes.iter().rev().map(|(point, min, _)| format!("{:.1},{:.1}", x(point), min + 1.0));
    let band: Vec<String> = upper.chain(lower).collect();
    let marks = timeline.points.iter().filter(|point| point.has_nan || point.has_infinity).map(|point| {
        let (letter, class) = if point.has_nan { ("×", "nan") } else { ("∞", "inf") };
        html! { <text key={point.execution} {class} x={format!("{:.1}", x(point))} y="12">{letter}</text> }
    });
    let first = |is_such: fn(&TimelinePoint) -> bool, key: &'static str| {
        let found = timeline.points.iter().find(|point| is_such(point))?;
        let message = Message::program(key).with("number", found.execution.saturating_add(1));
        let (show, to) = (show.clone(), found.execution);
        let onclick = Callback::from(move |_: MouseEvent| show.emit(to));
        Some(html! { <button class="btn tiny bad" {onclick}>{context.text(&message)}</button> })
    };
    let onclick = {
        let show = show.clone();
        Callback::from(move |event: MouseEvent| {
            let chart = event.target().and_then(|target| target.dyn_into::<Element>().ok());
            let Some(chart) = chart.and_then(|target| target.closest("svg").ok().flatten()) else { return };
            let area = chart.get_bounding_client_rect();
            let part = (f64::from(event.client_x()) - area.left()) / area.width().max(1.0);
            #[allow(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "within the executions"
            )]
            let chosen = (part.clamp(0.0, 1.0) * count as f64) as u64;
            show.emit(chosen.min(count.saturating_sub(1)));
        })
    };
    let here = format!("{:.1}", timeline_x(execution, count));
    let label = context.text(&Message::program("program-timeline"));
    html! {
        <figure class="timeline" id="timeline">
            <svg viewBox={format!("0 0 {WIDTH} {HEIGHT}")} preserveAspectRatio="none" role="img" aria-label={label.clone()} {onclick}>
                <polygon points={band.join(" ")} />
                <line class="here" x1={here.clone()} x2={here} y1="0" y2={HEIGHT.to_string()} />
                {for marks}
            </svg>
            <figcaption class="dim">{label}</figcaption>
            <p class="row wrap">
                {for first(|point| point.has_nan, "program-timeline-nan")}
                {for first(|point| point.has_infinity, "program-timeline-infinity")}
            </p>
        </figure>
    }
}
