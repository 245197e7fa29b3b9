//! The sources and the uses of a cell: the values on the way as small pictures with their cells marked.

use std::rc::Rc;

use yew::prelude::*;

use super::devices::device_name;
use super::running::ShownTrace;
use crate::app::canvas::{SceneStack, SharedArray, SharedScene};
use crate::app::context::{Context, use_app_context};
use crate::i18n::Message;
use crate::ops::Role;
use crate::state::program::session::Action;
use crate::view::axis_assignment::AxisAssignment;
use crate::view::grid::Grid;
use crate::view::sources::{CellHighlights, HighlightedCell};
use crate::worker::program::wire::{CellTarget, TracePicture};

/// Maximum width and height of a picture, and maximum side of its cells, pixels.
const SPACE: (f64, f64) = (190.0, 110.0);
const MAX_CELL_PX: f64 = 34.0;

/// Properties of [`TraceView`].
#[derive(Clone, PartialEq, Properties)]
pub struct TraceViewProps {
    /// The cells that the cell was computed from.
    pub back: Option<Rc<ShownTrace>>,
    /// The cells that are computed from it.
    pub on: Option<Rc<ShownTrace>>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
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

fn cards(context: &Context, props: &TraceViewProps, shown: &ShownTrace) -> Html {
    let pictures = shown.trace.pictures.iter().zip(&shown.arrays).enumerate();
    let cards = pictures.map(|(number, (picture, array))| {
        let (instruction, execution, device) = (picture.instruction.clone(), picture.execution, picture.device);
        let (path, start) = (picture.path.clone(), &picture.window.start);
        let cell = picture.cells.first().map(|cell| CellTarget::Index {
            path,
            index: cell.iter().zip(start).map(|(at, start)| at + start).collect(),
        });
        let onclick = props.dispatch.reform(move |_: MouseEvent| {
            let select = match &cell {
                Some(cell) => Action::SelectCell(instruction.clone(), execution, cell.clone()),
                None => Action::SelectExecution(instruction.clone(), execution),
            };
            Action::OnDevice(device, Box::new(select))
        });
        let repeated =
            Message::program("program-trace-execution").with("number", execution.saturating_add(1));
        let repeated = picture.is_repeated.then(|| context.text(&repeated));
        let other_device = (device != shown.trace.query.device).then(|| device_name(context, device));
        let count = Message::program("program-trace-cells")
            .with("name", picture.name.as_str())
            .with("count", picture.cell_count);
        let distance = Message::program("program-trace-step").with("distance", u64::from(picture.distance));
        html! {
            <li key={number} class="trace-card" data-name={picture.name.clone()}>
                <button class="trace-name" {onclick} title={context.text(&distance)}>
                    <b>{&picture.name}</b>{" "}<span class="opcode">{&picture.opcode}</span>
                    {for [repeated, other_device].into_iter().flatten().map(|part| html! { <span class="dim">{" · "}{part}</span> })}
                </button>
                if let Some(array) = array { {picture_of(picture, array, &format!("{}; {}", context.text(&count), picture.described))} }
                <code class="dim">{&picture.described}</code>
            </li>
        }
    });
    html! {
        <>
            <ul class="trace-cards">{for cards}</ul>
            if !shown.trace.is_complete { <p class="dim">{context.text(&Message::program("program-trace-partial"))}</p> }
        </>
    }
}

/// The window of a value with the marked cells.
fn picture_of(picture: &TracePicture, array: &SharedArray, label: &str) -> Html {
    let sizes = array.0.memory_map().padded_sizes();
    let mut grid = Grid::fitted_facets(sizes, &[], AxisAssignment::new(sizes, None), SPACE, MAX_CELL_PX);
    if let Some(first) = picture.cells.first() {
        grid.reveal(first);
    }
    let cells = picture.cells.iter().map(|index| HighlightedCell {
        index: index.iter().copied().collect(),
        role: Role::Value,
        order: 0,
        times: 1,
    });
    let highlights =
        CellHighlights { cells: cells.collect(), has_value_colours: true, ..CellHighlights::default() };
    let base = SharedScene(Rc::new(grid.scene(&array.0)));
    let overlay = SharedScene(Rc::new(grid.cell_overlay(&highlights)));
    html! { <div class="trace-picture" role="img" aria-label={label.to_owned()}><SceneStack {base} {overlay} /></div> }
}
