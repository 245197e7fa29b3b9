//! The choice of the edition, and the optional comparison with the other edition, cell by cell.

use std::rc::Rc;

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::meta::Meta;
use crate::app::components::select::use_select_value;
use crate::app::context::{Context, grouped, use_app_context};
use crate::array::Edition;
use crate::i18n::Message;
use crate::state::experiment::Experiment;
use crate::state::experiment::preset;
use crate::state::experiment::run::editions::{Difference, Rejection, Rewrite, other_edition};
use crate::state::experiment::session::Action;

fn name(context: &Context, edition: Edition) -> AttrValue {
    context.text(&Message::ops(match edition {
        Edition::Current => "edition-now",
        Edition::V2017 => "edition-2017",
    }))
}

/// The message about a difference.
fn difference_text(context: &Context, props: &ComparisonProps) -> Option<AttrValue> {
    let other_name = name(context, other_edition(props.edition)).to_string();
    let message = match (*props.difference).as_ref()? {
        Difference::Rejected(rejection) => {
            let key = if rejection.is_parse_error { "editions-other-form" } else { "editions-rejected" };
            Message::ops(key).with("edition", other_name).with("why", rejection.reason.clone())
        }
        Difference::NeedsHostCall => Message::ops("editions-call"),
        Difference::Shape(shape) => {
            Message::ops("editions-shape").with("edition", other_name).with("shape", shape.as_str())
        }
        Difference::Cells { element_count, .. }
            if props.difference.as_ref().as_ref().map_or(0, Difference::count) == 0 =>
        {
            Message::ops("editions-agree").with("all", grouped(*element_count)).with("count", *element_count)
        }
        Difference::Cells { cells, element_count } => {
            let count: usize = cells.iter().map(Vec::len).sum();
            Message::ops("editions-differ").with("count", count).with("all", grouped(*element_count))
        }
    };
    Some(context.text(&message))
}

/// A button after a rejection by the other edition: it loads the program rewritten for that edition, or the example of the
/// difference.
fn next_step(context: &Context, props: &ComparisonProps, rejection: &Rejection) -> Html {
    let (label, experiment) = if let Some(Rewrite { first_fix, experiment }) = &rejection.rewrite {
        (first_fix.clone(), experiment.clone())
    } else {
        let other = other_edition(props.edition);
        let example = props.meta.and_then(|meta| preset::edition_example_in(meta.0, other));
        let Some(example) = example else { return Html::default() };
        let label = Message::ops("editions-show-example").with("edition", name(context, other).to_string());
        (label, example)
    };
    // The comparison goes on.
    let experiment = Experiment { compares_editions: true, ..experiment };
    let onclick = props.dispatch.reform(move |_: MouseEvent| Action::Load(Box::new(experiment.clone())));
    html! { <button class="btn small" id="editions-on" {onclick}>{context.text(&label)}</button> }
}

/// Maximum number of cells whose values are listed.
const MAX_LISTED_CELLS: usize = 8;

/// The id of the select element.
pub const EDITION_SELECT_ID: &str = "edition";

/// Properties of [`EditionChoice`].
#[derive(Clone, PartialEq, Properties)]
pub struct EditionChoiceProps {
    /// The selected edition.
    pub edition: Edition,
    /// The error of the text in this edition, if any.
    pub rejected: Option<Message>,
    /// A note about the edition.
    pub note: Option<Message>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// The menu of editions: current XLA and XLA 2017.
#[component]
pub fn EditionChoice(props: &EditionChoiceProps) -> Html {
    let context = use_app_context();
    let node = use_select_value(if props.edition == Edition::V2017 { "2017" } else { "now" }.to_owned());
    let onchange = props.dispatch.reform(|event: Event| {
        let is_2017 = event.target_unchecked_into::<HtmlSelectElement>().value() == "2017";
        Action::SetEdition(if is_2017 { Edition::V2017 } else { Edition::Current })
    });
    let option = |value: &'static str, edition: Edition| {
        html! { <option {value} selected={edition == props.edition}>{name(&context, edition)}</option> }
    };
    let rejected = props.rejected.as_ref().map(|why| {
        Message::ops("editions-rejected")
            .with("edition", name(&context, props.edition).to_string())
            .with("why", why.clone())
    });
    html! {
        <div class="edition">
            <div class="row">
                <label for={EDITION_SELECT_ID}>{context.text(&Message::ops("edition"))}</label>
                <select class="btn small" id={EDITION_SELECT_ID} ref={node} {onchange} aria-invalid={rejected.is_some().to_string()}
                    aria-describedby={rejected.as_ref().map(|_| "edition-refused")}>
                    {option("now", Edition::Current)}{option("2017", Edition::V2017)}
                </select>
            </div>
            if let Some(rejected) = rejected {
                <p class="error-line" id="edition-refused" role="status">{context.text(&rejected)}</p>
            } else if let Some(note) = &props.note {
                <p class="dim" id="edition-note" role="status">{context.text(note)}</p>
            }
        </div>
    }
}

/// Properties of [`Comparison`].
#[derive(Clone, PartialEq, Properties)]
pub struct ComparisonProps {
    /// The selected edition.
    pub edition: Edition,
    /// Whether the other edition is compared.
    pub is_enabled: bool,
    /// Sets `is_enabled`.
    pub set: Callback<bool>,
    /// The result of the comparison.
    pub difference: Rc<Option<Difference>>,
    /// The op of the instruction.
    pub meta: Option<Meta>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// The comparison with the other edition.
#[component]
pub fn Comparison(props: &ComparisonProps) -> Html {
    let context = use_app_context();
    let toggle = props.set.reform(|event: Event| event.target_unchecked_into::<HtmlInputElement>().checked());
    let listed = match (*props.difference).as_ref() {
        Some(Difference::Cells { cells, .. }) => cells
            .iter()
            .flatten()
            .take(MAX_LISTED_CELLS)
            .map(|(index, value)| {
                let index = index.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
                html! { <li class="mono">{format!("out[{index}]: {value}")}</li> }
            })
            .collect::<Vec<_>>(),
        _ => Vec::new(),
    };
    html! {
        <div class="editions">
            <label class="row"><input type="checkbox" id="compare-editions" checked={props.is_enabled} onchange={toggle} />
                {context.text(&Message::ops("editions-compare"))}</label>
            if props.is_enabled {
                <p id="editions-said" role="status">{difference_text(&context, props)}</p>
                if let Some(Difference::Rejected(rejection)) = &*props.difference {
                    if let Some(alternative) = &rejection.alternative { <p class="dim">{context.text(alternative)}</p> }
                    {next_step(&context, props, rejection)}
                }
                if !listed.is_empty() {
                    <p class="dim">{context.text(&Message::ops("editions-values").with("edition", name(&context, other_edition(props.edition)).to_string()))}</p>
                    <ul id="editions-cells">{for listed}</ul>
                }
            }
        </div>
    }
}
