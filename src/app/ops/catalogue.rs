//! The catalogue of ops with a search field, in one of two orders ([`lists`]). Choosing one loads its first example.
//!
//! The list is one tab stop: arrow keys, Home and End move within it, and between it and the search field.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::lists::{self, Group, Order};
use super::op_opener::OpOpener;
use crate::app::components::follow::scroll_to_current;
use crate::app::components::select::use_select_value;
use crate::app::context::{Context, use_app_context};
use crate::app::keys;
use crate::app::link;
use crate::i18n::Message;

/// Properties of [`Catalogue`].
#[derive(Clone, PartialEq, Properties)]
pub struct CatalogueProps {
    /// The opcode of the selected op.
    pub current: AttrValue,
    /// The documentation entry from which the experiment was opened, if any.
    pub entry: Option<&'static str>,
    /// The order of the list.
    pub order: UseStateHandle<Order>,
    /// Opens the op that the user chooses.
    pub opener: OpOpener,
}

/// The order of the list: the one chosen in this browser tab, or initially the one that the experiment was opened from.
#[hook]
pub fn use_order(is_entry: bool) -> UseStateHandle<Order> {
    use_state_eq(|| {
        let initial = if is_entry { Order::Documentation } else { Order::Categories };
        link::stored_catalogue_order().and_then(|name| Order::from_name(&name)).unwrap_or(initial)
    })
}

/// Changes the order, and stores it for the next visit to the screen.
fn choose_order(order: &UseStateHandle<Order>, chosen: Order) {
    link::store_catalogue_order(chosen.name());
    order.set(chosen);
}

/// The catalogue of ops, with a search field.
#[component]
pub fn Catalogue(props: &CatalogueProps) -> Html {
    let context = use_app_context();
    let search = use_state_eq(String::new);
    let oninput = {
        let search = search.clone();
        Callback::from(move |event: InputEvent| {
            search.set(event.target_unchecked_into::<HtmlInputElement>().value());
        })
    };
    let order = props.order.clone();
    let found = lists::groups(*order, &search, &context);
    let current = match *order {
        Order::Categories => props.current.as_str(),
        Order::Documentation => props.entry.unwrap_or_default(),
    };
    let last_focused = use_state_eq(|| None::<String>);
    let ids = || found.iter().flat_map(|group| &group.items).map(|item| item.id);
    // The tab stop: the last focused item, the selected one, or the first.
    let stop = [(*last_focused).as_deref(), Some(current)];
    let stop = stop.into_iter().flatten().find_map(|candidate| ids().find(|id| *id == candidate));
    let stop = stop.or(ids().next()).unwrap_or_default();
    let count = ids().count();
    let groups: Vec<Html> = found.iter().map(|found| group(found, ListFocus { current, stop })).collect();
    let onfocusin = Callback::from(move |event: FocusEvent| {
        let entry = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if let Some(id) = entry.and_then(|entry| entry.get_attribute("data-id")) {
            last_focused.set(Some(id));
        }
    });
    let choices =
        [Order::Documentation, Order::Categories].into_iter().map(|order| choices(&context, order, props));
    let node = use_select_value(props.entry.unwrap_or(&props.current).to_owned());
    let list = use_node_ref();
    {
        let list = list.clone();
        use_effect_with((props.current.clone(), props.entry, *order), move |_| {
            scroll_to_current(&list, ".op[aria-current]");
        });
    }
    let onchange = {
        let opener = props.opener.clone();
        Callback::from(move |event: Event| {
            let id = event.target_unchecked_into::<HtmlSelectElement>().value();
            if !opener.open(&id) {
                let _ = gloo::utils::window().location().set_hash(&lists::address(&id));
            }
        })
    };
    let onclick = props.opener.on_link_click();
    let onkeydown = {
        let list = list.clone();
        Callback::from(move |event: KeyboardEvent| handle_key(&list, &event))
    };
    let found_count = Message::ops("found-ops").with("count", count);
    html! {
        <>
        <label class="chooser"><span class="sr-only">{context.text(&Message::ops("choose-op"))}</span>
            <select class="btn" id="choose-op" ref={node} {onchange}>
                if props.current.is_empty() {
                    <option value="" selected=true disabled=true>{context.text(&Message::ops("choose-op"))}</option>
                }
                {for choices}
            </select></label>
        <nav class="catalogue" ref={list} {onkeydown} aria-label={context.text(&Message::ops("catalogue"))}>
            <div class="catalogue-head">
                {orders(&context, &order)}
                <input class="text" id="find-op" type="search" placeholder={context.text(&Message::ops("find-op"))}
                    aria-label={context.text(&Message::ops("find-op"))} value={(*search).clone()} {oninput}
                    autocomplete="off" spellcheck="false" aria-describedby="find-keys" />
            </div>
            <span class="sr-only" id="find-keys">{context.text(&Message::ops("find-keys"))}</span>
            // A separate element: otherwise a change of the list's length would recreate the search field during
            // typing.
            <div class="groups" {onfocusin} {onclick}>{for groups}</div>
            <p class={if count == 0 { "dim" } else { "sr-only" }} role="status" id="found-ops">
                if !search.is_empty() { {context.text(&if count == 0 { Message::ops("no-such-op") } else { found_count })} }
            </p>
            {found_in_all(&context, &order, &search, count)}
        </nav>
        </>
    }
}

/// A button that shows the ops of the whole catalogue that match the search text, if there are more of them than in the current order.
fn found_in_all(context: &Context, order: &UseStateHandle<Order>, search: &str, shown_count: usize) -> Html {
    if **order == Order::Categories || search.is_empty() {
        return Html::default();
    }
    let count: usize = lists::groups(Order::Categories, search, context).iter().map(|g| g.items.len()).sum();
    if count <= shown_count {
        return Html::default();
    }
    let order = order.clone();
    let onclick = Callback::from(move |_: MouseEvent| choose_order(&order, Order::Categories));
    html! {
        <button class="btn small" id="find-in-all" {onclick}>
            {context.text(&Message::ops("find-in-all").with("count", count))}
        </button>
    }
}

/// The choice of the order.
fn orders(context: &Context, order: &UseStateHandle<Order>) -> Html {
    let button = |to: Order, id: &'static str, name: &'static str| {
        let order = order.clone();
        let is_chosen = *order == to;
        let onclick = Callback::from(move |_: MouseEvent| choose_order(&order, to));
        html! {
            <button class="tab" {id} aria-pressed={is_chosen.to_string()} {onclick}>
                {context.text(&Message::ops(name))}
            </button>
        }
    };
    html! {
        <div class="orders tabs" role="group" aria-label={context.text(&Message::ops("catalogue-order"))}>
            {button(Order::Documentation, "by-documents", "catalogue-documents")}
            {button(Order::Categories, "all-ops", "catalogue-all")}
        </div>
    }
}

/// An order of the catalogue as options of the select on narrow screens.
fn choices(context: &Context, order: Order, props: &CatalogueProps) -> Html {
    let groups = lists::groups(order, "", context).into_iter().map(|group| {
        let options = group.items.into_iter().map(|item| {
            let is_chosen = match order {
                Order::Documentation => props.entry == Some(item.id),
                Order::Categories => props.entry.is_none() && props.current == item.id,
            };
            html! { <option value={item.id} selected={is_chosen}>{item.name}</option> }
        });
        let label =
            group.heading.unwrap_or_else(|| context.text(&Message::ops("catalogue-documents")).to_string());
        html! { <optgroup {label}>{for options}</optgroup> }
    });
    html! { <>{for groups}</> }
}

/// Focuses the search field, or the list of ops on narrow screens, which have no search field.
pub fn focus_search() {
    let element = |id: &str| gloo::utils::document().get_element_by_id(id)?.dyn_into::<HtmlElement>().ok();
    let is_visible = |element: &HtmlElement| element.offset_width() > 0;
    if let Some(element) = ["find-op", "choose-op"].into_iter().filter_map(element).find(is_visible) {
        let _ = element.focus();
    }
}

/// Moves the focus within the list, and between it and the search field; Enter in the field opens the first match.
fn handle_key(list: &NodeRef, event: &KeyboardEvent) {
    let Some(list) = list.cast::<Element>() else { return };
    let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
    let Ok(found) = list.query_selector_all(".op") else { return };
    let entry = |number: u32| found.get(number)?.dyn_into::<HtmlElement>().ok();
    let end = found.length().saturating_sub(1);
    let at = (0..found.length())
        .find(|number| entry(*number).is_some_and(|entry| entry.is_same_node(Some(target.as_ref()))));
    let to = match (keys::name(event).as_str(), at) {
        _ if event.alt_key() || event.ctrl_key() || event.meta_key() || event.shift_key() => return,
        ("ArrowDown", None) | ("Home", Some(_)) => entry(0),
        // Enter on the buttons above the field presses them.
        ("Enter", None) if target.id() == "find-op" => {
            if let Some(first) = entry(0) {
                first.click();
                event.prevent_default();
            }
            return;
        }
        ("ArrowDown", Some(at)) => entry((at + 1).min(end)),
        ("ArrowUp", Some(0)) => list.query_selector("input").ok().flatten().and_then(|e| e.dyn_into().ok()),
        ("ArrowUp", Some(at)) => entry(at - 1),
        ("End", Some(_)) => entry(end),
        _ => return,
    };
    if let Some(to) = to {
        let _ = to.focus();
        event.prevent_default();
    }
}

/// A name with line-break opportunities before its capitals.
fn name_with_breaks(name: &'static str) -> Html {
    let is_start = |at: usize| {
        let (before, after) = (name[..at].chars().next_back(), name[at..].chars().next());
        // A name of several words breaks between them.
        !name.contains(' ') && before.is_some_and(char::is_lowercase) && after.is_some_and(char::is_uppercase)
    };
    let mut starts: Vec<usize> = name.char_indices().map(|(at, _)| at).filter(|at| is_start(*at)).collect();
    starts.insert(0, 0);
    let ends = starts.iter().skip(1).copied().chain([name.len()]);
    let parts = starts.iter().zip(ends).map(|(start, end)| html! { <>{&name[*start..end]}<wbr /></> });
    html! { <>{for parts}</> }
}

/// The distinguished entries of the list.
#[derive(Clone, Copy)]
struct ListFocus<'a> {
    /// The id of the selected op or entry.
    current: &'a str,
    /// The id of the tab stop.
    stop: &'a str,
}

/// A group of the list.
fn group(group: &Group, focus: ListFocus) -> Html {
    let ListFocus { current, stop } = focus;
    let items = group.items.iter().map(|item| {
        let is_current = (item.id == current).then_some("page");
        html! {
            <li key={item.id}>
                <a class="op" href={format!("#{}", lists::address(item.id))} aria-current={is_current} title={item.id} data-id={item.id}
                    tabindex={if item.id == stop { "0" } else { "-1" }}>
                    {name_with_breaks(item.name)}
                    if let Some(matched) = item.matched { {" "}<small class="dim">{matched}</small> }
                </a>
            </li>
        }
    });
    let key = group.items.first().map_or("", |item| item.id);
    html! {
        <section {key}>
            if let Some(heading) = &group.heading { <h2>{heading}</h2> }
            <ul>{for items}</ul>
        </section>
    }
}
