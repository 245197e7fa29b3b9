//! The array of the Layout screen as a grid of slots, with sliders for dimensions that are not drawn.

use std::rc::Rc;

use web_sys::HtmlElement;
use yew::prelude::*;

use super::follow;
use super::grid_canvas::{CellAction, GridCanvas};
use crate::app::canvas::SharedArray;
use crate::app::context::{dimension_class, use_app_context};
use crate::app::link;
use crate::array::Dims;
use crate::array::memory::SlotKind;
use crate::i18n::Message;
use crate::state::document::Document;
use crate::state::session::Action;
use crate::view::axis_assignment::AxisAssignment;
use crate::view::highlights::SlotHighlights;
use crate::view::inspect::SlotProperties;
use crate::view::pixels::clamped;

/// Height of the window that is reserved for the rest of the page, so that memory is visible below the grid, pixels.
const RESERVED_HEIGHT: f64 = 510.0;

/// Reserved height in an embed, pixels.
const RESERVED_HEIGHT_EMBED: f64 = 290.0;

/// Reserved height if memory has one row, pixels.
const RESERVED_HEIGHT_ONE_ROW: f64 = 480.0;

/// Reserved height in a narrow window, where the user scrolls to memory in any case, pixels.
const RESERVED_HEIGHT_NARROW: f64 = 390.0;

/// Maximum width of a narrow window, as in the style sheet, pixels.
const MAX_NARROW_WINDOW_WIDTH: f64 = 820.0;

/// Maximum number of slots that surely fit in one row.
const MAX_SLOTS_IN_ONE_ROW: i64 = 16;

/// The maximum height of the grid and the maximum side of a cell, pixels. The picture fills most of the window.
fn max_grid_size(slots: i64) -> (f64, f64) {
    let window = gloo::utils::window();
    let width = window.inner_width().ok().and_then(|width| width.as_f64());
    let window_height = window.inner_height().ok().and_then(|height| height.as_f64()).unwrap_or(800.0);
    let side = clamped(window_height * 0.15, 112.0, 192.0);
    if link::is_embed() {
        return (clamped(window_height - RESERVED_HEIGHT_EMBED, 150.0, 720.0), side);
    }
    let reserved_height = match width {
        Some(..=MAX_NARROW_WINDOW_WIDTH) => RESERVED_HEIGHT_NARROW,
        _ if slots <= MAX_SLOTS_IN_ONE_ROW => RESERVED_HEIGHT_ONE_ROW,
        _ => RESERVED_HEIGHT,
    };
    (clamped(window_height - reserved_height, 260.0, 960.0), side)
}

/// Properties of [`GridPanel`].
#[derive(Clone, PartialEq, Properties)]
pub struct GridPanelProps {
    /// Id of the focusable grid.
    pub id: AttrValue,
    /// The array that the grid shows.
    pub array: SharedArray,
    /// The view settings.
    pub document: Rc<Document>,
    /// The highlighted slots, in this array's own layout.
    pub highlights: SlotHighlights,
    /// Reports the slot under the pointer.
    pub hover: Callback<Option<i64>>,
    /// Dispatches actions; slots are in this array's own layout.
    pub dispatch: Callback<Action>,
    /// Translates a selected slot to that of the session's layout, if this is the compared layout.
    #[prop_or_default]
    pub translate: Option<Callback<i64, Option<i64>>>,
}

/// The grid panel.
#[component]
pub fn GridPanel(props: &GridPanelProps) -> Html {
    let context = use_app_context();
    let array = props.array.0.clone();
    let view = &props.document.view;
    let cursor = props.highlights.cursor;
    let to_session_slot = {
        let (array, translate) = (array.clone(), props.translate.clone());
        move |slot: i64| match &translate {
            None => Some(slot),
            Some(translate) => translate.emit(slot).filter(|_| array.memory_map().slot_count() > 0),
        }
    };
    let choose = {
        let (array, dispatch) = (array.clone(), props.dispatch.clone());
        Callback::from(move |action: CellAction| match action {
            CellAction::MoveCursor { index, pins } => {
                let Some(slot) = array.memory_map().slot(&index) else { return };
                if cursor != Some(slot) {
                    follow::suppress_next_scroll();
                }
                let Some(slot) = to_session_slot(slot) else { return };
                dispatch.emit(Action::MoveCursor(slot));
                if pins {
                    dispatch.emit(Action::TogglePin { slot, keep_others: true });
                }
            }
            CellAction::Pin { keep_others } => {
                if let Some(slot) = cursor.and_then(&to_session_slot) {
                    dispatch.emit(Action::TogglePin { slot, keep_others });
                }
            }
        })
    };
    let hover = {
        let (array, hover) = (array.clone(), props.hover.clone());
        Callback::from(move |index: Option<Dims>| {
            hover.emit(index.and_then(|index| array.memory_map().slot(&index)));
        })
    };
    let at = cursor.map(|slot| array.slot_content(slot));
    let index = at.filter(|(kind, _)| *kind != SlotKind::UnindexedPadding).map(|(_, index)| index);
    let properties = cursor.and_then(|slot| SlotProperties::new(&array, slot));
    // The cursor's element may have no slot in the compared layout.
    let cell_description = match properties {
        Some(properties) => context.text(&properties.description()),
        None if array.memory_map().elements() == 0 => context.text_of_key("empty-array"),
        None => AttrValue::default(),
    };
    let label = context.text(&Message::new("grid-label").with("shape", array.shape().to_string()));
    let (max_height, max_cell_px) = max_grid_size(array.memory_map().slot_count());
    html! {
        <div>
            <GridCanvas<SlotHighlights> id={props.id.clone()} {label} array={props.array.clone()} axes={view.axes}
                slider_indices={view.slider_indices.clone()} {max_height} {max_cell_px} highlights={props.highlights.clone()} cursor={index}
                {cell_description} {hover} {choose} />
            {sliders(props)}
        </div>
    }
}

/// A slider for each dimension that is not drawn.
fn sliders(props: &GridPanelProps) -> Html {
    let assignment = AxisAssignment::new(props.array.0.memory_map().padded_sizes(), props.document.view.axes);
    let rows = assignment.sliders.iter().map(|&d| {
        let last = (props.array.0.memory_map().padded_sizes()[d] - 1).max(0);
        let at = props.document.slider_index(d);
        let oninput = {
            let (dispatch, document) = (props.dispatch.clone(), props.document.clone());
            let array = props.array.clone();
            Callback::from(move |event: InputEvent| {
                let input: web_sys::HtmlInputElement = event.target_unchecked_into();
                let Ok(to) = input.value().parse::<i64>() else { return };
                dispatch.emit(Action::SetSliderIndex(d, to));
                // The cursor moves too, so that it stays visible.
                let (_, mut index) = array.0.slot_content(document.cursor);
                if let Some(e) = index.get_mut(d) {
                    *e = to;
                }
                if let Some(slot) = array.0.memory_map().slot(&index) {
                    dispatch.emit(Action::MoveCursor(slot));
                }
            })
        };
        let id = format!("slider-{d}");
        html! {
            <span class="field row slider" key={d}>
                <label for={id.clone()} class={dimension_class(d)}>
                    {format!("d{d} = {at}")}
                </label>
                <input type="range" {id} min="0" max={last.to_string()} value={at.to_string()} {oninput} />
            </span>
        }
    });
    rows.collect()
}

/// Focuses the element of a node.
pub fn focus(node: &NodeRef) {
    if let Some(element) = node.cast::<HtmlElement>() {
        let _ = element.focus();
    }
}
