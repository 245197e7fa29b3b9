//! One array as a grid that can be looked at: draws it, follows pointer and keys, zooms and pans, and speaks the cell
//! to a screen reader. It knows cells by their index and nothing of what stepping to one means.

use std::rc::Rc;

use web_sys::{KeyboardEvent, PointerEvent, WheelEvent};
use yew::prelude::*;

use super::legend::Legend;
use super::minimap::Minimap;
use crate::app::canvas::stack::{Shared, point_of};
use crate::app::canvas::{Point, SceneStack};
use crate::app::components::size::use_width;
use crate::app::components::wheel::use_wheel;
use crate::app::context::use_say;
use crate::array::Dims;
use crate::view::array_view::ArrayView;
use crate::view::grid::{CELL_COMFORTABLE, Grid};
use crate::view::marks::Marks;
use crate::view::plan::Plan;
use crate::view::scene::Scene;

/// From so many cells on there is a map of the whole.
const MINIMAP_FROM: i64 = 4_096;

/// An array that is compared by identity.
#[derive(Clone)]
pub struct SharedArray(pub Rc<ArrayView>);

impl PartialEq for SharedArray {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// What is lit, as a scene over the grid's own.
pub trait Overlay: Clone + PartialEq + 'static {
    /// The scene.
    fn scene(&self, grid: &Grid, array: &ArrayView) -> Scene;
}

impl Overlay for Marks {
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
}

/// The grid.
#[component]
pub fn GridCanvas<L: Overlay>(props: &GridCanvasProps<L>) -> Html {
    let context = use_say();
    let frame = use_node_ref();
    let listener = use_node_ref();
    let width = use_width(frame.clone());
    let array = props.array.0.clone();
    let plan = Plan::new(array.map().padded_sizes(), props.axes);
    // Zoom and place belong to this array at this width; another array starts fitted.
    let fitted = use_memo(
        (
            array.map().padded_sizes().to_vec(),
            props.axes,
            props.positions.clone(),
            width,
            (props.tallest, props.largest),
        ),
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
        use_effect_with(props.cursor.clone(), move |cursor| {
            let mut next = grid.clone();
            if let Some(index) = cursor {
                next.reveal(index);
            }
            if next != grid {
                set_grid(next);
            }
        });
    }

    let base =
        use_memo((grid.clone(), props.array.clone()), |(grid, array)| Shared(Rc::new(grid.scene(&array.0))));
    let overlay =
        use_memo((grid.clone(), props.array.clone(), props.lights.clone()), |(grid, array, lights)| {
            Shared(Rc::new(lights.scene(grid, &array.0)))
        });

    // Where a drag started, the place it has reached, and whether it has moved at all.
    let drag = use_mut_ref(|| None::<(Point, bool)>);
    let onpointerdown = {
        let (drag, listener) = (drag.clone(), listener.clone());
        Callback::from(move |event: PointerEvent| {
            if event.button() == 0 {
                *drag.borrow_mut() = Some((point_of(&event, &listener), false));
            }
        })
    };
    let onpointermove = {
        let (hover, drag) = (props.hover.clone(), drag.clone());
        let (grid, set_grid, listener) = (grid.clone(), set_grid.clone(), listener.clone());
        Callback::from(move |event: PointerEvent| {
            let p = point_of(&event, &listener);
            let mut drag = drag.borrow_mut();
            if let Some((from, moved)) = drag.as_mut()
                && event.buttons() & 1 == 1
                && grid.overflows()
            {
                let (dx, dy) = (from.x - p.x, from.y - p.y);
                if *moved || dx.abs() + dy.abs() > 4.0 {
                    if !*moved && let Some(element) = listener.cast::<web_sys::Element>() {
                        // It fails only for a pointer that is gone.
                        let _ = element.set_pointer_capture(event.pointer_id());
                    }
                    let mut next = grid.clone();
                    next.pan(dx, dy);
                    *drag = Some((p, true));
                    set_grid(next);
                }
                return;
            }
            hover.emit(grid.hit(p.x, p.y));
        })
    };
    let onpointerup = {
        let (drag, choose, grid) = (drag.clone(), props.choose.clone(), grid.clone());
        let listener = listener.clone();
        Callback::from(move |event: PointerEvent| {
            let p = point_of(&event, &listener);
            let dragged = drag.borrow_mut().take().is_some_and(|(_, moved)| moved);
            if !dragged
                && event.button() == 0
                && let Some(index) = grid.hit(p.x, p.y)
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
    let place = |d: Option<usize>| {
        let at = d.zip(props.cursor.as_ref()).and_then(|(d, index)| index.get(d).copied()).unwrap_or(0);
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
                <div class={classes!("canvas-grid", grid.overflows().then_some("pans"))} id={&props.id} role="grid"
                    tabindex="0" aria-label={&props.label} aria-rowcount={rows.to_string()}
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
