//! `minor_to_major` as chips to drag: the dimension that changes fastest stands first.
//!
//! Every drag has a way without dragging: Alt+arrows on a focused chip, and two buttons on each.

use web_sys::{DragEvent, HtmlElement, KeyboardEvent};
use yew::prelude::*;

use crate::app::context::use_say;
use crate::array::ArrayShape;
use crate::array::memory::MemoryMap;
use crate::i18n::Message;
use crate::state::session::Action;

/// Properties of [`Chips`].
#[derive(Clone, PartialEq, Properties)]
pub struct ChipsProps {
    /// The array that is looked at.
    pub array: ArrayShape,
    /// Carries out actions.
    pub dispatch: Callback<Action>,
}

/// The order of dimensions in memory.
#[component]
pub fn Chips(props: &ChipsProps) -> Html {
    let context = use_say();
    let dragged = use_state_eq(|| None::<usize>);
    let over = use_state_eq(|| None::<usize>);
    let list = use_node_ref();
    // After a move by key the focus follows the chip to its new place.
    let follow = use_mut_ref(|| None::<usize>);
    {
        let (list, follow) = (list.clone(), follow.clone());
        use_effect(move || {
            if let Some(place) = follow.borrow_mut().take()
                && let Some(chips) = list.cast::<web_sys::Element>()
                && let Ok(Some(chip)) = chips.query_selector(&format!("[data-place=\"{place}\"]"))
                && let Ok(chip) = wasm_bindgen::JsCast::dyn_into::<HtmlElement>(chip)
            {
                let _ = chip.focus();
            }
        });
    }
    let Ok(map) = MemoryMap::new(&props.array) else { return Html::default() };
    let order = map.minor_to_major().to_vec();
    let count = order.len();
    if count == 0 {
        return Html::default();
    }
    let strides = map.strides();
    let chips = order.iter().enumerate().map(|(place, &d)| {
        let move_to = {
            let (dispatch, follow) = (props.dispatch.clone(), follow.clone());
            Callback::from(move |to: usize| {
                if to < count && to != place {
                    *follow.borrow_mut() = Some(to);
                    dispatch.emit(Action::MoveInOrder { from: place, to });
                }
            })
        };
        let onkeydown = {
            let move_to = move_to.clone();
            Callback::from(move |event: KeyboardEvent| {
                if !event.alt_key() {
                    return;
                }
                let to = match event.key().as_str() {
                    "ArrowLeft" | "ArrowUp" => place.checked_sub(1),
                    "ArrowRight" | "ArrowDown" => Some(place + 1),
                    "Home" => Some(0),
                    "End" => Some(count - 1),
                    _ => return,
                };
                event.prevent_default();
                event.stop_propagation();
                if let Some(to) = to {
                    move_to.emit(to);
                }
            })
        };
        let ondragstart = {
            let dragged = dragged.clone();
            Callback::from(move |event: DragEvent| {
                if let Some(data) = event.data_transfer() {
                    // Firefox drags only what carries data.
                    let _ = data.set_data("text/plain", &d.to_string());
                    data.set_effect_allowed("move");
                }
                dragged.set(Some(place));
            })
        };
        let ondragover = {
            let (dragged, over) = (dragged.clone(), over.clone());
            Callback::from(move |event: DragEvent| {
                if dragged.is_some() {
                    event.prevent_default();
                    over.set(Some(place));
                }
            })
        };
        let ondrop = {
            let (dragged, over, dispatch) = (dragged.clone(), over.clone(), props.dispatch.clone());
            Callback::from(move |event: DragEvent| {
                event.prevent_default();
                if let Some(from) = *dragged {
                    dispatch.emit(Action::MoveInOrder { from, to: place });
                }
                dragged.set(None);
                over.set(None);
            })
        };
        let ondragend = {
            let (dragged, over) = (dragged.clone(), over.clone());
            Callback::from(move |_: DragEvent| {
                dragged.set(None);
                over.set(None);
            })
        };
        let step = |key: &'static str, to: Option<usize>, arrow: &'static str| {
            let move_to = move_to.clone();
            let label = context.tell(&Message::new(key).with("dimension", d));
            html! {
                <button class="nudge" disabled={to.is_none_or(|t| t >= count)} aria-label={label.clone()} title={label}
                    onclick={Callback::from(move |_: MouseEvent| if let Some(to) = to { move_to.emit(to) })}>
                    {arrow}
                </button>
            }
        };
        let size = props.array.dimensions[d];
        let padded = map.padded_sizes()[d];
        let sizes = if padded == size { size.to_string() } else { format!("{size} → {padded}") };
        let stride = strides.as_ref().map(|s| {
            html! { <small>{context.say("stride")}{" "}{s[d]}</small> }
        });
        let class = classes!(
            "chip",
            format!("c{}", d % 6),
            (*dragged == Some(place)).then_some("dragged"),
            (*over == Some(place) && *dragged != Some(place)).then_some("over"),
        );
        html! {
            <li key={d}>
                <div {class} tabindex="0" role="group" draggable="true" data-place={place.to_string()}
                    data-dimension={d.to_string()}
                    aria-label={context.tell(&Message::new("chip").with("dimension", d).with("place", place + 1)
                        .with("count", count))}
                    aria-keyshortcuts="Alt+ArrowLeft Alt+ArrowRight"
                    {onkeydown} {ondragstart} {ondragover} {ondrop} {ondragend}>
                    <b class={format!("d d{}", d % 6)}>{context.say("dim-short")}{" "}{d}</b>
                    <small>{sizes}</small>
                    {stride}
                    <span class="nudges">
                        {step("move-minor", place.checked_sub(1), "‹")}
                        {step("move-major", Some(place + 1), "›")}
                    </span>
                </div>
            </li>
        }
    });
    html! {
        <section aria-labelledby="h-order">
            <h2 id="h-order">{context.say("minor-to-major")}</h2>
            <ol class="chips" ref={list}>{for chips}</ol>
            <div class="ends"><span>{context.say("changes-fastest")}</span><span>{context.say("changes-slowest")}</span></div>
        </section>
    }
}
