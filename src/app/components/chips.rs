//! `minor_to_major` as chips to drag: the dimension that changes fastest is first.
//!
//! Every drag has a keyboard and a button alternative: Alt+arrows on a focused chip, and two buttons on each.

use std::cell::RefCell;
use std::rc::Rc;

use web_sys::{DragEvent, HtmlElement, KeyboardEvent};
use yew::prelude::*;

use crate::app::context::{Context, dimension_class, use_app_context};
use crate::app::keys;
use crate::array::ArrayShape;
use crate::array::memory::MemoryMap;
use crate::i18n::Message;
use crate::interaction::chips::{Command, Drag, Side, command};
use crate::state::session::Action;

/// Maximum number of chips with arrows between them and a button on either side; if there are more, they are narrower.
const MAX_WIDE_CHIPS: usize = 3;

/// Maximum number of chips in view; a longer list scrolls.
const MAX_CHIPS_IN_VIEW: usize = 8;

/// Properties of [`Chips`].
#[derive(Clone, PartialEq, Properties)]
pub struct ChipsProps {
    /// The shown array.
    pub array: ArrayShape,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// The state that the chips share.
#[derive(Clone)]
struct Order {
    /// The position to focus after rendering: that of a chip that was moved by a key or button.
    pending_focus: Rc<RefCell<Option<usize>>>,
    drag: UseStateHandle<Drag>,
    dispatch: Callback<Action>,
    count: usize,
}

impl Order {
    fn move_chip(&self, from: usize, to: usize) {
        if to < self.count && to != from {
            *self.pending_focus.borrow_mut() = Some(to);
            self.dispatch.emit(Action::MoveInOrder { from, to });
        }
    }
}

/// Moves the focus with a chip that was moved by a key or button.
#[hook]
fn use_pending_focus(list: &NodeRef) -> Rc<RefCell<Option<usize>>> {
    let pending_focus = use_mut_ref(|| None::<usize>);
    {
        let (list, pending_focus) = (list.clone(), pending_focus.clone());
        use_effect(move || {
            if let Some(position) = pending_focus.borrow_mut().take()
                && let Some(chips) = list.cast::<web_sys::Element>()
                && let Ok(Some(chip)) = chips.query_selector(&format!("[data-position=\"{position}\"]"))
                && let Ok(chip) = wasm_bindgen::JsCast::dyn_into::<HtmlElement>(chip)
            {
                let _ = chip.focus();
            }
        });
    }
    pending_focus
}

/// The order of dimensions in memory.
#[component]
pub fn Chips(props: &ChipsProps) -> Html {
    let context = use_app_context();
    let drag = use_state_eq(Drag::default);
    let list = use_node_ref();
    let pending_focus = use_pending_focus(&list);
    let Ok(map) = MemoryMap::new(&props.array) else { return Html::default() };
    let dimensions = map.minor_to_major().to_vec();
    if dimensions.is_empty() {
        return Html::default();
    }
    let order = Order { pending_focus, drag, dispatch: props.dispatch.clone(), count: dimensions.len() };
    let narrow = (dimensions.len() > MAX_WIDE_CHIPS).then_some("narrow");
    let scrolls = (dimensions.len() > MAX_CHIPS_IN_VIEW).then_some("scrolls");
    let chips = dimensions.iter().enumerate().map(|(position, &d)| chip(&context, &order, &map, position, d));
    html! {
        <section aria-labelledby="h-order">
            <h2 id="h-order">{context.text_of_key("minor-to-major")}</h2>
            <ol class={classes!("chips", "order", narrow, scrolls)} ref={list}>{for chips}</ol>
            <div class="ends"><span>{context.text_of_key("changes-fastest")}</span><span>{context.text_of_key("changes-slowest")}</span></div>
        </section>
    }
}

/// The listeners of a chip.
struct Listeners {
    onkeydown: Callback<KeyboardEvent>,
    ondragstart: Callback<DragEvent>,
    ondragover: Callback<DragEvent>,
    ondrop: Callback<DragEvent>,
    ondragend: Callback<DragEvent>,
}

fn listeners(order: &Order, position: usize, d: usize) -> Listeners {
    let onkeydown = {
        let order = order.clone();
        Callback::from(move |event: KeyboardEvent| {
            let Some(command) = command(position, order.count, &keys::key(&event)) else { return };
            event.prevent_default();
            event.stop_propagation();
            if let Command::Move(to) = command {
                order.move_chip(position, to);
            }
        })
    };
    let ondragstart = {
        let drag = order.drag.clone();
        Callback::from(move |event: DragEvent| {
            if let Some(data) = event.data_transfer() {
                // Firefox does not start a drag without data.
                let _ = data.set_data("text/plain", &d.to_string());
                data.set_effect_allowed("move");
            }
            drag.set(Drag::start(position));
        })
    };
    let ondragover = {
        let drag = order.drag.clone();
        Callback::from(move |event: DragEvent| {
            if let Some(over) = drag.over(position) {
                event.prevent_default();
                drag.set(over);
            }
        })
    };
    let ondrop = {
        let order = order.clone();
        Callback::from(move |event: DragEvent| {
            event.prevent_default();
            if let Some(from) = order.drag.dragged {
                order.dispatch.emit(Action::MoveInOrder { from, to: position });
            }
            order.drag.set(Drag::default());
        })
    };
    let ondragend = {
        let drag = order.drag.clone();
        Callback::from(move |_: DragEvent| drag.set(Drag::default()))
    };
    Listeners { onkeydown, ondragstart, ondragover, ondrop, ondragend }
}

/// The chip of a dimension at a position of the order.
fn chip(context: &Context, order: &Order, map: &MemoryMap, position: usize, d: usize) -> Html {
    let Listeners { onkeydown, ondragstart, ondragover, ondrop, ondragend } = listeners(order, position, d);
    let step = |key: &'static str, to: Option<usize>, arrow: &'static str| {
        let order_to = order.clone();
        let label = context.text(&Message::new(key).with("dimension", d));
        let onclick = Callback::from(move |_: MouseEvent| {
            if let Some(to) = to {
                order_to.move_chip(position, to);
            }
        });
        html! {
            <button class="nudge" disabled={to.is_none_or(|to| to >= order.count)} aria-label={label.clone()}
                title={label} {onclick}>
                {arrow}
            </button>
        }
    };
    let (size, padded) = (map.sizes()[d], map.padded_sizes()[d]);
    let sizes = if padded == size { size.to_string() } else { format!("{size} → {padded}") };
    let stride = map.strides().map(|strides| {
        let word = context.text_of_key("stride");
        let title = format!("{word} {}", strides[d]);
        html! { <small {title}><span class="word">{word}{" "}</span>{strides[d]}</small> }
    });
    let class = classes!(
        "chip",
        format!("c{}", d % 6),
        (d >= 6).then_some("again"),
        (order.drag.dragged == Some(position)).then_some("dragged")
    );
    let insertion = order.drag.insertion(position).map(|side| match side {
        Side::Before => "insert-before",
        Side::After => "insert-after",
    });
    html! {
        <li key={d} class={classes!(insertion)}>
            <div {class} tabindex="0" role="group" draggable="true" data-position={position.to_string()}
                data-dimension={d.to_string()}
                aria-label={context.text(&Message::new("chip").with("dimension", d).with("position", position + 1)
                    .with("count", order.count))}
                aria-keyshortcuts="Alt+ArrowLeft Alt+ArrowRight"
                {onkeydown} {ondragstart} {ondragover} {ondrop} {ondragend}>
                <b class={dimension_class(d)}>{format!("d{d}")}</b>
                <small title={sizes.clone()}>{sizes.clone()}</small>
                {stride}
                <span class="nudges">
                    {step("move-minor", position.checked_sub(1), "‹")}
                    {step("move-major", Some(position + 1), "›")}
                </span>
            </div>
        </li>
    }
}
