//! The live bytes over the program's time, as a chart with a cursor.
//!
//! The picture is decorative for screen readers: the cursor is a slider whose text says the instruction and its bytes.

use std::fmt::Write as _;

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::context::{Context, use_app_context};
use crate::app::program::neighbourhood::bytes_text;
use crate::i18n::Message;
use crate::state::program::session::Action;
use crate::worker::program::wire::costs::Memory;
use crate::worker::program::wire::{InstructionKey, InstructionPath};

/// The size of the chart in units of its picture, which is stretched.
const WIDTH: f64 = 1_000.0;
const HEIGHT: f64 = 160.0;

/// Properties of [`Chart`].
#[derive(Clone, PartialEq, Properties)]
pub struct ChartProps {
    /// The memory.
    pub memory: std::rc::Rc<Memory>,
    /// The entry computation.
    pub computation: u32,
    /// The selected instruction of the entry computation.
    pub selected: Option<u32>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

#[allow(clippy::cast_precision_loss, reason = "positions in a picture")]
fn height(bytes: u64, most: u64) -> f64 {
    HEIGHT * bytes as f64 / most.max(1) as f64
}

#[allow(clippy::cast_precision_loss, reason = "positions in a picture")]
fn step_left(step: usize, count: usize) -> f64 {
    WIDTH * step as f64 / count.max(1) as f64
}

/// The outline of the steps as an SVG path, closed along the axis.
fn outline(memory: &Memory) -> String {
    let count = memory.timeline.len();
    let mut path = format!("M0 {HEIGHT:.0}");
    for (step, at) in memory.timeline.iter().enumerate() {
        let top = HEIGHT - height(at.bytes, memory.peak_bytes);
        // Writing to a string cannot fail.
        let _ = write!(path, "V{top:.1}H{:.1}", step_left(step + 1, count));
    }
    let _ = write!(path, "V{HEIGHT:.0}Z");
    path
}

/// The step that contains an instruction.
fn step_of(memory: &Memory, instruction: u32) -> usize {
    let per_step = memory.instructions.div_ceil(memory.timeline.len().max(1)).max(1);
    (instruction as usize / per_step).min(memory.timeline.len().saturating_sub(1))
}

/// The chart.
#[component]
pub fn Chart(props: &ChartProps) -> Html {
    let context = use_app_context();
    let memory = &props.memory;
    let count = memory.timeline.len();
    let peak = memory.path.first().map_or(0, |peak| peak.at.instruction);
    let cursor = props.selected.map_or_else(|| step_of(memory, peak), |at| step_of(memory, at));
    let Some(step) = memory.timeline.get(cursor) else { return Html::default() };
    let oninput = {
        let (memory, dispatch, computation) = (memory.clone(), props.dispatch.clone(), props.computation);
        Callback::from(move |event: InputEvent| {
            let value = event.target_unchecked_into::<HtmlInputElement>().value();
            let step = value.parse().ok().and_then(|step: usize| memory.timeline.get(step));
            if let Some(step) = step {
                let at = InstructionKey { computation, instruction: step.instruction };
                dispatch.emit(Action::Select(InstructionPath { at, calls: Vec::new() }));
            }
        })
    };
    let text = Message::program("costs-at").with("name", step.name.as_str());
    let text = context.text(&text.with("bytes", bytes_text(step.bytes)));
    let permanent = memory.parameter_bytes.saturating_add(memory.constant_bytes);
    let (x, y) = (step_left(cursor, count), HEIGHT - height(step.bytes, memory.peak_bytes));
    let width = step_left(1, count).max(2.0);
    let base = HEIGHT - height(permanent.min(memory.peak_bytes), memory.peak_bytes);
    html! {
        <figure class="memory-chart" id="memory-chart">
            <div class="plot">
                <svg viewBox={format!("0 -4 {WIDTH:.0} {:.0}", HEIGHT + 4.0)} preserveAspectRatio="none" aria-hidden="true">
                    <path class="live" d={outline(memory)} />
                    <rect class="permanent" x="0" y={format!("{base:.1}")} width={format!("{WIDTH:.0}")} height={format!("{:.1}", HEIGHT - base)} />
                    <rect class="cursor" x={format!("{x:.1}")} y={format!("{y:.1}")} width={format!("{width:.1}")} height={format!("{:.1}", HEIGHT - y)} />
                </svg>
                <input type="range" id="memory-cursor" min="0" max={count.saturating_sub(1).to_string()} value={cursor.to_string()} {oninput}
                    aria-label={context.text(&Message::program("costs-memory"))} aria-valuetext={text.clone()} />
            </div>
            <figcaption>
                <output for="memory-cursor">{text}</output>
                {keys(&context, memory, permanent)}
            </figcaption>
        </figure>
    }
}

/// The legend of the chart's areas.
fn keys(context: &Context, memory: &Memory, permanent: u64) -> Html {
    let with =
        |key: &'static str, bytes: u64| context.text(&Message::program(key).with("bytes", bytes_text(bytes)));
    html! {
        <ul>
            <li class="permanent">{with("costs-permanent", permanent)}</li>
            <li class="live">{with("costs-temporary", memory.peak_bytes.saturating_sub(permanent))}</li>
        </ul>
    }
}
