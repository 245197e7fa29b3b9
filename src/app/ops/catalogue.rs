//! Every op, by category and searchable; choosing one starts its first example.

use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use crate::app::components::select::use_chosen;
use crate::app::context::{Context, use_say};
use crate::i18n::Message;
use crate::ops::{self, Category, OpMeta};

/// The categories in the order they are shown, with the keys of their names.
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
    /// The opcode that is looked at.
    pub current: AttrValue,
}

/// The catalogue.
#[component]
pub fn Catalogue(props: &CatalogueProps) -> Html {
    let context = use_say();
    let wanted = use_state_eq(String::new);
    let oninput = {
        let wanted = wanted.clone();
        Callback::from(move |event: InputEvent| {
            wanted.set(event.target_unchecked_into::<HtmlInputElement>().value());
        })
    };
    let groups: Vec<Html> = CATEGORIES
        .iter()
        .filter_map(|(category, name)| {
            let mut found: Vec<&OpMeta> =
                started(*category).filter(|meta| fits(meta, &wanted, &context)).collect();
            found.sort_by_key(|meta| meta.title.to_lowercase());
            (!found.is_empty()).then(|| group(&context, name, &found, (&props.current, &wanted)))
        })
        .collect();
    let none = groups.is_empty();
    let choices = CATEGORIES.iter().map(|(category, name)| {
        let mut found: Vec<&OpMeta> = started(*category).collect();
        found.sort_by_key(|meta| meta.title.to_lowercase());
        let options = found.into_iter().map(|meta| {
            html! { <option value={meta.opcode} selected={meta.opcode == props.current.as_str()}>{meta.title}</option> }
        });
        html! { <optgroup label={context.tell(&Message::engine(name))}>{for options}</optgroup> }
    });
    let node = use_chosen(props.current.to_string());
    let list = use_node_ref();
    {
        let list = list.clone();
        use_effect_with(props.current.clone(), move |_| reveal(&list));
    }
    let onchange = Callback::from(|event: Event| {
        let opcode = event.target_unchecked_into::<HtmlSelectElement>().value();
        let _ = gloo::utils::window().location().set_hash(&format!("ops1/@{opcode}"));
    });
    html! {
        <>
        <label class="chooser"><span class="sr-only">{context.tell(&Message::engine("choose-op"))}</span>
            <select class="btn" id="choose-op" ref={node} {onchange}>{for choices}</select></label>
        <nav class="catalogue" ref={list} aria-label={context.tell(&Message::engine("catalogue"))}>
            <input class="text" id="find-op" type="search" placeholder={context.tell(&Message::engine("find-op"))}
                aria-label={context.tell(&Message::engine("find-op"))} value={(*wanted).clone()} {oninput}
                autocomplete="off" spellcheck="false" />
            // In an element of its own: a list that changes its length would make the field anew while it is typed in.
            <div class="groups">{for groups}</div>
            if none { <p class="dim" role="status">{context.tell(&Message::engine("no-such-op"))}</p> }
        </nav>
        </>
    }
}

/// Moves the focus to the field that finds an op, or to the list of them where there is no room for the field.
pub fn find() {
    let element = |id: &str| gloo::utils::document().get_element_by_id(id)?.dyn_into::<HtmlElement>().ok();
    let seen = |element: &HtmlElement| element.offset_width() > 0;
    if let Some(element) = ["find-op", "choose-op"].into_iter().filter_map(element).find(seen) {
        let _ = element.focus();
    }
}

/// Scrolls the list, and nothing else, to the op that is looked at.
fn reveal(list: &NodeRef) {
    let Some(list) = list.cast::<HtmlElement>() else { return };
    let here = list.query_selector(".op[aria-current]").ok().flatten();
    let Some(here) = here.and_then(|here| here.dyn_into::<HtmlElement>().ok()) else { return };
    let (top, seen) = (here.offset_top(), list.client_height());
    if !(list.scroll_top()..list.scroll_top() + seen - here.offset_height()).contains(&top) {
        list.set_scroll_top(top - seen / 2);
    }
}

/// The ops of a category that have an example to start from.
fn started(category: Category) -> impl Iterator<Item = &'static OpMeta> {
    ops::all()
        .map(ops::OpDef::meta)
        .filter(move |meta| meta.category == category && !meta.examples.is_empty())
}

/// Whether every word that is looked for stands in the op's names or in what it does.
fn fits(meta: &OpMeta, wanted: &str, context: &Context) -> bool {
    let summary = context.tell(&Message::engine(meta.summary));
    let all = format!("{} {summary}", meta.called().collect::<Vec<_>>().join(" ")).to_lowercase();
    wanted.to_lowercase().split_whitespace().all(|word| all.contains(word))
}

/// The further name of the op that was looked for, where the ones that are shown do not have it.
fn sought(meta: &OpMeta, wanted: &str) -> Option<&'static str> {
    let wanted = wanted.trim().to_lowercase();
    let has = |name: &&str| name.to_lowercase().contains(&wanted);
    if wanted.is_empty() || [meta.title, meta.opcode].iter().any(has) {
        return None;
    }
    meta.called().find(has)
}

fn group(context: &Context, name: &'static str, found: &[&OpMeta], (current, wanted): (&str, &str)) -> Html {
    let entries = found.iter().map(|meta| {
        // The documents have one name for what HLO splits.
        let name = if found.iter().filter(|other| other.title == meta.title).count() > 1 {
            meta.opcode
        } else {
            meta.title
        };
        let here = (meta.opcode == current).then_some("page");
        html! {
            <li key={meta.opcode}>
                <a class="op" href={format!("#ops1/@{}", meta.opcode)} aria-current={here} title={meta.opcode}>
                    {name}
                    if let Some(sought) = sought(meta, wanted) { {" "}<small class="dim">{sought}</small> }
                </a>
            </li>
        }
    });
    html! {
        <section key={name}>
            <h2>{context.tell(&Message::engine(name))}</h2>
            <ul>{for entries}</ul>
        </section>
    }
}
