//! An array among others: its name and shape, its grid with highlights, and on request its memory.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};
use yew::prelude::*;

use super::grid_canvas::{CellAction, GridCanvas, Overlay};
use super::strip_panel::StripPanel;
use crate::app::canvas::SharedArray;
use crate::app::context::use_app_context;
use crate::app::link;
use crate::array::Dims;
use crate::i18n::Message;
use crate::state::document::SlotText;
use crate::state::session::Action as LayoutAction;
use crate::view::array_view::ArrayView;
use crate::view::axis_assignment::AxisAssignment;
use crate::view::derivation::index_text;
use crate::view::grid::Grid;
use crate::view::grid::base_area::Windows;
use crate::view::highlights::SlotHighlights;
use crate::view::scene::Scene;
use crate::view::sources::{CellHighlights, description, role_message, slice_text};

/// The size limits of a panel, pixels.
struct PanelSize {
    /// Maximum height of its grid.
    max_height: f64,
    /// Maximum side of a cell.
    max_cell_px: f64,
    /// Minimum width of the panel.
    min_width: i64,
}

const PAGE_SIZE: PanelSize = PanelSize { max_height: 380.0, max_cell_px: 46.0, min_width: 132 };

/// The size in a very wide window; see the style sheet.
const WIDE_PAGE_SIZE: PanelSize = PanelSize { max_height: 520.0, max_cell_px: 64.0, min_width: 132 };

/// Minimum width of a very wide window.
const MIN_WIDE_WINDOW_PIXELS: f64 = 1900.0;

/// The side of a cell: of one that is not packed, and of packed ones in windows of 1440 and of 1280 pixels; see the style
/// sheet.
const CELL_PIXELS: i64 = 46;
const MEDIUM_CELL_PIXELS: i64 = 40;
const SMALL_CELL_PIXELS: i64 = 34;

/// Width of a panel without the cells of its grid.
const MARGIN_PIXELS: i64 = 44;

/// Maximum width of a panel.
const MAX_WIDTH_PIXELS: i64 = 720;

/// Maximum number of cells highlighted in memory.
const MAX_HIGHLIGHTED_SLOTS: usize = 4_096;

/// The size in an embed: smaller, so that operands and result are visible together.
const EMBED_SIZE: PanelSize = PanelSize { max_height: 240.0, max_cell_px: 40.0, min_width: 104 };

/// Minimum height of a snapshot's window whose arrays are as large as on the page.
const MIN_SNAPSHOT_WINDOW_PIXELS: f64 = 640.0;

impl Overlay for CellHighlights {
    fn scene(&self, grid: &Grid, _: &ArrayView) -> Scene {
        grid.cell_overlay(self)
    }
}

/// Properties of [`ArrayPanel`].
#[derive(Clone, PartialEq, Properties)]
pub struct ArrayPanelProps {
    /// The prefix of element ids.
    pub id: AttrValue,
    /// The role of the array for the op: `operand`, `lhs`, `out`.
    pub title: AttrValue,
    /// The name of the instruction that has this value.
    pub name: AttrValue,
    /// The array that the panel shows.
    pub array: SharedArray,
    /// The highlighted cells.
    pub highlights: CellHighlights,
    /// The description of the current cell for screen readers.
    pub cell_description: AttrValue,
    /// Its shape, as text or as a field.
    pub heading: Html,
    /// The fields between its grid and its buttons.
    #[prop_or_default]
    pub fields: Option<Html>,
    /// Further buttons.
    #[prop_or_default]
    pub buttons: Html,
    /// Whether it predates the current input.
    #[prop_or_default]
    pub is_stale: bool,
    /// Shows or hides its memory.
    pub toggle_memory: Callback<()>,
    /// Reports the cell under the pointer.
    pub hover: Callback<Option<Dims>>,
    /// Reports the selected cell.
    pub choose: Callback<Dims>,
    /// Edits the value of a cell; `None` if its values cannot be edited.
    #[prop_or_default]
    pub edit: Option<Callback<Dims>>,
    /// The number of windows that slide over it along each dimension.
    pub window_counts: Dims,
    /// Whether its memory is shown.
    pub shows_memory: bool,
    /// Reports the index that a window was dragged to.
    pub on_drag: Callback<Dims>,
}

impl PanelSize {
    /// The CSS width of a panel: that of its cells, so that arrays are side by side if they fit. The side of a cell comes from
    /// the style sheet, where it is smaller for many arrays.
    fn width(&self, props: &ArrayPanelProps, assignment: &AxisAssignment, sizes: &Dims) -> String {
        let (cells, facets) = columns(assignment, sizes);
        // The field for typed values needs room.
        let has_values = props.fields.is_some() && props.array.0.shape().rank() > 0;
        let min_width = format!("{}px + {}", self.min_width, if has_values { "var(--typed)" } else { "0px" });
        // Bounds the numbers in the CSS; the width is clamped in any case.
        let cells = cells.min(MAX_WIDTH_PIXELS);
        let facets = facets.min(MAX_WIDTH_PIXELS);
        format!(
            "width:clamp({min_width}, ({cells} * var(--cell) + {MARGIN_PIXELS}px) * {facets}, {MAX_WIDTH_PIXELS}px)"
        )
    }
}

/// The number of columns in a facet, and of facets side by side.
fn columns(assignment: &AxisAssignment, sizes: &Dims) -> (i64, i64) {
    let size = |d: Option<usize>| d.map_or(1, |d| sizes[d].max(1));
    (size(assignment.columns), size(assignment.facet_columns))
}

/// The sizes of a panel's grid: where windows slide, those of the base area.
fn grid_sizes(array: &SharedArray, windows: Option<&Windows>) -> Dims {
    windows.map_or_else(|| array.0.memory_map().padded_sizes(), |windows| windows.area.sizes()).into()
}

/// The widths of an array's panel in pixels, by the size of its cells.
pub struct PanelWidths {
    /// With the cells of panels that are not packed.
    pub wide: i64,
    /// With those of packed panels in a window of 1440 pixels.
    pub medium: i64,
    /// With those of packed panels in a window of 1280 pixels.
    pub small: i64,
}

impl PanelWidths {
    /// The widths of a panel.
    pub fn new(array: &SharedArray, windows: Option<&Windows>, is_input: bool) -> Self {
        let sizes = grid_sizes(array, windows);
        let (cells, facets) = columns(&AxisAssignment::new(&sizes, None), &sizes);
        let typed_field = if is_input && array.0.shape().rank() > 0 { MARGIN_PIXELS } else { 0 };
        let width = |cell: i64, typed_field: i64| {
            let width = cells.saturating_mul(cell).saturating_add(MARGIN_PIXELS).saturating_mul(facets);
            width.clamp(PAGE_SIZE.min_width + typed_field, MAX_WIDTH_PIXELS)
        };
        Self {
            wide: width(CELL_PIXELS, typed_field),
            medium: width(MEDIUM_CELL_PIXELS, 0),
            small: width(SMALL_CELL_PIXELS, 0),
        }
    }
}

/// The sliders of the dimensions that are not drawn.
fn sliders(
    props: &ArrayPanelProps,
    assignment: &AxisAssignment,
    sizes: &Dims,
    slider_indices: &UseStateHandle<Dims>,
) -> Vec<Html> {
    let rank = props.array.0.shape().rank();
    let slider = |&d: &usize| {
        let slider_indices = slider_indices.clone();
        // Sliders start at index 0.
        let at = slider_indices.get(d).copied().unwrap_or(0);
        let last = (sizes[d] - 1).max(0);
        let oninput = Callback::from(move |event: InputEvent| {
            let Ok(to) = event.target_unchecked_into::<HtmlInputElement>().value().parse() else { return };
            let mut next = (*slider_indices).clone();
            next.resize(rank, 0);
            next[d] = to;
            slider_indices.set(next);
        });
        let id = format!("{}-slider-{d}", props.id);
        html! {
            <span class="field row slider" key={d}>
                <label for={id.clone()} class={format!("d d{}", d % 6)}>{format!("d{d} = {at}")}</label>
                <input type="range" {id} min="0" max={last.to_string()} value={at.to_string()} {oninput} />
            </span>
        }
    };
    assignment.sliders.iter().map(slider).collect()
}

/// Whether the page is a snapshot in a window of its own, or in a frame of that size.
fn has_window_of_its_own() -> bool {
    let height = gloo::utils::window().inner_height().ok().and_then(|height| height.as_f64());
    link::is_snapshot() && height.is_some_and(|height| height >= MIN_SNAPSHOT_WINDOW_PIXELS)
}

/// The array's memory.
fn memory(props: &ArrayPanelProps, label: AttrValue) -> Html {
    let array = props.array.0.clone();
    let map = array.memory_map();
    let slot = |index: &Dims| map.slot(index);
    let highlights = SlotHighlights {
        cursor: props.highlights.cursor.as_ref().and_then(slot),
        hover: props.highlights.hover.as_ref().and_then(slot),
        pins: props
            .highlights
            .cells
            .iter()
            .take(MAX_HIGHLIGHTED_SLOTS)
            .filter_map(|cell| slot(&cell.index))
            .collect(),
    };
    let index_of_slot = {
        let array = array.clone();
        move |slot: i64| {
            let (kind, index) = array.slot_content(slot);
            (kind == crate::array::memory::SlotKind::Element).then_some(index)
        }
    };
    let hover_slot = {
        let (hover, index_of_slot) = (props.hover.clone(), index_of_slot.clone());
        Callback::from(move |slot: Option<i64>| hover.emit(slot.and_then(&index_of_slot)))
    };
    let step = {
        let choose = props.choose.clone();
        Callback::from(move |action: LayoutAction| {
            if let LayoutAction::MoveCursor(slot) = action
                && let Some(index) = index_of_slot(slot)
            {
                choose.emit(index);
            }
        })
    };
    html! {
        <StripPanel id={format!("{}-strip", props.id)} {label} array={props.array.clone()}
            line_bytes=64 slot_text={SlotText::Value} prefers_one_row=true {highlights} hover={hover_slot} dispatch={step} />
    }
}

/// An array as a grid, with its name and its fields.
#[component]
pub fn ArrayPanel(props: &ArrayPanelProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::ops(key));
    let slider_indices = use_state_eq(Dims::new);
    let array = props.array.0.clone();
    let shape = array.shape().clone();
    let choose = {
        let (choose, cursor) = (props.choose.clone(), props.highlights.cursor.clone());
        let act = props.edit.clone().unwrap_or_else(|| choose.clone());
        Callback::from(move |action: CellAction| match action {
            CellAction::MoveCursor { index, .. } => choose.emit(index),
            CellAction::Pin { .. } => cursor.iter().for_each(|index| act.emit(index.clone())),
        })
    };
    let ondblclick = {
        let (edit, cursor) = (props.edit.clone(), props.highlights.cursor.clone());
        let grid = format!("#{}", props.id);
        Callback::from(move |event: MouseEvent| {
            let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
            let is_on_grid =
                target.is_some_and(|target| target.closest(&grid).is_ok_and(|found| found.is_some()));
            // The first click has chosen the cell.
            if let (true, Some(edit), Some(index)) = (is_on_grid, &edit, &cursor) {
                edit.emit(index.clone());
            }
        })
    };
    let title =
        if props.is_stale { format!("{} ({})", props.title, text("stale")) } else { props.title.to_string() };
    let label = Message::ops("panel-label").with("title", title).with("shape", shape.to_string());
    let toggle = props.toggle_memory.reform(|_: MouseEvent| ());
    let map = array.memory_map();
    let mut highlight_text = description(&props.highlights.cells, |role| {
        context.text(&role_message(role, &props.title)).to_string()
    });
    if !props.highlights.winners.is_empty() {
        let cells: Vec<String> = props.highlights.winners.iter().map(|index| index_text(index)).collect();
        let winners = Message::ops("winners").with("cells", cells.join(", "));
        highlight_text = format!("{highlight_text}; {}", context.text(&winners));
    }
    if !props.highlights.slice.is_empty() {
        let slice = Message::ops("role-slice").with("ranges", slice_text(&props.highlights.slice));
        highlight_text = format!("{highlight_text}; {}", context.text(&slice));
    }
    let highlight_text_id = format!("{}-lit", props.id);
    let windows = props.highlights.base_area.clone();
    let sizes = grid_sizes(&props.array, windows.as_ref());
    let assignment = AxisAssignment::new(&sizes, None);
    let sliders = sliders(props, &assignment, &sizes, &slider_indices);
    let window = gloo::utils::window().inner_width().ok().and_then(|width| width.as_f64());
    let size = match window {
        _ if link::is_embed() && !has_window_of_its_own() => EMBED_SIZE,
        Some(MIN_WIDE_WINDOW_PIXELS..) => WIDE_PAGE_SIZE,
        _ => PAGE_SIZE,
    };
    let width = size.width(props, &assignment, &sizes);
    html! {
        <section class={classes!("panel", props.is_stale.then_some("behind"))} aria-label={context.text(&label)} style={width} {ondblclick}>
            <div class="panel-head">
                <h3>
                    {&props.title}
                    // The name often repeats the role: `operand`, `padding_value`.
                    if props.title.replace(' ', "_") != *props.name { {" "}<span class="dim">{&props.name}</span> }
                </h3>
                {props.heading.clone()}
            </div>
            if props.is_stale { <p class="stale"><span>{text("stale")}</span></p> }
            <GridCanvas<CellHighlights> id={props.id.clone()} label={context.text(&label)} array={props.array.clone()}
                slider_indices={(*slider_indices).clone()} max_height={size.max_height} max_cell_px={size.max_cell_px} highlights={props.highlights.clone()} has_legend=false
                cursor={props.highlights.cursor.clone()} cell_description={props.cell_description.clone()} hover={props.hover.clone()} {choose} {windows}
                on_drag={props.on_drag.clone()} window_counts={props.window_counts.clone()} description_id={highlight_text_id.clone()} />
            // Describes the drawn highlights to screen readers.
            <p class="sr-only" id={highlight_text_id}>{highlight_text}</p>
            {for sliders}
            <div class="panel-tools">
                {props.fields.clone()}
                <div class="panel-actions">
                    // The memory of a scalar is obvious.
                    if map.slot_count() > 1 {
                        <button class="btn tiny" id={format!("{}-memory", props.id)} onclick={toggle}
                            aria-pressed={props.shows_memory.to_string()}>{text("show-memory")}</button>
                    }
                    {props.buttons.clone()}
                </div>
            </div>
            if props.shows_memory {
                {memory(props, text("show-memory"))}
            }
        </section>
    }
}
