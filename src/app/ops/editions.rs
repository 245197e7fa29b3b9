//! The choice of the edition, and the optional comparison with the other one, cell by cell.

use std::rc::Rc;

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use crate::app::components::select::use_chosen;
use crate::app::context::{Context, grouped, use_app_context};
use crate::array::Edition;
use crate::i18n::Message;
use crate::state::experiment::run::editions::{Difference, other_edition};
use crate::state::experiment::session::Action;

/// Properties of [`Editions`].
#[derive(Clone, PartialEq, Properties)]
pub struct EditionsProps {
    /// The selected edition.
    pub edition: Edition,
    /// Whether the other edition is compared.
    pub compares: bool,
    /// Sets `compares`.
    pub compare: Callback<bool>,
    /// The result of the comparison.
    pub difference: Rc<Option<Difference>>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

fn name(context: &Context, edition: Edition) -> AttrValue {
    context.text(&Message::engine(match edition {
        Edition::Now => "edition-now",
        Edition::V2017 => "edition-2017",
    }))
}

/// The sentence about a difference.
fn sentence(context: &Context, props: &EditionsProps) -> Option<AttrValue> {
    let theirs = name(context, other_edition(props.edition)).to_string();
    let message = match (*props.difference).as_ref()? {
        Difference::Refused(why) => {
            Message::engine("editions-refused").with("edition", theirs).with("why", why.clone())
        }
        Difference::NeedsHostCall => Message::engine("editions-call"),
        Difference::Shape(shape) => {
            Message::engine("editions-shape").with("edition", theirs).with("shape", shape.as_str())
        }
        Difference::Cells { total, .. }
            if props.difference.as_ref().as_ref().map_or(0, Difference::count) == 0 =>
        {
            Message::engine("editions-agree").with("all", grouped(*total)).with("count", *total)
        }
        Difference::Cells { cells, total } => {
            let count: usize = cells.iter().map(Vec::len).sum();
            Message::engine("editions-differ").with("count", count).with("all", grouped(*total))
        }
    };
    Some(context.text(&message))
}

/// The most cells whose values are listed.
const LISTED: usize = 8;

/// The choice and the comparison.
#[component]
pub fn Editions(props: &EditionsProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::engine(key));
    let node = use_chosen(if props.edition == Edition::V2017 { "2017" } else { "now" }.to_owned());
    let onchange = props.dispatch.reform(|event: Event| {
        let is_old = event.target_unchecked_into::<HtmlSelectElement>().value() == "2017";
        Action::SetEdition(if is_old { Edition::V2017 } else { Edition::Now })
    });
    let toggle =
        props.compare.reform(|event: Event| event.target_unchecked_into::<HtmlInputElement>().checked());
    let option = |value: &'static str, edition: Edition| {
        html! { <option {value} selected={edition == props.edition}>{name(&context, edition)}</option> }
    };
    let listed = match (*props.difference).as_ref() {
        Some(Difference::Cells { cells, .. }) => cells
            .iter()
            .flatten()
            .take(LISTED)
            .map(|(index, value)| {
                let index = index.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
                html! { <li class="mono">{format!("out[{index}]: {value}")}</li> }
            })
            .collect::<Vec<_>>(),
        _ => Vec::new(),
    };
    html! {
        <section class="editions">
            <h2>{text("edition")}</h2>
            <select class="btn small" id="edition" ref={node} {onchange} aria-label={text("edition")}>
                {option("now", Edition::Now)}{option("2017", Edition::V2017)}
            </select>
            <label class="row"><input type="checkbox" id="compare-editions" checked={props.compares} onchange={toggle} />
                {text("editions-compare")}</label>
            if props.compares {
                <p id="editions-said" role="status">{sentence(&context, props)}</p>
                if !listed.is_empty() {
                    <p class="dim">{context.text(&Message::engine("editions-values").with("edition", name(&context, other_edition(props.edition)).to_string()))}</p>
                    <ul id="editions-cells">{for listed}</ul>
                }
            }
        </section>
    }
}
