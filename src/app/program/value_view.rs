//! The value of the selected instruction: its picture, the chosen cell with its sources, and its statistics.

use std::cell::Cell;
use std::rc::Rc;

use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::devices::device_name;
use super::executions::Executions;
use super::running::{Run, ShownValue};
use super::save_value::save_value;
use super::statistics_view::statistics;
use super::stepping::instruction_path;
use super::trace_view::TraceView;
use super::trail::{Jump, Marks, marked_cells};
use crate::app::components::focus_keeper::is_focus_kept;
use crate::app::components::grid_canvas::{CellAction, GridCanvas};
use crate::app::components::hover::use_hover;
use crate::app::components::scrolling::scroll_to_nearest;
use crate::app::components::select::Select;
use crate::app::components::skip_link::focus;
use crate::app::context::{Context, use_app_context};
use crate::array::Dims;
use crate::array::value::text::Exactness;
use crate::i18n::Message;
use crate::state::program::references::{CellRequest, ChosenCell};
use crate::state::program::session::Action;
use crate::view::sources::CellHighlights;
use crate::worker::program::wire::{
    CellTarget, Details, Edge, InstructionKey, InstructionPath, RunRequest, SaveFormat, SourceCell,
    TraceQuery, ValueQuery, Window,
};

/// Maximum height of the picture, pixels.
const MAX_HEIGHT: f64 = 380.0;

/// Maximum side of a cell, pixels.
const MAX_CELL_PX: f64 = 44.0;

/// The id of the picture.
const GRID_ID: &str = "program-grid";

/// Maximum sources that a screen reader says.
const MAX_SPOKEN_SOURCES: usize = 4;

/// Maximum sources that are listed.
const MAX_SOURCES: usize = 60;

/// Properties of [`ValueView`].
#[derive(Clone, PartialEq, Properties)]
pub struct ValueViewProps {
    /// The value.
    pub value: ShownValue,
    /// The selected instruction.
    pub details: Rc<Details>,
    /// The run, with the sources of the chosen cell.
    pub run: Run,
    /// Asks for another part of the value.
    pub show: Callback<ValueQuery>,
    /// Whether the executions are iterations of a loop.
    pub is_loop: bool,
    /// Shows another execution.
    pub show_execution: Callback<u64>,
    /// Saves a value as a file.
    pub save: Callback<(ValueQuery, SaveFormat)>,
    /// Asks for sources; `None` forgets them.
    pub trace: Callback<Option<RunRequest>>,
    /// The button that leads back to the cell from which this one was followed.
    pub back: Html,
    /// The cell that is asked for; the value may still be the answer to an earlier request.
    pub requested: Option<CellRequest>,
    /// The cells that are marked because a trace led here.
    pub marks: Option<Rc<Marks>>,
    /// Performs actions that lead away from here.
    pub follow: Callback<Jump>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// The view.
#[component]
pub fn ValueView(props: &ValueViewProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    let page = &props.value.page;
    let cursor = use_state_eq(|| None::<Dims>);
    let hover = use_hover::<Dims, _>((page.query.clone(), (*cursor).clone()));
    let replaced_marks = use_state(|| None::<Rc<Marks>>);
    // Whether the picture of a cell that was asked for is still to be shown: a new picture appears some renderings later.
    let awaits_grid = use_memo((), |()| Cell::new(false));
    {
        let awaits_grid = awaits_grid.clone();
        use_effect(move || {
            let grid = Some(&awaits_grid).filter(|awaits| awaits.get());
            if let Some(grid) = grid.and_then(|_| gloo::utils::document().get_element_by_id(GRID_ID)) {
                awaits_grid.set(false);
                // The button that led to a cell may be far below it.
                scroll_to_nearest(&grid);
                focus_grid();
            }
        });
    }
    {
        let cursor = cursor.setter();
        let shown_before = use_mut_ref(|| None);
        let start = page.window.as_ref().map(|window| window.start.clone()).unwrap_or_default();
        let found = page.cell.clone();
        // Another run answers the same query: the cell that was chosen since then stays.
        use_effect_with(page.query.clone(), move |query| {
            let shown = (query.at, query.leaf, start.clone());
            let before = shown_before.replace(Some(shown.clone()));
            if let Some(found) = found {
                cursor.set(Some(found.iter().zip(&start).map(|(at, start)| at - start).collect()));
                awaits_grid.set(true);
            } else if before != Some(shown) {
                // Of the same cells in another execution, the chosen one stays, too.
                cursor.set(None);
            }
        });
    }
    let start = page.window.as_ref().map(|window| window.start.clone()).unwrap_or_default();
    let path = page.leaves.get(page.query.leaf).map(|(path, _)| path.clone()).unwrap_or_default();
    // The index in the whole array.
    let whole =
        |index: &Dims| -> Vec<i64> { index.iter().zip(&start).map(|(at, start)| at + start).collect() };
    let cell = hover.as_ref().or(cursor.as_ref()).map(&whole);
    let mut run = props.run.clone();
    let asked = use_mut_ref(|| None::<(Option<TraceQuery>, bool, usize)>);
    {
        let trace = props.trace.clone();
        let path = path.clone();
        let query = cell.clone().map(|cell| TraceQuery {
            at: page.query.at,
            execution: page.query.execution,
            device: page.query.device,
            path,
            cell,
        });
        // Uses are searched for a chosen cell: this takes longer.
        let is_chosen = hover.is_none() || *hover == *cursor;
        // A value that arrives again, asked for or by another run, has forgotten the trace of its cell.
        let arrival = Rc::as_ptr(page) as usize;
        let key = (query, is_chosen, arrival);
        // Until the effect has asked, the answers are still those about the cell before.
        if asked.borrow().as_ref() != Some(&key) {
            run.forget_sources();
        }
        use_effect_with(key, move |key| {
            let (query, is_chosen, _) = key;
            asked.replace(Some(key.clone()));
            trace.emit(None);
            if let Some(query) = query {
                trace.emit(Some(RunRequest::Sources(query.clone())));
                trace.emit(Some(RunRequest::TraceBack(query.clone())));
                if *is_chosen {
                    trace.emit(Some(RunRequest::TraceOn(query.clone())));
                }
            }
        });
    }
    {
        let dispatch = props.dispatch.clone();
        let chosen = cursor.as_ref().map(|index| ChosenCell { path: path.clone(), index: whole(index) });
        // The cell that was asked for is chosen after the first rendering of its value; until then nothing says that none is.
        let answered = use_mut_ref(|| None::<CellRequest>);
        if page.query.cell.is_some() {
            answered.borrow_mut().clone_from(&page.query.cell);
        }
        let is_awaited = props.requested.is_some() && *answered.borrow() != props.requested;
        let is_pending = is_awaited || page.cell.is_some() && cursor.is_none();
        use_effect_with((chosen, is_pending), move |(chosen, is_pending)| {
            if !is_pending {
                dispatch.emit(Action::ChooseCell(chosen.clone()));
            }
        });
    }
    let Some(cells) = props.value.cells.clone() else {
        return html! { <p class="dim">{text("program-no-cells")}</p> };
    };
    let set_hover = {
        let hover = hover.setter();
        fresh_callback(move |index: Option<Dims>| hover.set(index))
    };
    let choose = {
        let (cursor, replaced) = (cursor.setter(), replaced_marks.setter());
        let marks = props.marks.clone();
        fresh_callback(move |action: CellAction| {
            if let CellAction::MoveCursor { index, .. } = action {
                cursor.set(Some(index));
                replaced.set(marks.clone());
            }
        })
    };
    // The sources of another cell, which is chosen here, are others.
    let is_replaced =
        |marks: &Rc<Marks>| replaced_marks.as_ref().is_some_and(|replaced| Rc::ptr_eq(replaced, marks));
    let marks = props.marks.as_ref().filter(|marks| marks.path == path && !is_replaced(marks));
    let marked = marks.map(|marks| marked_cells(&marks.cells, &start, &cells.0.shape().dimensions));
    let highlights = CellHighlights {
        cells: marked.unwrap_or_default(),
        cursor: (*cursor).clone(),
        hover: (*hover).clone(),
        has_value_colours: true,
        ..CellHighlights::default()
    };
    let shape = cells.0.shape();
    let value_of = |index: &Dims| {
        let linear = cells.0.row_major_index(index);
        cells.0.value(linear).text(shape.element_type, Exactness::Xla)
    };
    let describe = |index: &Dims| format!("[{}] = {}", format_index(&whole(index)), value_of(index));
    let description = cursor.as_ref().map(&describe).unwrap_or_default();
    let shown = hover.as_ref().or(cursor.as_ref()).map(&describe);
    let is_hovering = hover.is_some() && *hover != *cursor;
    let spoken = (!description.is_empty() && !is_hovering)
        .then(|| spoken_sources(&context, props, &run, &description));
    let show_cell = {
        let (instruction, execution) = (instruction_path(&props.details), page.query.execution);
        props.follow.reform(move |cell| Action::SelectCell(instruction.clone(), execution, cell).into())
    };
    let label =
        context.text(&Message::program("program-value-of").with("name", props.details.row.name.as_str()));
    html! {
        <div class="value" id="program-value" data-name={props.details.row.name.clone()}>
            if page.executions > 1 {
                <Executions query={page.query.clone()} count={page.executions} is_loop={props.is_loop} timeline={props.run.timeline.clone()}
                    show={props.show_execution.clone()} ask={props.trace.reform(Some)} />
            }
            {leaves(&context, &props.value, &props.show)}
            if let Some(window) = &page.window { {window_sliders(&context, window, shape.dimensions.as_slice(), &page.query, &props.show)} }
            <GridCanvas<CellHighlights> id={GRID_ID} {label} array={cells.clone()} max_height={MAX_HEIGHT} max_cell_px={MAX_CELL_PX}
                {highlights} cursor={(*cursor).clone()} cell_description={description} hover={set_hover} {choose} />
            <div class="cell-line" id="program-cell">
                {props.back.clone()}
                if let Some(marks) = marks { <p class="dim" id="program-marks">{&marks.label}</p> }
                <p class="sr-only" role="status" id="program-spoken">{spoken}</p>
                if let Some(shown) = shown {
                    <p><code>{shown}</code></p>
                    {sources(&context, props, &run)}
                    <TraceView back={run.back.clone()} on={run.on.clone()} of={props.details.row.name.clone()} follow={props.follow.clone()} />
                } else {
                    <p class="dim">{text("program-cell-hint")}</p>
                }
            </div>
            if let Some(found) = &page.statistics { {statistics(&context, found, &show_cell)} }
            {save_value(&context, &page.query, &props.save)}
            <p class="dim" id="program-computed-by">{match &page.kernel {
                Some(kernel) => context.text(&Message::program("program-kernel").with("kernel", kernel.as_str())),
                None => AttrValue::default(),
            }}</p>
        </div>
    }
}

/// The operand that a source is a cell of; only the first operands of an instruction with many are known.
fn operand_of<'d>(details: &'d Details, source: &SourceCell) -> Option<&'d Edge> {
    details.operands.iter().find(|edge| edge.number as usize == source.operand)
}

/// The chosen cell and its sources, for screen readers: the grid says the cell, and the sources arrive after it.
fn spoken_sources(context: &Context, props: &ValueViewProps, run: &Run, cell: &str) -> String {
    let Some(found) = run.sources.as_ref().filter(|found| !found.is_empty()) else {
        return String::new();
    };
    let source = |source: &SourceCell| {
        let operand = operand_of(&props.details, source)?;
        Some(format!("{}[{}] = {}", operand.row.name, format_index(&source.index), source.value))
    };
    let count = context.text(&Message::program("program-sources").with("count", found.len()));
    let named: Vec<String> = found.iter().take(MAX_SPOKEN_SOURCES).filter_map(source).collect();
    format!("{}{cell}. {count} {}", props.details.row.name, named.join(", "))
}

/// Moves the focus to the picture if the control that led here has disappeared, or is about to.
fn focus_grid() {
    let active = gloo::utils::document().active_element();
    let is_on_source =
        active.is_some_and(|active| active.closest("#program-cell").is_ok_and(|cell| cell.is_some()));
    if is_on_source || is_focus_kept() {
        focus(GRID_ID);
    }
}

/// A callback that differs from every other, so that a component that gets it is rendered again.
fn fresh_callback<T: 'static>(call: impl Fn(T) + 'static) -> Callback<T> {
    Callback::from(call)
}

fn format_index(index: &[i64]) -> String {
    index.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
}

/// The choice among the arrays of a tuple.
fn leaves(context: &Context, value: &ShownValue, show: &Callback<ValueQuery>) -> Html {
    let page = &value.page;
    if page.leaves.len() < 2 {
        return Html::default();
    }
    let options = page.leaves.iter().enumerate().map(|(number, (path, shape))| {
        let path: Vec<String> = path.iter().map(usize::to_string).collect();
        (number.to_string().into(), format!("{{{}}} {shape}", path.join(",")).into())
    });
    let onchange = {
        let (show, query) = (show.clone(), page.query.clone());
        Callback::from(move |chosen: AttrValue| {
            if let Ok(leaf) = chosen.parse() {
                show.emit(ValueQuery { leaf, start: Vec::new(), cell: None, ..query.clone() });
            }
        })
    };
    html! {
        <Select id="program-leaf" label={context.text(&Message::program("program-element"))} options={options.collect::<Vec<_>>()}
            value={page.query.leaf.to_string()} {onchange} />
    }
}

/// A slider for each dimension of which the window has only a part.
fn window_sliders(
    context: &Context,
    window: &Window,
    sizes: &[i64],
    query: &ValueQuery,
    show: &Callback<ValueQuery>,
) -> Html {
    let partial =
        (0..window.sizes.len()).filter(|d| sizes.get(*d).is_some_and(|size| *size < window.sizes[*d]));
    let sliders = partial.map(|d| {
        let (from, shown) = (window.start[d], sizes[d]);
        let last = window.sizes[d] - shown;
        let onchange = {
            let (show, query, start) = (show.clone(), query.clone(), window.start.clone());
            Callback::from(move |event: Event| {
                let input: HtmlInputElement = event.target_unchecked_into();
                let mut start = start.clone();
                if let (Ok(to), Some(at)) = (input.value().parse(), start.get_mut(d)) {
                    *at = to;
                    show.emit(ValueQuery { start, cell: None, ..query.clone() });
                }
            })
        };
        let range = Message::program("program-window")
            .with("dimension", d)
            .with("from", from)
            .with("to", from + shown - 1)
            .with("size", window.sizes[d]);
        let id = format!("program-window-{d}");
        html! {
            <p class="field row slider" key={d}>
                <label for={id.clone()}>{context.text(&range)}</label>
                <input type="range" {id} min="0" max={last.to_string()} value={from.to_string()} {onchange} />
            </p>
        }
    });
    sliders.collect()
}

/// The sources of the cell, as buttons that lead to the operands.
fn sources(context: &Context, props: &ValueViewProps, run: &Run) -> Html {
    let Some(found) = &run.sources else { return Html::default() };
    if found.is_empty() {
        return Html::default();
    }
    let source = |(number, source): (usize, &SourceCell)| {
        let operand = operand_of(&props.details, source)?;
        let at = InstructionKey {
            computation: props.details.at.computation,
            instruction: operand.row.instruction,
        };
        let path = props.details.path.iter().map(|crumb| crumb.call).collect();
        let instruction = InstructionPath { at, calls: path };
        let (device, execution) = (source.device, source.execution);
        let cell = CellTarget::Index { path: source.path.clone(), index: source.index.clone() };
        let onclick = props.follow.reform(move |_: MouseEvent| {
            let select = Action::SelectCell(instruction.clone(), execution, cell.clone());
            Action::OnDevice(device, Box::new(select)).into()
        });
        let value = if source.value.is_empty() { String::new() } else { format!(" = {}", source.value) };
        let other_device = (device != props.value.page.query.device).then(|| device_name(context, device));
        Some(html! {
            <li key={number}><button class="source" {onclick}>
                <b>{&operand.row.name}</b>{format!("[{}]{value}", format_index(&source.index))}
                if let Some(device) = other_device { <span class="dim">{" · "}{device}</span> }
            </button></li>
        })
    };
    let count = Message::program("program-sources").with("count", found.len());
    html! {
        <>
            <p class="dim" id="program-source-count">{context.text(&count)}</p>
            <ul class="sources" id="program-sources">{for found.iter().take(MAX_SOURCES).enumerate().filter_map(source)}</ul>
        </>
    }
}
