//! An array as a grid: draws it, performs the effects of pointer and keys ([`crate::interaction::grid`]), and
//! announces the current cell to screen readers. Cells are identified by their index.

use std::rc::Rc;

use web_sys::{KeyboardEvent, PointerEvent, WheelEvent};
use yew::prelude::*;

use super::legend::legend;
use super::minimap::Minimap;
use crate::app::canvas::stack::position_of;
use crate::app::canvas::{SceneStack, SharedArray, SharedScene};
use crate::app::components::latest::use_latest;
use crate::app::components::size::use_width;
use crate::app::components::wheel::use_wheel;
use crate::app::context::{Context, use_app_context};
use crate::app::keys;
use crate::array::Dims;
use crate::array::decimal::shortest;
use crate::i18n::Message;
use crate::interaction::grid::{self, Command, Drag, Effect, Pointer, Surface, Wheel, ZOOM_STEP};
use crate::view::array_view::ArrayView;
use crate::view::axis_assignment::AxisAssignment;
use crate::view::grid::base_area::{Area, Windows};
use crate::view::grid::edges::Axis;
use crate::view::grid::{CELL_COMFORTABLE_PX, Grid};
use crate::view::highlights::SlotHighlights;
use crate::view::scene::{Rect, Scene};

/// Maximum number of elements of a grid without minimap.
const MAX_ELEMENTS_WITHOUT_MINIMAP: i64 = 4_096;

/// Width of a minimap next to its grid, pixels.
const MINIMAP_WIDTH: f64 = 132.0;
/// Minimum width for a grid and its minimap side by side, pixels; otherwise the minimap is below the grid.
const MIN_WIDTH_WITH_MINIMAP: f64 = 600.0;

/// Maximum number of elements of a grid without zoom buttons.
const MAX_ELEMENTS_WITHOUT_ZOOM: i64 = 256;

/// Minimum width that a grid is fitted to, pixels.
const MIN_FIT_WIDTH: f64 = 120.0;

/// Highlights, drawn as a scene above that of the grid.
pub trait Overlay: Clone + PartialEq + 'static {
    /// The scene to draw above that of the grid.
    fn scene(&self, grid: &Grid, array: &ArrayView) -> Scene;
}

impl Overlay for SlotHighlights {
    fn scene(&self, grid: &Grid, array: &ArrayView) -> Scene {
        grid.overlay(array, self)
    }
}

/// The user's choice of a cell, by pointer or key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellAction {
    /// Moves the cursor to a cell.
    MoveCursor {
        /// The index of the cell.
        index: Dims,
        /// Whether to pin or unpin it too: a click with Shift.
        pins: bool,
    },
    /// Enter: pins the current cell.
    Pin {
        /// Whether to keep the other pins: with Shift.
        keep_others: bool,
    },
}

/// Properties of [`GridCanvas`].
#[derive(Clone, PartialEq, Properties)]
pub struct GridCanvasProps<L: Overlay> {
    /// Id of the focusable grid.
    pub id: AttrValue,
    /// The accessible name of the canvas.
    pub label: AttrValue,
    /// The array that is drawn.
    pub array: SharedArray,
    /// The dimensions drawn as rows and columns; by default those of [`AxisAssignment::new`].
    #[prop_or_default]
    pub axes: Option<(usize, usize)>,
    /// The slider index of each dimension; empty for all zero.
    #[prop_or_default]
    pub slider_indices: Dims,
    /// Maximum height, pixels.
    pub max_height: f64,
    /// Maximum side of a cell before zooming, pixels.
    #[prop_or(CELL_COMFORTABLE_PX)]
    pub max_cell_px: f64,
    /// The highlighted cells.
    pub highlights: L,
    /// The current cell.
    pub cursor: Option<Dims>,
    /// The description of the current cell for screen readers.
    pub cell_description: AttrValue,
    /// Whether a legend explains the colours.
    #[prop_or(true)]
    pub has_legend: bool,
    /// Reports the cell under the pointer.
    pub hover: Callback<Option<Dims>>,
    /// Reports the selected cell.
    pub choose: Callback<CellAction>,
    /// The windows that slide over the array, on its base area.
    #[prop_or_default]
    pub windows: Option<Windows>,
    /// Reports the index that the first window was dragged to.
    #[prop_or_default]
    pub on_drag: Callback<Dims>,
    /// The number of windows along each dimension.
    #[prop_or_default]
    pub window_counts: Dims,
    /// Id of the text that describes the highlights.
    #[prop_or_default]
    pub description_id: Option<AttrValue>,
}

/// The displayed grid: fitted, or zoomed and panned.
#[derive(Clone)]
struct Viewport {
    grid: Grid,
    fitted: Rc<Grid>,
    /// The zoomed or panned grid, with the fitted grid that it was derived from.
    adjusted: UseStateHandle<Option<(Rc<Grid>, Grid)>>,
    /// The cell of the cursor.
    cursor: Option<Dims>,
}

impl Viewport {
    fn show(&self, grid: Grid) {
        self.adjusted.set(Some((self.fitted.clone(), grid)));
    }

    fn zoom(&self, factor: f64) {
        self.show(grid::zoomed(&self.grid, factor, self.cursor.as_ref()));
    }

    fn fit(&self) {
        self.show(self.grid.zoomed_out());
    }
}

/// The viewport. Zoom and pan apply to one array at one width; another array or width is fitted.
#[hook]
fn use_viewport<L: Overlay>(props: &GridCanvasProps<L>, sizes: &Dims, width: f64) -> Viewport {
    let has_minimap = has_minimap(props);
    // A base area is drawn as the op sees it, without the padding of the memory.
    let tile_padding = if props.windows.is_none() { props.array.0.tile_padding() } else { Dims::new() };
    let fitted = use_memo(
        (sizes.clone(), tile_padding, props.axes, width, (props.max_height, props.max_cell_px)),
        move |(sizes, tile_padding, axes, width, (max_height, max_cell_px))| {
            // Space for the minimap is reserved, so that the grid keeps its size when the minimap appears.
            let minimap = if has_minimap && *width >= MIN_WIDTH_WITH_MINIMAP { MINIMAP_WIDTH } else { 0.0 };
            let space = ((width - minimap).max(MIN_FIT_WIDTH), *max_height);
            let assignment = AxisAssignment::new(sizes, *axes);
            Grid::fitted_facets(sizes, tile_padding, assignment, space, *max_cell_px)
        },
    );
    let adjusted = use_state_eq(|| None::<(Rc<Grid>, Grid)>);
    let mut grid = match &*adjusted {
        Some((source, grid)) if Rc::ptr_eq(source, &fitted) => grid.clone(),
        _ => (*fitted).clone(),
    };
    // A slider shows another slice at the same zoom.
    grid.set_slider_indices(&props.slider_indices);
    let cursor = props.cursor.as_ref().map(|index| grid_cell(props.windows.as_ref(), index));
    let viewport = Viewport { grid, fitted: fitted.clone(), adjusted, cursor };
    // Pans the grid to keep the cursor visible, also after the grid was fitted again.
    let before = use_mut_ref(|| None::<Dims>);
    {
        let (viewport, windows, array) = (viewport.clone(), props.windows.clone(), props.array.0.clone());
        use_effect_with((props.cursor.clone(), fitted, props.slider_indices.clone()), move |(cursor, ..)| {
            let before = before.replace(cursor.clone());
            let Some(index) = cursor else { return };
            let is_step = before.is_some_and(|before| grid::is_step(array.memory_map(), &before, index));
            let next = grid::follow_cursor(&viewport.grid, &grid_cell(windows.as_ref(), index), is_step);
            if next != viewport.grid {
                viewport.show(next);
            }
        });
    }
    viewport
}

/// The cell of the grid that shows an element.
fn grid_cell(windows: Option<&Windows>, index: &Dims) -> Dims {
    windows.map_or_else(|| index.clone(), |windows| windows.area.cell(index))
}

/// The listeners of a grid.
struct Listeners {
    onpointerdown: Callback<PointerEvent>,
    onpointermove: Callback<PointerEvent>,
    onpointerup: Callback<PointerEvent>,
    onpointerleave: Callback<PointerEvent>,
    onkeydown: Callback<KeyboardEvent>,
    is_over_window: bool,
}

fn pointer(event: &PointerEvent, listener: &NodeRef) -> Pointer {
    let point = position_of(event, listener);
    Pointer { x: point.x, y: point.y, shift: point.shift, is_down: event.buttons() & 1 == 1 }
}

/// Performs the effects of pointer, wheel and keys.
#[hook]
fn use_listeners<L: Overlay>(
    props: &GridCanvasProps<L>,
    viewport: &Viewport,
    listener: &NodeRef,
) -> Listeners {
    let drag = use_mut_ref(Drag::default);
    let is_over_window = use_state_eq(|| false);
    let perform = {
        let (hover, choose, on_drag) = (props.hover.clone(), props.choose.clone(), props.on_drag.clone());
        let (viewport, listener) = (viewport.clone(), listener.clone());
        let is_over_window = is_over_window.clone();
        move |effect, event: &PointerEvent| match effect {
            Effect::Hover(index) => hover.emit(index),
            Effect::SetOverWindow(is_over) => is_over_window.set(is_over),
            Effect::Capture => {
                if let Some(element) = listener.cast::<web_sys::Element>() {
                    // This fails only for a pointer that no longer exists.
                    let _ = element.set_pointer_capture(event.pointer_id());
                }
            }
            Effect::SetGrid(grid) => viewport.show(*grid),
            Effect::MoveWindow(window) => on_drag.emit(window),
            Effect::Select(index, adds) => choose.emit(CellAction::MoveCursor { index, pins: adds }),
        }
    };
    // Each listener owns a copy of the surface.
    let on_surface = |act: fn(&mut Drag, Surface, Pointer, &PointerEvent) -> Vec<Effect>| {
        let (drag, perform, listener) = (drag.clone(), perform.clone(), listener.clone());
        let (grid, windows, window_counts) =
            (viewport.grid.clone(), props.windows.clone(), props.window_counts.clone());
        Callback::from(move |event: PointerEvent| {
            let surface = Surface { grid: &grid, windows: windows.as_ref(), window_counts: &window_counts };
            let effects = act(&mut drag.borrow_mut(), surface, pointer(&event, &listener), &event);
            for effect in effects {
                perform(effect, &event);
            }
        })
    };
    let onpointerdown = on_surface(|drag, surface, pointer, event| {
        if event.button() == 0 {
            *drag = Drag::press(surface, pointer);
        }
        Vec::new()
    });
    let onpointermove = on_surface(|drag, surface, pointer, _| drag.move_to(surface, pointer));
    let onpointerup = on_surface(|drag, surface, pointer, event| {
        let chosen = drag.release(surface, pointer).filter(|_| event.button() == 0);
        chosen.into_iter().collect()
    });
    let onpointerleave = props.hover.reform(|_: PointerEvent| None);
    let onwheel = {
        let (viewport, listener) = (viewport.clone(), listener.clone());
        Callback::from(move |event: WheelEvent| {
            let point = position_of(&event, &listener);
            let is_zoom = event.ctrl_key() || event.meta_key();
            let wheel =
                Wheel { dx: event.delta_x(), dy: event.delta_y(), is_zoom, position: (point.x, point.y) };
            if let Some(next) = grid::wheel(&viewport.grid, wheel) {
                event.prevent_default();
                viewport.show(next);
            }
        })
    };
    use_wheel(listener.clone(), onwheel);
    let onkeydown = {
        let cursor = use_latest(props.cursor.clone());
        let (array, assignment) = (props.array.0.clone(), viewport.grid.assignment.clone());
        let (choose, viewport) = (props.choose.clone(), viewport.clone());
        Callback::from(move |event: KeyboardEvent| {
            let sizes = array.memory_map().padded_sizes();
            match grid::command(sizes, &assignment, cursor.get().as_ref(), &keys::key(&event)) {
                Some(Command::Zoom(factor)) => viewport.zoom(factor),
                Some(Command::Pin { keep_others }) => choose.emit(CellAction::Pin { keep_others }),
                Some(Command::Step(index)) => {
                    cursor.set(Some(index.clone()));
                    choose.emit(CellAction::MoveCursor { index, pins: false });
                }
                None => return,
            }
            event.prevent_default();
            event.stop_propagation();
        })
    };
    let is_over_window = *is_over_window;
    Listeners { onpointerdown, onpointermove, onpointerup, onpointerleave, onkeydown, is_over_window }
}

/// The scenes of a grid and of its highlights.
#[hook]
fn use_scenes<L: Overlay>(
    props: &GridCanvasProps<L>,
    grid: &Grid,
    area: Option<&Rc<Area>>,
) -> (SharedScene, SharedScene) {
    let base = use_memo((grid.clone(), props.array.clone(), area.cloned()), |(grid, array, area)| {
        SharedScene(Rc::new(match area {
            Some(area) => grid.area_scene(area, &array.0),
            None => grid.scene(&array.0),
        }))
    });
    let overlay = use_memo(
        (grid.clone(), props.array.clone(), props.highlights.clone()),
        |(grid, array, highlights)| SharedScene(Rc::new(highlights.scene(grid, &array.0))),
    );
    ((*base).clone(), (*overlay).clone())
}

/// A canvas that shows an array as a grid and handles pointer and keyboard input.
#[component]
pub fn GridCanvas<L: Overlay>(props: &GridCanvasProps<L>) -> Html {
    let context = use_app_context();
    let (frame, listener) = (use_node_ref(), use_node_ref());
    let width = use_width(frame.clone());
    let array = props.array.0.clone();
    // With windows, the grid is that of the base area.
    let area = props.windows.as_ref().map(|windows| windows.area.clone());
    let sizes: Dims =
        area.as_ref().map_or_else(|| array.memory_map().padded_sizes(), |area| area.sizes()).into();
    let viewport = use_viewport(props, &sizes, width);
    let (base, overlay) = use_scenes(props, &viewport.grid, area.as_ref());
    let listeners = use_listeners(props, &viewport, &listener);
    let Listeners { onpointerdown, onpointermove, onpointerup, onpointerleave, onkeydown, is_over_window } =
        listeners;

    let assignment = &viewport.grid.assignment;
    let cursor = props.cursor.as_ref().map(|index| grid_cell(props.windows.as_ref(), index));
    // ARIA numbers rows and columns from 1; a dimension that is not drawn has one.
    let number = |d: Option<usize>| {
        let at = d.zip(cursor.as_ref()).and_then(|(d, index)| index.get(d).copied()).unwrap_or(0);
        (at + 1).to_string()
    };
    let (columns, rows) = viewport.grid.cell_counts();
    let pans = viewport.grid.overflows();
    let cell_id = format!("{}-cell", props.id);
    let at = cursor.as_ref().and_then(|index| viewport.grid.rect(index));
    let window = props.windows.as_ref().and_then(|windows| window_rect(&viewport.grid, windows));
    html! {
        <div class={classes!("grid-panel", (width >= MIN_WIDTH_WITH_MINIMAP).then_some("wide"))} ref={frame}>
            if width > 0.0 {
                // Above the grid, which grows when it is zoomed: the buttons stay under the pointer.
                {tools(&context, props, &viewport)}
                <div class={classes!("canvas-grid", pans.then_some("pans"), area.is_some().then_some("slides"),
                    is_over_window.then_some("on-window"))} id={&props.id} role="grid"
                    tabindex="0" aria-label={&props.label} aria-describedby={props.description_id.clone()} aria-rowcount={rows.to_string()}
                    aria-colcount={columns.to_string()} aria-activedescendant={cell_id.clone()}
                    {onpointerdown} {onpointermove} {onpointerup} {onpointerleave} {onkeydown} ref={listener}>
                    if let Some(window) = window { <div class="window-handle" style={cell_style(window)}></div> }
                    <div role="row" aria-rowindex={number(assignment.rows)} class="lit-row">
                        <div role="gridcell" id={cell_id} aria-colindex={number(assignment.columns)} aria-selected="true"
                            class="lit" style={at.map(cell_style)}>
                            <span class="sr-only">{&props.cell_description}</span>
                        </div>
                    </div>
                    if array.memory_map().slot_count() == 0 {
                        <p class="nothing">{context.text_of_key("empty-array")}</p>
                    } else {
                        <SceneStack {base} {overlay} />
                    }
                </div>
                {minimap(props, &viewport)}
            }
        </div>
    }
}

/// The rectangle of the window that can be dragged: a finger on it moves the window, one elsewhere scrolls the page.
fn window_rect(grid: &Grid, windows: &Windows) -> Option<Rect> {
    let [first, last] = windows.area.corners(windows.indices.first()?);
    let (first, last) = (grid.rect(&first)?, grid.rect(&last)?);
    let (x, y) = (first.x.min(last.x), first.y.min(last.y));
    Some(Rect {
        x,
        y,
        w: (last.x + last.w).max(first.x + first.w) - x,
        h: (last.y + last.h).max(first.y + first.h) - y,
    })
}

/// The style of an element that covers a cell: screen magnifiers follow the current one.
pub fn cell_style(cell: Rect) -> String {
    let Rect { x, y, w, h } = cell;
    format!("left:{}px;top:{}px;width:{}px;height:{}px", shortest(x), shortest(y), shortest(w), shortest(h))
}

/// The visible part of the grid as text, if it overflows.
fn visible_parts(context: &Context, grid: &Grid) -> Html {
    let parts = grid.visible_parts();
    let texts = parts.iter().map(|part| {
        let message = match part.axis {
            Axis::Columns => Message::new("visible-columns"),
            Axis::Rows => Message::new("visible-rows"),
            Axis::Facets(d) => Message::new("visible-facets").with("dimension", d),
        };
        let message = message.with("first", part.first).with("last", part.last);
        html! { <span>{context.text(&message.with("count", part.count))}</span> }
    });
    html! { <span class="visible-parts">{for texts}</span> }
}

fn has_minimap<L: Overlay>(props: &GridCanvasProps<L>) -> bool {
    props.array.0.memory_map().elements() > MAX_ELEMENTS_WITHOUT_MINIMAP
}

/// The minimap, if the grid is large and overflows.
fn minimap<L: Overlay>(props: &GridCanvasProps<L>, viewport: &Viewport) -> Html {
    if !has_minimap(props) || !viewport.grid.overflows() {
        return Html::default();
    }
    let pan_to = {
        let viewport = viewport.clone();
        Callback::from(move |to| viewport.show(grid::centred(&viewport.grid, to)))
    };
    html! { <Minimap array={props.array.clone()} grid={viewport.grid.clone()} {pan_to} /> }
}

/// Legend, zoom buttons and the visible part, each if it applies to the grid.
fn tools<L: Overlay>(context: &Context, props: &GridCanvasProps<L>, viewport: &Viewport) -> Html {
    let elements = props.array.0.memory_map().elements();
    let zooms = elements > MAX_ELEMENTS_WITHOUT_ZOOM;
    let overflows = viewport.grid.overflows();
    if elements <= 1 || !(props.has_legend || zooms || overflows) {
        return Html::default();
    }
    let button = |key: &'static str, sign: Option<&'static str>, act: fn(&Viewport)| {
        // The ids in the first grid of a page have no prefix.
        let id = if props.id == "grid" { key.to_owned() } else { format!("{}-{key}", props.id) };
        let label = context.text_of_key(key);
        let onclick = {
            let viewport = viewport.clone();
            Callback::from(move |_: MouseEvent| act(&viewport))
        };
        let text = sign.map_or_else(|| label.clone(), AttrValue::Static);
        html! { <button class="btn tiny" {id} aria-label={label.clone()} title={label} {onclick}>{text}</button> }
    };
    html! {
        <div class="zoom">
            if props.has_legend { {legend(context, &props.array)} }
            if zooms {
                {button("zoom-out", Some("−"), |viewport| viewport.zoom(1.0 / ZOOM_STEP))}
                {button("zoom-in", Some("+"), |viewport| viewport.zoom(ZOOM_STEP))}
                {button("zoom-fit", None, Viewport::fit)}
            }
            if overflows { {visible_parts(context, &viewport.grid)} }
        </div>
    }
}
