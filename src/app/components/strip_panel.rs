//! The memory strip: draws the slots, performs the effects of pointer and keys ([`crate::interaction::strip`]), and
//! announces the current slot to screen readers.

use std::rc::Rc;

use web_sys::{KeyboardEvent, PointerEvent, WheelEvent};
use yew::prelude::*;

use crate::app::canvas::stack::position_of;
use crate::app::canvas::{SceneStack, SharedArray, SharedScene};
use crate::app::components::follow::{self, use_page_scroll};
use crate::app::components::grid_canvas::cell_style;
use crate::app::components::latest::use_latest;
use crate::app::components::size::use_width;
use crate::app::components::wheel::use_wheel;
use crate::app::context::use_app_context;
use crate::app::keys;
use crate::interaction::strip::{self, Command};
use crate::state::document::SlotText;
use crate::state::session::Action;
use crate::view::highlights::SlotHighlights;
use crate::view::inspect::SlotProperties;
use crate::view::strip::{MIN_READABLE_SLOT_SIDE, MIN_SLOT_SIDE, Strip, overview};

/// Maximum number of rows of a strip.
const MAX_ROWS: i64 = 6;

/// Rows in a low window: few enough that array and slot are visible together after a jump.
const MIN_ROWS: i64 = 3;

/// Height of a window in which [`MIN_ROWS`] fit below the array, pixels.
const LOW_WINDOW_HEIGHT: f64 = 810.0;
/// Height of a row, pixels.
const ROW_HEIGHT: f64 = 83.0;

/// Maximum number of rows in this window.
fn max_rows() -> i64 {
    let height = gloo::utils::window().inner_height().ok().and_then(|height| height.as_f64());
    let additional_rows = height.map_or(0.0, |height| ((height - LOW_WINDOW_HEIGHT) / ROW_HEIGHT).max(0.0));
    MIN_ROWS.saturating_add(crate::view::pixels::index_at(additional_rows)).min(MAX_ROWS)
}

/// Minimum width that a strip is fitted to, pixels.
const MIN_FIT_WIDTH: f64 = 80.0;

/// Properties of [`StripPanel`].
#[derive(Clone, PartialEq, Properties)]
pub struct StripPanelProps {
    /// Id of the focusable strip.
    pub id: AttrValue,
    /// The accessible name of the strip.
    pub label: AttrValue,
    /// The array whose memory is shown.
    pub array: SharedArray,
    /// Bytes per cache line.
    pub line_bytes: i64,
    /// The text in slots.
    pub slot_text: SlotText,
    /// Whether to prefer smaller slots to a second row, for two strips with connecting lines.
    #[prop_or_default]
    pub prefers_one_row: bool,
    /// The highlighted slots, in this array's own layout.
    pub highlights: SlotHighlights,
    /// Reports the slot under the pointer.
    pub hover: Callback<Option<i64>>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
    /// Translates a selected slot to that of the session's layout, if this is the compared layout.
    #[prop_or_default]
    pub translate: Option<Callback<i64, Option<i64>>>,
}

/// The displayed strip, and its first row.
#[derive(Clone)]
struct Rows {
    strip: Strip,
    first: UseStateHandle<i64>,
}

/// The first row follows the cursor.
#[hook]
fn use_rows(props: &StripPanelProps, width: f64) -> Rows {
    let first = use_state_eq(|| 0_i64);
    let min_slot = if props.prefers_one_row { MIN_SLOT_SIDE } else { MIN_READABLE_SLOT_SIDE };
    let strip =
        Strip::new(&props.array.0, width.max(MIN_FIT_WIDTH), min_slot, props.line_bytes, max_rows(), *first);
    {
        let (strip, first) = (strip.clone(), first.clone());
        let shape = (strip.per_row, strip.visible_rows);
        let before = use_mut_ref(|| None::<i64>);
        use_effect_with((props.highlights.cursor, props.array.clone(), shape), move |(cursor, ..)| {
            let before = before.replace(*cursor);
            if let Some(slot) = cursor {
                first.set(strip::follow_cursor(&strip, before, *slot));
            }
        });
    }
    Rows { strip, first }
}

/// The listeners of a strip.
struct Listeners {
    onpointermove: Callback<PointerEvent>,
    onpointerleave: Callback<PointerEvent>,
    onpointerup: Callback<PointerEvent>,
    onkeydown: Callback<KeyboardEvent>,
}

/// Performs the effects of pointer, wheel and keys.
#[hook]
fn use_listeners(props: &StripPanelProps, rows: &Rows, listener: &NodeRef) -> Listeners {
    let strip = &rows.strip;
    let choose = {
        let (dispatch, translate) = (props.dispatch.clone(), props.translate.clone());
        let cursor = props.highlights.cursor;
        move |slot: i64, action: &dyn Fn(i64) -> Vec<Action>| {
            if cursor != Some(slot) {
                follow::suppress_next_scroll();
            }
            if let Some(slot) = translate.as_ref().map_or(Some(slot), |translate| translate.emit(slot)) {
                for action in action(slot) {
                    dispatch.emit(action);
                }
            }
        }
    };
    let onpointermove = {
        let (hover, strip, listener) = (props.hover.clone(), strip.clone(), listener.clone());
        Callback::from(move |event: PointerEvent| {
            let p = position_of(&event, &listener);
            hover.emit(strip.hit(p.x, p.y));
        })
    };
    let onpointerleave = props.hover.reform(|_: PointerEvent| None);
    let onpointerup = {
        let (strip, choose, listener) = (strip.clone(), choose.clone(), listener.clone());
        Callback::from(move |event: PointerEvent| {
            let p = position_of(&event, &listener);
            if let Some(slot) = strip.hit(p.x, p.y).filter(|_| event.button() == 0) {
                choose(slot, &|slot| {
                    let pin = p.shift.then_some(Action::TogglePin { slot, keep_others: true });
                    [Action::MoveCursor(slot)].into_iter().chain(pin).collect()
                });
            }
        })
    };
    let onwheel = {
        let rows = rows.clone();
        Callback::from(move |event: WheelEvent| {
            if let Some(first) = strip::wheel(&rows.strip, event.delta_y(), event.ctrl_key()) {
                event.prevent_default();
                rows.first.set(first);
            }
        })
    };
    use_wheel(listener.clone(), onwheel);
    let onkeydown = {
        // Without a cursor, the first step starts at the first slot.
        let cursor = use_latest(props.highlights.cursor.unwrap_or(0));
        let (strip, slots) = (strip.clone(), props.array.0.memory_map().slot_count());
        Callback::from(move |event: KeyboardEvent| {
            let cursor_slot = cursor.get();
            match strip::command(&strip, slots, cursor_slot, &keys::key(&event)) {
                Some(Command::Pin { keep_others }) => {
                    choose(cursor_slot, &|slot| vec![Action::TogglePin { slot, keep_others }]);
                }
                Some(Command::Step(to)) => {
                    cursor.set(to);
                    choose(to, &|slot| vec![Action::MoveCursor(slot)]);
                }
                None => return,
            }
            event.prevent_default();
            event.stop_propagation();
        })
    };
    Listeners { onpointermove, onpointerleave, onpointerup, onkeydown }
}

/// The strip panel.
#[component]
pub fn StripPanel(props: &StripPanelProps) -> Html {
    let context = use_app_context();
    let (frame, listener) = (use_node_ref(), use_node_ref());
    let width = use_width(frame.clone());
    let rows = use_rows(props, width);
    // Only the strip of the Layout screen's array has this id, not the compared one or those of the Ops screen.
    use_page_scroll(props.highlights.cursor, width > 0.0 && props.id == "strip");
    let strip = &rows.strip;
    let word = context.text_of_key("cache-line");
    let base = use_memo(
        (strip.clone(), props.array.clone(), props.slot_text, word),
        |(strip, array, text, word)| SharedScene(Rc::new(strip.scene(&array.0, *text, word))),
    );
    let overlay =
        use_memo((strip.clone(), props.array.clone(), props.highlights.clone()), |(strip, _, highlights)| {
            SharedScene(Rc::new(strip.overlay(highlights)))
        });
    let Listeners { onpointermove, onpointerleave, onpointerup, onkeydown } =
        use_listeners(props, &rows, &listener);
    let properties = props.highlights.cursor.and_then(|slot| SlotProperties::new(&props.array.0, slot));
    let cell_description = properties.map(|properties| context.text(&properties.description()));
    let slot_id = format!("{}-slot", props.id);
    let slots = props.array.0.memory_map().slot_count();
    // ARIA numbers options from 1.
    let number = props.highlights.cursor.map_or(0, |cursor| cursor + 1).to_string();
    let at = props.highlights.cursor.and_then(|slot| strip.rect(slot));
    let move_to = {
        let rows = rows.clone();
        Callback::from(move |slot: i64| rows.first.set(strip::first_centred_row(&rows.strip, slot)))
    };
    html! {
        <div class="strip-panel" ref={frame}>
            if width > 0.0 && slots > 0 {
                if strip.rows() > strip.visible_rows {
                    <Overview array={props.array.clone()} {width} shown={strip.visible_slots()} {move_to} />
                }
                <div class="canvas-strip" id={&props.id} role="listbox" tabindex="0" aria-label={&props.label}
                    aria-activedescendant={slot_id.clone()} {onpointermove} {onpointerleave}
                    {onpointerup} {onkeydown} ref={listener}>
                    <div role="option" id={slot_id} aria-selected="true" class="lit" style={at.map(cell_style)}
                        aria-posinset={number} aria-setsize={slots.to_string()}>
                        <span class="sr-only">{cell_description}</span>
                    </div>
                    <SceneStack base={(*base).clone()} overlay={(*overlay).clone()} />
                </div>
            }
            if slots == 0 {
                <p class="dim">{context.text_of_key("empty-memory")}</p>
            }
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct OverviewProps {
    array: SharedArray,
    width: f64,
    shown: std::ops::Range<i64>,
    move_to: Callback<i64>,
}

/// An overview of all memory on one line, with the visible part; a click moves there.
#[component]
fn Overview(props: &OverviewProps) -> Html {
    use crate::view::pixels::px;
    use crate::view::scene::{Ink, Rect, Scene, Stroke};
    const HEIGHT: f64 = 18.0;
    let context = use_app_context();
    let (width, cells) = (props.width, props.array.0.memory_map().slot_count());
    let base = use_memo((props.array.clone(), width), |(array, width)| {
        SharedScene(Rc::new(overview(&array.0, *width, HEIGHT)))
    });
    let overlay = use_memo((props.shown.clone(), width, cells), |(shown, width, cells)| {
        let mut scene = Scene::new(*width, HEIGHT);
        let at = |slot: i64| px(slot) * width / px((*cells).max(1));
        let rect = Rect::new(at(shown.start), 1.0, (at(shown.end) - at(shown.start)).max(6.0), HEIGHT - 2.0);
        scene.outline(rect, 1.0, Stroke::solid(Ink::Background, 4.0));
        scene.outline(rect, 1.0, Stroke::solid(Ink::Select, 2.0));
        SharedScene(Rc::new(scene))
    });
    let (move_to, listener) = (props.move_to.clone(), use_node_ref());
    let node = listener.clone();
    let move_to = move |event: &PointerEvent| {
        move_to.emit(strip::overview_slot(position_of(event, &listener).x, width, cells));
    };
    let onpointerdown = {
        let move_to = move_to.clone();
        Callback::from(move |event: PointerEvent| move_to(&event))
    };
    let onpointermove = Callback::from(move |event: PointerEvent| {
        if event.buttons() & 1 == 1 {
            move_to(&event);
        }
    });
    html! {
        <div class="overview" role="img" ref={node} aria-label={context.text_of_key("overview")} {onpointerdown} {onpointermove}>
            <SceneStack base={(*base).clone()} overlay={(*overlay).clone()} />
        </div>
    }
}
