//! Memory as a strip: draws the slots, follows pointer and keys, and speaks the slot to a screen reader.

use std::rc::Rc;

use web_sys::{KeyboardEvent, PointerEvent, WheelEvent};
use yew::prelude::*;

use crate::app::canvas::stack::point_of;
use crate::app::canvas::{SceneStack, SharedArray, SharedScene};
use crate::app::components::size::use_width;
use crate::app::components::wheel::use_wheel;
use crate::app::context::use_say;
use crate::state::document::SlotText;
use crate::state::session::Action;
use crate::view::highlights::Highlights;
use crate::view::inspect::Report;
use crate::view::strip::{MIN_SLOT_SIDE, SLOT_MIN, Strip, overview};

/// Rows shown of a strip that is longer than the page wants to be.
const ROWS: i64 = 6;

/// Properties of [`StripPanel`].
#[derive(Clone, PartialEq, Properties)]
pub struct StripPanelProps {
    /// Id of the focusable strip.
    pub id: AttrValue,
    /// What the strip is called.
    pub label: AttrValue,
    /// The array.
    pub array: SharedArray,
    /// Bytes of a cache line.
    pub line_bytes: i64,
    /// What slots show.
    pub slot_text: SlotText,
    /// Smaller slots rather than a second row: strips that stand under one another.
    #[prop_or_default]
    pub tight: bool,
    /// The lit slots, in this array's own layout.
    pub marks: Highlights,
    /// Tells the slot under the pointer.
    pub hover: Callback<Option<i64>>,
    /// Carries out actions.
    pub dispatch: Callback<Action>,
    /// The slot to step to when a slot is chosen, where it differs from the strip's own (the compared layout).
    #[prop_or_default]
    pub translate: Option<Callback<i64, Option<i64>>>,
}

/// The strip panel.
#[component]
pub fn StripPanel(props: &StripPanelProps) -> Html {
    let context = use_say();
    let frame = use_node_ref();
    let listener = use_node_ref();
    let width = use_width(frame.clone());
    let array = props.array.0.clone();
    let first_row = use_state_eq(|| 0_i64);
    let least = if props.tight { MIN_SLOT_SIDE } else { SLOT_MIN };
    let strip = Strip::new(&array, width.max(80.0), least, props.line_bytes, ROWS, *first_row);
    {
        let (strip, first_row) = (strip.clone(), first_row.clone());
        let shape = (strip.per_row, strip.shown_rows);
        use_effect_with((props.marks.cursor, props.array.clone(), shape), move |(cursor, ..)| {
            if let Some(slot) = cursor {
                first_row.set(strip.reveal(*slot));
            }
        });
    }
    let word = context.say("cache-line");
    let base = use_memo(
        (strip.clone(), props.array.clone(), props.slot_text, word),
        |(strip, array, text, word)| SharedScene(Rc::new(strip.scene(&array.0, *text, word))),
    );
    let overlay = use_memo((strip.clone(), props.array.clone(), props.marks.clone()), |(strip, _, marks)| {
        SharedScene(Rc::new(strip.overlay(marks)))
    });
    let choose = {
        let (dispatch, translate) = (props.dispatch.clone(), props.translate.clone());
        move |slot: i64| {
            translate.as_ref().map_or(Some(slot), |t| t.emit(slot)).map(|slot| (dispatch.clone(), slot))
        }
    };
    let onpointermove = {
        let (hover, strip, listener) = (props.hover.clone(), strip.clone(), listener.clone());
        Callback::from(move |event: PointerEvent| {
            let p = point_of(&event, &listener);
            hover.emit(strip.hit(p.x, p.y));
        })
    };
    let onpointerleave = {
        let hover = props.hover.clone();
        Callback::from(move |_: PointerEvent| hover.emit(None))
    };
    let onclick = {
        let (strip, choose, listener) = (strip.clone(), choose.clone(), listener.clone());
        Callback::from(move |event: PointerEvent| {
            let p = point_of(&event, &listener);
            if event.button() == 0
                && let Some((dispatch, slot)) = strip.hit(p.x, p.y).and_then(&choose)
            {
                dispatch.emit(Action::Cursor(slot));
                if p.shift {
                    dispatch.emit(Action::Pin { slot, add: true });
                }
            }
        })
    };
    let onwheel = {
        let (strip, first_row) = (strip.clone(), first_row.clone());
        Callback::from(move |event: WheelEvent| {
            let last = strip.rows() - strip.shown_rows;
            let to = (strip.first_row + if event.delta_y() > 0.0 { 1 } else { -1 }).clamp(0, last);
            if !event.ctrl_key() && to != strip.first_row {
                event.prevent_default();
                first_row.set(to);
            }
        })
    };
    use_wheel(listener.clone(), onwheel);
    let onkeydown = {
        let (cursor, per_row, cells) = (props.marks.cursor.unwrap_or(0), strip.per_row, array.map().cells());
        let (choose, page) = (choose.clone(), strip.per_row * strip.shown_rows);
        Callback::from(move |event: KeyboardEvent| {
            if event.alt_key() || event.meta_key() {
                return;
            }
            let to = match event.key().as_str() {
                "ArrowLeft" => cursor - 1,
                "ArrowRight" => cursor + 1,
                "ArrowUp" => cursor - per_row,
                "ArrowDown" => cursor + per_row,
                "PageUp" => cursor - page,
                "PageDown" => cursor + page,
                "Home" => 0,
                "End" => cells - 1,
                "Enter" => {
                    if let Some((dispatch, slot)) = choose(cursor) {
                        dispatch.emit(Action::Pin { slot, add: event.shift_key() });
                    }
                    event.prevent_default();
                    event.stop_propagation();
                    return;
                }
                _ => return,
            };
            if let Some((dispatch, slot)) = choose(to.clamp(0, (cells - 1).max(0))) {
                dispatch.emit(Action::Cursor(slot));
            }
            event.prevent_default();
            event.stop_propagation();
        })
    };
    let report = props.marks.cursor.and_then(|slot| Report::new(&array, slot));
    let phrase = report.map(|r| context.tell(&r.phrase()));
    let slot_id = format!("{}-slot", props.id);
    let cells = array.map().cells();
    let position = props.marks.cursor.map_or(0, |c| c + 1).to_string();
    let long = strip.rows() > strip.shown_rows;
    html! {
        <div class="strip-panel" ref={frame}>
            if width > 0.0 && cells > 0 {
                if long {
                    <Overview array={props.array.clone()} {width} shown={strip.shown()}
                        go={first_row_setter(&strip, &first_row)} />
                }
                <div class="canvas-strip" id={&props.id} role="listbox" tabindex="0" aria-label={&props.label}
                    aria-activedescendant={slot_id.clone()} {onpointermove} {onpointerleave}
                    onpointerup={onclick} {onkeydown} ref={listener}>
                    <div role="option" id={slot_id} aria-selected="true" class="sr-only"
                        aria-posinset={position} aria-setsize={cells.to_string()}>
                        {phrase.unwrap_or_default()}
                    </div>
                    <SceneStack base={(*base).clone()} overlay={(*overlay).clone()} />
                </div>
            }
            if cells == 0 {
                <p class="dim">{context.say("empty-memory")}</p>
            }
        </div>
    }
}

fn first_row_setter(strip: &Strip, first_row: &UseStateHandle<i64>) -> Callback<i64> {
    let (strip, first_row) = (strip.clone(), first_row.clone());
    Callback::from(move |slot: i64| {
        let last = strip.rows() - strip.shown_rows;
        first_row.set((slot / strip.per_row - strip.shown_rows / 2).clamp(0, last));
    })
}

#[derive(Clone, PartialEq, Properties)]
struct OverviewProps {
    array: SharedArray,
    width: f64,
    shown: std::ops::Range<i64>,
    go: Callback<i64>,
}

/// All of memory in one line, with the part that shows; clicking goes there.
#[component]
fn Overview(props: &OverviewProps) -> Html {
    use crate::view::grid::{index_at, px};
    use crate::view::scene::{Ink, Rect, Scene, Stroke};
    const HEIGHT: f64 = 18.0;
    let context = use_say();
    let (width, cells) = (props.width, props.array.0.map().cells());
    let base = use_memo((props.array.clone(), width), |(array, width)| {
        SharedScene(Rc::new(overview(&array.0, *width, HEIGHT)))
    });
    let overlay = use_memo((props.shown.clone(), width, cells), |(shown, width, cells)| {
        let mut scene = Scene::new(*width, HEIGHT);
        let at = |slot: i64| px(slot) * width / px((*cells).max(1));
        let rect = Rect::new(at(shown.start), 1.0, (at(shown.end) - at(shown.start)).max(6.0), HEIGHT - 2.0);
        scene.outline(rect, 1.0, Stroke::solid(Ink::Ground, 4.0));
        scene.outline(rect, 1.0, Stroke::solid(Ink::Select, 2.0));
        SharedScene(Rc::new(scene))
    });
    let (go, listener) = (props.go.clone(), use_node_ref());
    let node = listener.clone();
    let go = move |event: &PointerEvent| {
        go.emit(index_at(point_of(event, &listener).x / width * px(cells)).clamp(0, cells - 1));
    };
    let onpointerdown = {
        let go = go.clone();
        Callback::from(move |event: PointerEvent| go(&event))
    };
    let onpointermove = Callback::from(move |event: PointerEvent| {
        if event.buttons() & 1 == 1 {
            go(&event);
        }
    });
    html! {
        <div class="overview" role="img" ref={node} aria-label={context.say("overview")} {onpointerdown} {onpointermove}>
            <SceneStack base={(*base).clone()} overlay={(*overlay).clone()} />
        </div>
    }
}
