//! The sources and the uses of a cell: the values on the way as small pictures with their cells marked.

use std::rc::Rc;

use yew::prelude::*;

use super::devices::device_name;
use super::running::ShownTrace;
use super::trail::{Jump, Marks, marked_cells};
use crate::app::canvas::{SceneStack, SharedArray, SharedScene};
use crate::app::context::{Context, use_app_context};
use crate::i18n::Message;
use crate::state::program::session::Action;
use crate::view::axis_assignment::AxisAssignment;
use crate::view::derivation::index_text;
use crate::view::grid::Grid;
use crate::view::sources::CellHighlights;
use crate::worker::program::wire::{CellTarget, InstructionPath, Region, Trace, TracePicture};

/// Maximum width and height of a picture, and maximum side of its cells, pixels.
const SPACE: (f64, f64) = (160.0, 120.0);
const MAX_CELL_PX: f64 = 34.0;

/// Properties of [`TraceView`].
#[derive(Clone, PartialEq, Properties)]
pub struct TraceViewProps {
    /// The cells that the cell was computed from.
    pub back: Option<Rc<ShownTrace>>,
    /// The cells that are computed from it.
    pub on: Option<Rc<ShownTrace>>,
    /// The name of the instruction whose cell is traced.
    pub of: String,
    /// Performs actions that lead to other instructions.
    pub follow: Callback<Jump>,
}

/// The view.
#[component]
pub fn TraceView(props: &TraceViewProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    let on = match &props.on {
        None => html! { <p class="dim">{text("program-trace-on-hint")}</p> },
        Some(trace) if trace.trace.pictures.is_empty() => {
            html! { <p class="dim">{text("program-trace-none")}</p> }
        }
        Some(trace) => cards(&context, props, trace),
    };
    html! {
        <div class="traces">
            if let Some(back) = props.back.as_ref().filter(|back| !back.trace.pictures.is_empty()) {
                <section class="trace" id="trace-back" aria-labelledby="h-trace-back">
                    <h4 id="h-trace-back">{text("program-trace-back")}</h4>
                    {cards(&context, props, back)}
                </section>
            }
            <section class="trace" id="trace-on" aria-labelledby="h-trace-on">
                <h4 id="h-trace-on">{text("program-trace-on")}</h4>
                {on}
            </section>
        </div>
    }
}

/// The action that shows an array of a trace at its first cell, with all its cells marked.
fn jump(
    (instruction, execution, device): (&InstructionPath, u64, u32),
    (path, region): (&[usize], &Region),
    label: String,
) -> Jump {
    let cells = region.indices();
    let cell = cells.first().map(|index| CellTarget::Index { path: path.to_vec(), index: index.clone() });
    let select = match cell {
        Some(cell) => Action::SelectCell(instruction.clone(), execution, cell),
        None => Action::SelectExecution(instruction.clone(), execution),
    };
    let marks = Marks { path: path.to_vec(), cells, label };
    Jump { action: Action::OnDevice(device, Box::new(select)), marks: Some(Rc::new(marks)) }
}

/// Where cells are, in words.
fn region_text(context: &Context, region: &Region) -> AttrValue {
    let key = match &region.cells {
        Some(_) => "program-region-part",
        None if region.is_whole_array => "program-region-array",
        None => "program-region-slice",
    };
    context.text(&Message::program(key).with("count", region.count()).with("slice", region.slice()))
}

/// What the cells of a trace are, where they are marked.
fn marks_label(context: &Context, props: &TraceViewProps, trace: &Trace, region: &Region) -> String {
    let key = if trace.is_forward { "program-marks-on" } else { "program-marks-back" };
    let cell = format!("{}{}", props.of, index_text(&trace.query.cell));
    let message = Message::program(key).with("region", region_text(context, region).to_string());
    context.text(&message.with("cell", cell)).to_string()
}

/// The parameters of the program that the cell depends on.
fn parameters(context: &Context, props: &TraceViewProps, trace: &Trace) -> Html {
    if trace.parameters.is_empty() {
        return Html::default();
    }
    let rows = trace.parameters.iter().enumerate().map(|(number, parameter)| {
        let onclick = {
            let (parameter, follow) = (parameter.clone(), props.follow.clone());
            let label = marks_label(context, props, trace, &parameter.region);
            Callback::from(move |_: MouseEvent| {
                let at = (&parameter.instruction, 0, parameter.device);
                follow.emit(jump(at, (&parameter.path, &parameter.region), label.clone()));
            })
        };
        let device = (parameter.device != trace.query.device).then(|| device_name(context, parameter.device));
        html! {
            <li key={number} data-name={parameter.name.clone()}>
                <button class="source" {onclick}><b>{&parameter.name}</b></button>
                {" "}{region_text(context, &parameter.region)}
                if let Some(device) = device { <span class="dim">{" · "}{device}</span> }
            </li>
        }
    });
    // Of a chain that is not traced to its end, there may be more.
    let key = if trace.is_complete { "program-trace-parameters" } else { "program-trace-known-parameters" };
    let count = Message::program(key).with("count", trace.parameter_count);
    let rest = trace.parameter_count > trace.parameters.len();
    html! {
        <>
            <p class="dim">{context.text(&count)}</p>
            <ul class="trace-parameters" id="trace-parameters">{for rows}if rest { <li>{"…"}</li> }</ul>
        </>
    }
}

fn cards(context: &Context, props: &TraceViewProps, shown: &ShownTrace) -> Html {
    let trace = &shown.trace;
    let pictures = trace.pictures.iter().zip(&shown.arrays).enumerate();
    let cards = pictures.map(|(number, (picture, array))| {
        let (execution, device) = (picture.execution, picture.device);
        let region = region_text(context, &picture.region);
        let onclick = {
            let (picture, follow) = (picture.clone(), props.follow.clone());
            let label = marks_label(context, props, trace, &picture.region);
            Callback::from(move |_: MouseEvent| {
                let at = (&picture.instruction, picture.execution, picture.device);
                follow.emit(jump(at, (&picture.path, &picture.region), label.clone()));
            })
        };
        let repeated =
            Message::program("program-trace-execution").with("number", execution.saturating_add(1));
        let repeated = picture.is_repeated.then(|| context.text(&repeated));
        let other_device = (device != trace.query.device).then(|| device_name(context, device));
        let within = picture.within.clone().map(AttrValue::from);
        let described = if picture.described.is_empty() { region } else { picture.described.clone().into() };
        let label = format!("{}: {described}", picture.name);
        let distance = Message::program("program-trace-step").with("distance", u64::from(picture.distance));
        html! {
            <li key={number} class="trace-card" data-name={picture.name.clone()}>
                <button class="trace-name" {onclick} title={context.text(&distance)}>
                    <b>{&picture.name}</b>{" "}<span class="opcode">{&picture.opcode}</span>
                    {for [within, repeated, other_device].into_iter().flatten().map(|part| html! { <span class="dim">{" · "}{part}</span> })}
                </button>
                if let Some(array) = array { {picture_of(picture, array, &label)} }
                <code class="dim">{described}</code>
            </li>
        }
    });
    let hidden = Message::program("program-trace-hidden").with("count", trace.hidden_values);
    html! {
        <>
            {parameters(context, props, trace)}
            <ul class="trace-cards">{for cards}</ul>
            if trace.hidden_values > 0 { <p class="dim">{context.text(&hidden)}</p> }
            if !trace.is_complete { <p class="dim">{context.text(&Message::program("program-trace-partial"))}</p> }
        </>
    }
}

/// The window of a value with the marked cells.
fn picture_of(picture: &TracePicture, array: &SharedArray, label: &str) -> Html {
    let sizes = array.0.memory_map().padded_sizes();
    let mut grid = Grid::fitted_facets(sizes, &[], AxisAssignment::new(sizes, None), SPACE, MAX_CELL_PX);
    if grid.overflows() {
        // Which cells are marked counts more than what each holds.
        grid = grid.zoomed_out();
    }
    let cells = marked_cells(&picture.region.indices(), &picture.window.start, sizes);
    if let Some(first) = cells.first() {
        grid.reveal(&first.index);
    }
    let highlights = CellHighlights { cells, has_value_colours: true, ..CellHighlights::default() };
    let base = SharedScene(Rc::new(grid.scene(&array.0)));
    let overlay = SharedScene(Rc::new(grid.cell_overlay(&highlights)));
    html! { <div class="trace-picture" role="img" aria-label={label.to_owned()}><SceneStack {base} {overlay} /></div> }
}
