//! One array as a grid that can be looked at: draws it, follows pointer and keys, zooms and pans, and speaks the cell
//! to a screen reader. It knows cells by their index and nothing of what stepping to one means.

use std::rc::Rc;

use web_sys::{KeyboardEvent, PointerEvent, WheelEvent};
use yew::prelude::*;

use super::legend::Legend;
use super::minimap::Minimap;
use crate::app::canvas::stack::point_of;
use crate::app::canvas::{Point, SceneStack, SharedArray, SharedScene};
use crate::app::components::size::use_width;
use crate::app::components::wheel::use_wheel;
use crate::app::context::use_say;
use crate::array::Dims;
use crate::view::array_view::ArrayView;
use crate::view::grid::base::Windows;
use crate::view::grid::{CELL_COMFORTABLE, Grid};
use crate::view::highlights::Highlights;
use crate::view::plan::Plan;
use crate::view::scene::Scene;

/// From so many cells on there is a map of the whole.
const MINIMAP_FROM: i64 = 4_096;

/// What is lit, as a scene over the grid's own.
pub trait Overlay: Clone + PartialEq + 'static {
    /// The scene.
    fn scene(&self, grid: &Grid, array: &ArrayView) -> Scene;
}

impl Overlay for Highlights {
    fn scene(&self, grid: &Grid, array: &ArrayView) -> Scene {
        grid.overlay(array, self)
    }
}

/// A cell that was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// To step to; with Shift to keep lit too.
    Step(Dims, bool),
    /// To keep lit, with Shift beside the others: by Enter on the cell stepped to.
    Pin(bool),
}

/// Properties of [`GridCanvas`].
#[derive(Clone, PartialEq, Properties)]
pub struct GridCanvasProps<L: Overlay> {
    /// Id of the focusable grid.
    pub id: AttrValue,
    /// What it is called.
    pub label: AttrValue,
    /// The array.
    pub array: SharedArray,
    /// Dimensions drawn as rows and as columns; the last two where nothing is said.
    #[prop_or_default]
    pub axes: Option<(usize, usize)>,
    /// For each dimension the index shown where it is on a slider; empty stands for all zero.
    #[prop_or_default]
    pub positions: Dims,
    /// The tallest it gets, pixels.
    pub tallest: f64,
    /// The largest a cell gets before it is zoomed, pixels.
    #[prop_or(CELL_COMFORTABLE)]
    pub largest: f64,
    /// What is lit.
    pub lights: L,
    /// The cell stepped to.
    pub cursor: Option<Dims>,
    /// What a screen reader says of that cell.
    pub phrase: AttrValue,
    /// Whether a bar says what the colours stand for.
    #[prop_or(true)]
    pub legend: bool,
    /// Tells the cell under the pointer.
    pub hover: Callback<Option<Dims>>,
    /// Tells the cell that was chosen.
    pub choose: Callback<Chosen>,
    /// The windows that slide over the array, on its base area.
    #[prop_or_default]
    pub windows: Option<Windows>,
    /// Tells where the first window was dragged: how many windows there are a dimension is asked of `window_sizes`.
    #[prop_or_default]
    pub slide: Callback<Dims>,
    /// How many windows there are in each dimension of what counts them.
    #[prop_or_default]
    pub window_sizes: Dims,
    /// Id of what says in words which cells are lit.
    #[prop_or_default]
    pub described: Option<AttrValue>,
}

/// What a drag moves, from where.
#[derive(Clone)]
enum Drag {
    /// The viewport, or nothing yet.
    View(Point, bool),
    /// The first window: where the pointer and the window were, and whether it has moved.
    Window(Dims, Dims, bool),
}

/// The grid.
#[component]
pub fn GridCanvas<L: Overlay>(props: &GridCanvasProps<L>) -> Html {
    let context = use_say();
    let frame = use_node_ref();
    let listener = use_node_ref();
    let width = use_width(frame.clone());
    let array = props.array.0.clone();
    // Where windows slide, the grid is that of the base area.
    let area = props.windows.as_ref().map(|windows| windows.area.clone());
    let sizes: Dims = area.as_ref().map_or_else(|| array.map().padded_sizes(), |area| area.sizes()).into();
    let plan = Plan::new(&sizes, props.axes);
    let place = {
        let area = area.clone();
        move |index: &Dims| area.as_ref().map_or_else(|| index.clone(), |area| area.place(index))
    };
    let element = {
        let area = area.clone();
        move |at: Dims| area.as_ref().map_or(Some(at.clone()), |area| area.element(&at))
    };
    // Zoom and place belong to this array at this width; another array starts fitted.
    let fitted = use_memo(
        (sizes.clone(), props.axes, props.positions.clone(), width, (props.tallest, props.largest)),
        |(sizes, axes, positions, width, (tallest, largest))| {
            let plan = Plan::new(sizes, *axes);
            Grid::fitted_to(sizes, plan, positions, (width.max(120.0), *tallest), *largest)
        },
    );
    let moved = use_state_eq(|| None::<(Rc<Grid>, Grid)>);
    let grid = match &*moved {
        Some((of, grid)) if Rc::ptr_eq(of, &fitted) => grid.clone(),
        _ => (*fitted).clone(),
    };
    let set_grid = {
        let (moved, fitted) = (moved.clone(), fitted.clone());
        move |grid: Grid| moved.set(Some((fitted.clone(), grid)))
    };

    // The cursor stays in sight however it is moved.
    {
        let (grid, set_grid) = (grid.clone(), set_grid.clone());
        let place = place.clone();
        use_effect_with(props.cursor.clone(), move |cursor| {
            let mut next = grid.clone();
            if let Some(index) = cursor {
                next.reveal(&place(index));
            }
            if next != grid {
                set_grid(next);
            }
        });
    }

    let base = use_memo((grid.clone(), props.array.clone(), area.clone()), |(grid, array, area)| {
        SharedScene(Rc::new(match area {
            Some(area) => grid.area_scene(area, &array.0),
            None => grid.scene(&array.0),
        }))
    });
    let overlay =
        use_memo((grid.clone(), props.array.clone(), props.lights.clone()), |(grid, array, lights)| {
            SharedScene(Rc::new(lights.scene(grid, &array.0)))
        });

    let drag = use_mut_ref(|| None::<Drag>);
    // The place under a point, held to the grid: a drag may leave it.
    let held = |grid: &Grid, p: Point| {
        let (w, h) = (grid.width - 8.0, grid.height - 8.0);
        grid.hit(p.x, p.y).or_else(|| grid.hit(p.x.clamp(8.0, w.max(8.0)), p.y.clamp(8.0, h.max(8.0))))
    };
    let on_window = {
        let (grid, windows) = (grid.clone(), props.windows.clone());
        move |p: Point| {
            let windows = windows.as_ref()?;
            let (window, at) = (windows.at.first()?, grid.hit(p.x, p.y)?);
            windows.area.covers(window, &at).then(|| (at, window.clone()))
        }
    };
    let is_over_window = use_state_eq(|| false);
    let onpointerdown = {
        let (drag, listener, on_window) = (drag.clone(), listener.clone(), on_window.clone());
        Callback::from(move |event: PointerEvent| {
            if event.button() == 0 {
                let p = point_of(&event, &listener);
                *drag.borrow_mut() = Some(match on_window(p) {
                    Some((at, window)) => Drag::Window(at, window, false),
                    None => Drag::View(p, false),
                });
            }
        })
    };
    let onpointermove = {
        let (hover, drag, slide) = (props.hover.clone(), drag.clone(), props.slide.clone());
        let (grid, set_grid, listener) = (grid.clone(), set_grid.clone(), listener.clone());
        let (area, window_sizes, element) = (area.clone(), props.window_sizes.clone(), element.clone());
        let is_over_window = is_over_window.clone();
        Callback::from(move |event: PointerEvent| {
            let p = point_of(&event, &listener);
            let mut drag = drag.borrow_mut();
            let capture = || {
                if let Some(element) = listener.cast::<web_sys::Element>() {
                    // It fails only for a pointer that is gone.
                    let _ = element.set_pointer_capture(event.pointer_id());
                }
            };
            let is_down = event.buttons() & 1 == 1;
            match drag.as_mut() {
                Some(Drag::Window(from, window, moved)) if is_down => {
                    let (Some(area), Some(to)) = (&area, held(&grid, p)) else { return };
                    if to == *from && !*moved {
                        return;
                    }
                    if !*moved {
                        capture();
                        // What is under the pointer is the window, no cell.
                        hover.emit(None);
                    }
                    *moved = true;
                    slide.emit(area.dragged(window, from, &to, &window_sizes));
                }
                Some(Drag::View(from, moved)) if is_down && grid.overflows() => {
                    let (dx, dy) = (from.x - p.x, from.y - p.y);
                    if *moved || dx.abs() + dy.abs() > 4.0 {
                        if !*moved {
                            capture();
                        }
                        let mut next = grid.clone();
                        next.pan(dx, dy);
                        *drag = Some(Drag::View(p, true));
                        set_grid(next);
                    }
                }
                _ => {
                    is_over_window.set(on_window(p).is_some());
                    hover.emit(grid.hit(p.x, p.y).and_then(&element));
                }
            }
        })
    };
    let onpointerup = {
        let (drag, choose, grid) = (drag.clone(), props.choose.clone(), grid.clone());
        let (listener, element) = (listener.clone(), element.clone());
        Callback::from(move |event: PointerEvent| {
            let p = point_of(&event, &listener);
            let dragged = match drag.borrow_mut().take() {
                Some(Drag::View(_, moved) | Drag::Window(_, _, moved)) => moved,
                None => false,
            };
            if !dragged
                && event.button() == 0
                && let Some(index) = grid.hit(p.x, p.y).and_then(&element)
            {
                choose.emit(Chosen::Step(index, p.shift));
            }
        })
    };
    let onpointerleave = {
        let hover = props.hover.clone();
        Callback::from(move |_: PointerEvent| hover.emit(None))
    };
    let onwheel = {
        let (grid, set_grid, listener) = (grid.clone(), set_grid.clone(), listener.clone());
        Callback::from(move |event: WheelEvent| {
            let zooms = event.ctrl_key() || event.meta_key();
            if !zooms && !grid.overflows() {
                return;
            }
            let mut next = grid.clone();
            if zooms {
                let p = point_of(&event, &listener);
                next.zoom((-event.delta_y() / 240.0).exp2(), p.x, p.y);
            } else {
                next.pan(event.delta_x(), event.delta_y());
            }
            // At its edge the grid lets the page scroll.
            if next != grid {
                event.prevent_default();
                set_grid(next);
            }
        })
    };
    use_wheel(listener.clone(), onwheel);
    let zoom_by = {
        let (grid, set_grid) = (grid.clone(), set_grid.clone());
        move |factor: f64| {
            let mut next = grid.clone();
            next.zoom(factor, next.width / 2.0, next.height / 2.0);
            set_grid(next);
        }
    };
    let onkeydown = {
        let (array, plan, cursor) = (array.clone(), plan.clone(), props.cursor.clone());
        let (choose, zoom_by) = (props.choose.clone(), zoom_by.clone());
        Callback::from(move |event: KeyboardEvent| {
            if event.alt_key() || event.meta_key() {
                return;
            }
            match event.key().as_str() {
                "+" | "=" => zoom_by(1.5),
                "-" => zoom_by(1.0 / 1.5),
                "Enter" => choose.emit(Chosen::Pin(event.shift_key())),
                key => {
                    let Some(index) = step(&array, &plan, cursor.as_ref(), key, event.ctrl_key()) else {
                        return;
                    };
                    choose.emit(Chosen::Step(index, false));
                }
            }
            event.prevent_default();
            event.stop_propagation();
        })
    };
    let cursor_place = props.cursor.as_ref().map(&place);
    let place = |d: Option<usize>| {
        let at = d.zip(cursor_place.as_ref()).and_then(|(d, index)| index.get(d).copied()).unwrap_or(0);
        (at + 1).to_string()
    };
    let (columns, rows) = grid.counts();
    let large = array.map().elements() > MINIMAP_FROM && grid.overflows();
    let pan_to = {
        let (grid, set_grid) = (grid.clone(), set_grid.clone());
        Callback::from(move |(x, y): (f64, f64)| {
            let mut next = grid.clone();
            let (w, h) = next.world();
            let (ox, oy) = next.offset;
            next.pan(x * w - next.width / 2.0 - ox, y * h - next.height / 2.0 - oy);
            set_grid(next);
        })
    };
    let grid_id = props.id.clone();
    let zoom_button = |key: &'static str, sign: &'static str, factor: f64| {
        // The first grid of a page has plain names.
        let id = if grid_id == "grid" { key.to_owned() } else { format!("{grid_id}-{key}") };
        let zoom_by = zoom_by.clone();
        let label = context.say(key);
        html! {
            <button class="btn tiny" {id} aria-label={label.clone()} title={label}
                onclick={Callback::from(move |_: MouseEvent| zoom_by(factor))}>{sign}</button>
        }
    };
    let cell_id = format!("{}-cell", props.id);
    let zooms = array.map().elements() > 256;
    html! {
        <div class="grid-panel" ref={frame}>
            if width > 0.0 {
                <div class={classes!("canvas-grid", grid.overflows().then_some("pans"), area.is_some().then_some("slides"),
                    is_over_window.then_some("on-window"))} id={&props.id} role="grid"
                    tabindex="0" aria-label={&props.label} aria-describedby={props.described.clone()} aria-rowcount={rows.to_string()}
                    aria-colcount={columns.to_string()} aria-activedescendant={cell_id.clone()}
                    {onpointerdown} {onpointermove} {onpointerup} {onpointerleave} {onkeydown} ref={listener}>
                    <div role="row" aria-rowindex={place(plan.rows)} class="sr-only">
                        <div role="gridcell" id={cell_id} aria-colindex={place(plan.columns)} aria-selected="true">
                            {&props.phrase}
                        </div>
                    </div>
                    if array.map().cells() == 0 {
                        <p class="nothing">{context.say("empty-array")}</p>
                    } else {
                        <SceneStack base={(*base).clone()} overlay={(*overlay).clone()} />
                    }
                </div>
                if array.map().elements() > 1 && (props.legend || zooms) {
                    <div class="zoom">
                        if props.legend {
                            <Legend array={props.array.clone()} />
                        }
                        if zooms {
                        {zoom_button("zoom-out", "−", 1.0 / 1.5)}
                        {zoom_button("zoom-in", "+", 1.5)}
                        }
                        if large {
                            <Minimap array={props.array.clone()} grid={grid.clone()} {pan_to} />
                        }
                    </div>
                }
            }
        </div>
    }
}

/// The index a key leads to from the cursor, staying in the array with its padding.
fn step(array: &ArrayView, plan: &Plan, cursor: Option<&Dims>, key: &str, ctrl: bool) -> Option<Dims> {
    let sizes = array.map().padded_sizes();
    let mut index = cursor.cloned().unwrap_or_else(|| Dims::from_elem(0, sizes.len()));
    let mut add = |d: Option<usize>, by: i64| {
        if let Some(d) = d {
            index[d] = (index[d] + by).clamp(0, (sizes[d] - 1).max(0));
        }
    };
    let far = i64::from(u32::MAX);
    match key {
        "ArrowLeft" => add(plan.columns, -1),
        "ArrowRight" => add(plan.columns, 1),
        "ArrowUp" => add(plan.rows, -1),
        "ArrowDown" => add(plan.rows, 1),
        "Home" => {
            add(plan.columns, -far);
            if ctrl {
                add(plan.rows, -far);
            }
        }
        "End" => {
            add(plan.columns, far);
            if ctrl {
                add(plan.rows, far);
            }
        }
        "PageUp" => add(plan.facet_columns.or(plan.rows), if plan.has_facets() { -1 } else { -10 }),
        "PageDown" => add(plan.facet_columns.or(plan.rows), if plan.has_facets() { 1 } else { 10 }),
        _ => return None,
    }
    Some(index)
}
