//! The array as a grid: draws it, follows pointer and keys, zooms and pans, and speaks the cell to a screen reader.

use std::rc::Rc;

use web_sys::{HtmlElement, KeyboardEvent, PointerEvent, WheelEvent};
use yew::prelude::*;

use super::legend::Legend;
use super::minimap::Minimap;
use crate::app::canvas::stack::{Shared, point_of};
use crate::app::canvas::{Point, SceneStack};
use crate::app::components::size::use_width;
use crate::app::components::wheel::use_wheel;
use crate::app::context::use_say;
use crate::array::Dims;
use crate::i18n::Message;
use crate::state::document::Document;
use crate::state::session::Action;
use crate::view::array_view::ArrayView;
use crate::view::grid::Grid;
use crate::view::inspect::Report;
use crate::view::marks::Marks;
use crate::view::plan::Plan;

/// What of the window's height the rest of the page wants, so that memory shows under the grid, pixels.
const BESIDES: f64 = 400.0;

/// The tallest the grid gets, pixels.
fn max_height() -> f64 {
    let window = gloo::utils::window().inner_height().ok().and_then(|height| height.as_f64());
    (window.unwrap_or(800.0) - BESIDES).clamp(300.0, 720.0)
}
/// From so many cells on there is a map of the whole.
const MINIMAP_FROM: i64 = 4_096;

/// Properties of [`GridPanel`].
#[derive(Clone, PartialEq, Properties)]
pub struct GridPanelProps {
    /// Id of the focusable grid.
    pub id: AttrValue,
    /// The array.
    pub array: SharedArray,
    /// How it is looked at.
    pub document: Rc<Document>,
    /// The lit slots, in this array's own layout.
    pub marks: Marks,
    /// Tells the slot under the pointer.
    pub hover: Callback<Option<i64>>,
    /// Carries out actions; slots are this array's own.
    pub dispatch: Callback<Action>,
    /// The slot to step to when a cell is chosen, where it differs from the array's own (the compared layout).
    #[prop_or_default]
    pub translate: Option<Callback<i64, Option<i64>>>,
}

/// An array that is compared by identity.
#[derive(Clone)]
pub struct SharedArray(pub Rc<ArrayView>);

impl PartialEq for SharedArray {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// The grid panel.
#[component]
pub fn GridPanel(props: &GridPanelProps) -> Html {
    let context = use_say();
    let frame = use_node_ref();
    let listener = use_node_ref();
    let width = use_width(frame.clone());
    let array = props.array.0.clone();
    let view = &props.document.view;
    let plan = Plan::new(array.map().padded_sizes(), view.axes);
    // Zoom and place belong to this array at this width; another array starts fitted.
    let fitted = use_memo(
        (array.map().padded_sizes().to_vec(), view.axes, view.positions.clone(), width),
        |(sizes, axes, positions, width)| {
            let plan = Plan::new(sizes, *axes);
            Grid::fitted(sizes, plan, positions, width.max(120.0), max_height())
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
        let (array, grid, set_grid) = (array.clone(), grid.clone(), set_grid.clone());
        use_effect_with(props.marks.cursor, move |cursor| {
            if let Some((kind, index)) = cursor.map(|slot| array.at(slot))
                && kind != crate::array::memory::CellKind::TilePadding
            {
                let mut next = grid.clone();
                next.reveal(&index);
                if next != grid {
                    set_grid(next);
                }
            }
        });
    }

    let base =
        use_memo((grid.clone(), props.array.clone()), |(grid, array)| Shared(Rc::new(grid.scene(&array.0))));
    let overlay =
        use_memo((grid.clone(), props.array.clone(), props.marks.clone()), |(grid, array, marks)| {
            Shared(Rc::new(grid.overlay(&array.0, marks)))
        });

    let slot_at = {
        let (grid, array) = (grid.clone(), array.clone());
        move |p: Point| grid.hit(p.x, p.y).and_then(|index| array.map().slot(&index))
    };
    let choose = {
        let (dispatch, translate) = (props.dispatch.clone(), props.translate.clone());
        move |slot: i64| {
            translate.as_ref().map_or(Some(slot), |t| t.emit(slot)).map(|slot| (dispatch.clone(), slot))
        }
    };
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
        let (hover, slot_at, drag) = (props.hover.clone(), slot_at.clone(), drag.clone());
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
            hover.emit(slot_at(p));
        })
    };
    let onpointerup = {
        let (slot_at, drag, choose) = (slot_at.clone(), drag.clone(), choose.clone());
        let listener = listener.clone();
        Callback::from(move |event: PointerEvent| {
            let p = point_of(&event, &listener);
            let dragged = drag.borrow_mut().take().is_some_and(|(_, moved)| moved);
            if !dragged
                && event.button() == 0
                && let Some((dispatch, slot)) = slot_at(p).and_then(&choose)
            {
                dispatch.emit(Action::Cursor(slot));
                if p.shift {
                    dispatch.emit(Action::Pin { slot, add: true });
                }
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
        let (array, plan, cursor) = (array.clone(), plan.clone(), props.marks.cursor);
        let (choose, zoom_by) = (choose.clone(), zoom_by.clone());
        Callback::from(move |event: KeyboardEvent| {
            if event.alt_key() || event.meta_key() {
                return;
            }
            match event.key().as_str() {
                "+" | "=" => zoom_by(1.5),
                "-" => zoom_by(1.0 / 1.5),
                "Enter" => {
                    if let Some((dispatch, slot)) = cursor.and_then(&choose) {
                        dispatch.emit(Action::Pin { slot, add: event.shift_key() });
                    }
                }
                key => {
                    let Some(index) = step(&array, &plan, cursor, key, event.ctrl_key()) else { return };
                    if let Some((dispatch, slot)) = array.map().slot(&index).and_then(&choose) {
                        dispatch.emit(Action::Cursor(slot));
                    }
                }
            }
            event.prevent_default();
            event.stop_propagation();
        })
    };

    let report = props.marks.cursor.and_then(|slot| Report::new(&array, slot));
    let phrase = report.as_ref().map(|r| context.tell(&r.phrase()));
    let place = |d: Option<usize>| {
        let at = d.zip(report.as_ref()).and_then(|(d, r)| r.index.get(d).copied()).unwrap_or(0);
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
    let zoom_button = |id: &'static str, key: &'static str, sign: &'static str, factor: f64| {
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
                    tabindex="0" aria-label={context.tell(&grid_label(&array))} aria-rowcount={rows.to_string()}
                    aria-colcount={columns.to_string()} aria-activedescendant={cell_id.clone()}
                    {onpointerdown} {onpointermove} {onpointerup} {onpointerleave} {onkeydown} ref={listener}>
                    <div role="row" aria-rowindex={place(plan.rows)} class="sr-only">
                        <div role="gridcell" id={cell_id} aria-colindex={place(plan.columns)} aria-selected="true">
                            {phrase.unwrap_or_else(|| context.say("empty-array"))}
                        </div>
                    </div>
                    if array.map().cells() == 0 {
                        <p class="nothing">{context.say("empty-array")}</p>
                    } else {
                        <SceneStack base={(*base).clone()} overlay={(*overlay).clone()} />
                    }
                </div>
                if array.map().elements() > 1 {
                    <div class="zoom">
                        <Legend array={props.array.clone()} />
                        if zooms {
                        {zoom_button("zoom-out", "zoom-out", "−", 1.0 / 1.5)}
                        {zoom_button("zoom-in", "zoom-in", "+", 1.5)}
                        }
                        if large {
                            <Minimap array={props.array.clone()} grid={grid.clone()} {pan_to} />
                        }
                    </div>
                }
            }
            <Sliders plan={plan} document={props.document.clone()} array={props.array.clone()}
                dispatch={props.dispatch.clone()} />
        </div>
    }
}

fn grid_label(array: &ArrayView) -> Message {
    Message::new("grid-label").with("shape", array.shape().to_string())
}

/// The index a key leads to from the cursor, staying in the array with its padding.
fn step(array: &ArrayView, plan: &Plan, cursor: Option<i64>, key: &str, ctrl: bool) -> Option<Dims> {
    let sizes = array.map().padded_sizes();
    let (kind, mut index) = array.at(cursor.unwrap_or(0));
    if kind == crate::array::memory::CellKind::TilePadding {
        index = Dims::from_elem(0, sizes.len());
    }
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

#[derive(Clone, PartialEq, Properties)]
struct SlidersProps {
    plan: Plan,
    document: Rc<Document>,
    array: SharedArray,
    dispatch: Callback<Action>,
}

/// One slider for each dimension that is not drawn.
#[component]
fn Sliders(props: &SlidersProps) -> Html {
    let context = use_say();
    let rows = props.plan.sliders.iter().map(|&d| {
        let last = (props.array.0.map().padded_sizes()[d] - 1).max(0);
        let at = props.document.position(d);
        let oninput = {
            let (dispatch, document) = (props.dispatch.clone(), props.document.clone());
            let array = props.array.clone();
            Callback::from(move |event: InputEvent| {
                let input: web_sys::HtmlInputElement = event.target_unchecked_into();
                let Ok(to) = input.value().parse::<i64>() else { return };
                dispatch.emit(Action::Position(d, to));
                // The cursor goes along, so that it stays in what is shown.
                let (_, mut index) = array.0.at(document.cursor);
                if let Some(e) = index.get_mut(d) {
                    *e = to;
                }
                if let Some(slot) = array.0.map().slot(&index) {
                    dispatch.emit(Action::Cursor(slot));
                }
            })
        };
        let id = format!("slider-{d}");
        html! {
            <span class="field row slider" key={d}>
                <label for={id.clone()} class={format!("d d{}", d % 6)}>
                    {context.say("dim-short")}{" "}{d}{" = "}{at}
                </label>
                <input type="range" {id} min="0" max={last.to_string()} value={at.to_string()} {oninput} />
            </span>
        }
    });
    rows.collect()
}

/// The element behind a node, focused.
pub fn focus(node: &NodeRef) {
    if let Some(element) = node.cast::<HtmlElement>() {
        let _ = element.focus();
    }
}
