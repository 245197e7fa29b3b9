//! The catalogue of ops, by category and with a search field. Choosing one loads its first example.
//!
//! The list is one tab stop: arrow keys, Home and End move within it, and between it and the search field.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use crate::app::components::select::use_chosen;
use crate::app::context::{Context, use_app_context};
use crate::i18n::Message;
use crate::ops::{self, Category, OpMeta};
use crate::state::experiment::preset;

/// The categories in display order, with the message keys of their names.
const CATEGORIES: [(Category, &str); 11] = [
    (Category::Movement, "category-movement"),
    (Category::Reduction, "category-reduction"),
    (Category::Contraction, "category-contraction"),
    (Category::Unary, "category-unary"),
    (Category::Binary, "category-binary"),
    (Category::Conversion, "category-conversion"),
    (Category::Control, "category-control"),
    (Category::Collective, "category-collective"),
    (Category::Outside, "category-outside"),
    (Category::Tuple, "category-tuple"),
    (Category::Source, "category-source"),
];

/// Properties of [`Catalogue`].
#[derive(Clone, PartialEq, Properties)]
pub struct CatalogueProps {
    /// The opcode of the selected op.
    pub current: AttrValue,
}

/// The catalogue.
#[component]
pub fn Catalogue(props: &CatalogueProps) -> Html {
    let context = use_app_context();
    let wanted = use_state_eq(String::new);
    let oninput = {
        let wanted = wanted.clone();
        Callback::from(move |event: InputEvent| {
            wanted.set(event.target_unchecked_into::<HtmlInputElement>().value());
        })
    };
    let found: Vec<(&'static str, Vec<&'static OpMeta>)> = CATEGORIES
        .iter()
        .map(|(category, name)| {
            (*name, started(*category).into_iter().filter(|meta| fits(meta, &wanted, &context)).collect())
        })
        .filter(|(_, found): &(_, Vec<_>)| !found.is_empty())
        .collect();
    let reached = use_state_eq(|| None::<String>);
    let all = || found.iter().flat_map(|(_, found)| found).map(|meta| meta.opcode);
    // The tab stop: the last focused entry, the selected op, or the first one.
    let stop = [(*reached).as_deref(), Some(props.current.as_str())];
    let stop = stop.into_iter().flatten().find_map(|wanted| all().find(|opcode| *opcode == wanted));
    let stop = stop.or(all().next()).unwrap_or_default();
    let count = all().count();
    let shown = Entries { current: &props.current, wanted: &wanted, stop };
    let groups: Vec<Html> = found.iter().map(|(name, found)| group(&context, name, found, shown)).collect();
    let onfocusin = Callback::from(move |event: FocusEvent| {
        let entry = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if let Some(opcode) = entry.and_then(|entry| entry.get_attribute("title")) {
            reached.set(Some(opcode));
        }
    });
    let choices = CATEGORIES.iter().map(|(category, name)| {
        let found = started(*category);
        let options = found.into_iter().map(|meta| {
            html! { <option value={meta.opcode} selected={meta.opcode == props.current.as_str()}>{meta.title}</option> }
        });
        html! { <optgroup label={context.text(&Message::engine(name))}>{for options}</optgroup> }
    });
    let node = use_chosen(props.current.to_string());
    let list = use_node_ref();
    {
        let list = list.clone();
        use_effect_with(props.current.clone(), move |_| reveal(&list));
    }
    let onchange = Callback::from(|event: Event| {
        let opcode = event.target_unchecked_into::<HtmlSelectElement>().value();
        let _ = gloo::utils::window().location().set_hash(&address(&opcode));
    });
    let onkeydown = {
        let list = list.clone();
        Callback::from(move |event: KeyboardEvent| moved(&list, &event))
    };
    let sentence = Message::engine("found-ops").with("count", count);
    html! {
        <>
        <label class="chooser"><span class="sr-only">{context.text(&Message::engine("choose-op"))}</span>
            <select class="btn" id="choose-op" ref={node} {onchange}>{for choices}</select></label>
        <nav class="catalogue" ref={list} {onkeydown} aria-label={context.text(&Message::engine("catalogue"))}>
            <input class="text" id="find-op" type="search" placeholder={context.text(&Message::engine("find-op"))}
                aria-label={context.text(&Message::engine("find-op"))} value={(*wanted).clone()} {oninput}
                autocomplete="off" spellcheck="false" aria-describedby="find-keys" />
            <span class="sr-only" id="find-keys">{context.text(&Message::engine("find-keys"))}</span>
            // A separate element: otherwise a change of the list's length would recreate the search field during
            // typing.
            <div class="groups" {onfocusin}>{for groups}</div>
            <p class={if count == 0 { "dim" } else { "sr-only" }} role="status" id="found-ops">
                if !wanted.is_empty() { {context.text(&if count == 0 { Message::engine("no-such-op") } else { sentence })} }
            </p>
        </nav>
        </>
    }
}

/// Focuses the search field, or the list of ops on narrow screens, which have no search field.
pub fn find() {
    let element = |id: &str| gloo::utils::document().get_element_by_id(id)?.dyn_into::<HtmlElement>().ok();
    let seen = |element: &HtmlElement| element.offset_width() > 0;
    if let Some(element) = ["find-op", "choose-op"].into_iter().filter_map(element).find(seen) {
        let _ = element.focus();
    }
}

/// Scrolls only the list, to the selected op.
fn reveal(list: &NodeRef) {
    let Some(list) = list.cast::<HtmlElement>() else { return };
    let here = list.query_selector(".op[aria-current]").ok().flatten();
    let Some(here) = here.and_then(|here| here.dyn_into::<HtmlElement>().ok()) else { return };
    let (top, seen) = (here.offset_top(), list.client_height());
    if !(list.scroll_top()..list.scroll_top() + seen - here.offset_height()).contains(&top) {
        list.set_scroll_top(top - seen / 2);
    }
}

/// Moves the focus within the list, and between it and the search field; Enter in the field opens the first match.
fn moved(list: &NodeRef, event: &KeyboardEvent) {
    let Some(list) = list.cast::<Element>() else { return };
    let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
    let Ok(found) = list.query_selector_all(".op") else { return };
    let entry = |number: u32| found.get(number)?.dyn_into::<HtmlElement>().ok();
    let end = found.length().saturating_sub(1);
    let at = (0..found.length())
        .find(|number| entry(*number).is_some_and(|entry| entry.is_same_node(Some(target.as_ref()))));
    let to = match (event.key().as_str(), at) {
        _ if event.alt_key() || event.ctrl_key() || event.meta_key() || event.shift_key() => return,
        ("ArrowDown", None) | ("Home", Some(_)) => entry(0),
        ("Enter", None) => {
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

/// The ops of a category that have an example, sorted by name.
fn started(category: Category) -> Vec<&'static OpMeta> {
    let of = |meta: &&OpMeta| meta.category == category && !meta.examples.is_empty();
    let mut found: Vec<&OpMeta> = ops::all().map(ops::OpDef::meta).filter(of).collect();
    found.sort_by_key(|meta| meta.title.to_lowercase());
    found
}

/// The link to the first example of an op.
fn address(opcode: &str) -> String {
    match ops::find(opcode).map_or(0, preset::default_example) {
        0 => format!("ops1/@{opcode}"),
        number => format!("ops1/@{opcode}.{number}"),
    }
}

/// A name with line-break opportunities before its capitals.
fn breakable(name: &'static str) -> Html {
    let is_start = |at: usize| {
        let (before, here) = (name[..at].chars().next_back(), name[at..].chars().next());
        // A name of several words breaks between them.
        !name.contains(' ') && before.is_some_and(char::is_lowercase) && here.is_some_and(char::is_uppercase)
    };
    let mut starts: Vec<usize> = name.char_indices().map(|(at, _)| at).filter(|at| is_start(*at)).collect();
    starts.insert(0, 0);
    let ends = starts.iter().skip(1).copied().chain([name.len()]);
    let parts = starts.iter().zip(ends).map(|(start, end)| html! { <>{&name[*start..end]}<wbr /></> });
    html! { <>{for parts}</> }
}

/// How entries are displayed.
#[derive(Clone, Copy)]
struct Entries<'a> {
    /// The selected op.
    current: &'a str,
    /// The search text.
    wanted: &'a str,
    /// The opcode of the tab stop.
    stop: &'a str,
}

/// Whether every word of the search text occurs in the op's names or summary.
fn fits(meta: &OpMeta, wanted: &str, context: &Context) -> bool {
    let summary = context.text(&Message::engine(meta.summary));
    let all = format!("{} {summary}", meta.called().collect::<Vec<_>>().join(" ")).to_lowercase();
    wanted.to_lowercase().split_whitespace().all(|word| all.contains(word))
}

/// The alias of the op that matches the search text, if the displayed names do not.
fn sought(meta: &OpMeta, wanted: &str) -> Option<&'static str> {
    let wanted = wanted.trim().to_lowercase();
    let has = |name: &&str| name.to_lowercase().contains(&wanted);
    if wanted.is_empty() || [meta.title, meta.opcode].iter().any(has) {
        return None;
    }
    meta.called().find(has)
}

fn group(context: &Context, name: &'static str, found: &[&'static OpMeta], shown: Entries) -> Html {
    let Entries { current, wanted, stop } = shown;
    let entries = found.iter().map(|meta| {
        // XLA's documentation uses one name for ops that HLO distinguishes.
        let name = if found.iter().filter(|other| other.title == meta.title).count() > 1 {
            meta.opcode
        } else {
            meta.title
        };
        let here = (meta.opcode == current).then_some("page");
        html! {
            <li key={meta.opcode}>
                <a class="op" href={format!("#{}", address(meta.opcode))} aria-current={here} title={meta.opcode}
                    tabindex={if meta.opcode == stop { "0" } else { "-1" }}>
                    {breakable(name)}
                    if let Some(sought) = sought(meta, wanted) { {" "}<small class="dim">{sought}</small> }
                </a>
            </li>
        }
    });
    html! {
        <section key={name}>
            <h2>{context.text(&Message::engine(name))}</h2>
            <ul>{for entries}</ul>
        </section>
    }
}
