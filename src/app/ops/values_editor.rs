//! What the elements of a parameter hold: by a rule, or typed. Typed text that cannot be read stays in its field, with
//! what is wrong under it; nothing runs until it can be read.

use web_sys::{HtmlSelectElement, HtmlTextAreaElement};
use yew::prelude::*;

use crate::app::components::problems::said;
use crate::app::components::select::use_chosen;
use crate::app::context::{Context, use_say};
use crate::array::Shape;
use crate::array::value::text::Exactness;
use crate::array::values::Unreadable;
use crate::diagnostic::Diagnostic;
use crate::i18n::Message;
use crate::state::document::Values;
use crate::state::experiment::arguments::argument;

/// The most elements that are written out to start typing from.
const MAX_WRITTEN_ELEMENTS: i64 = 1 << 14;

/// The values that are set, as they would be typed; nothing where they are too many or cannot be read.
fn current_text(shape: &Shape, values: &Values) -> String {
    let count = match shape {
        Shape::Array(array) => array.elements(),
        Shape::Buffer(array) => array.elements(),
        _ => Some(0),
    };
    if count.is_none_or(|count| count > MAX_WRITTEN_ELEMENTS) {
        return String::new();
    }
    let text = argument(shape, values).map(|literal| literal.text(Exactness::RoundTrip));
    text.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")).unwrap_or_default()
}

/// Properties of [`ValuesEditor`].
#[derive(Clone, PartialEq, Properties)]
pub struct ValuesEditorProps {
    /// The start of every id.
    pub id: AttrValue,
    /// The name of the parameter.
    pub name: AttrValue,
    /// Its shape as it is set.
    pub shape: Shape,
    /// What it holds.
    pub values: Values,
    /// Sets what it holds.
    pub change: Callback<Values>,
    /// What is wrong with typed text.
    pub unreadable: Option<Unreadable>,
}

/// The editor.
#[component]
pub fn ValuesEditor(props: &ValuesEditorProps) -> Html {
    let context = use_say();
    let tell = |key: &'static str| context.tell(&Message::engine(key));
    let kind = match &props.values {
        Values::Letters | Values::Iota => "iota",
        Values::Random(_) => "random",
        Values::Typed(_) => "typed",
    };
    let node = use_chosen(kind.to_owned());
    let onchange = {
        let (change, shape, values) = (props.change.clone(), props.shape.clone(), props.values.clone());
        Callback::from(move |event: Event| {
            change.emit(match event.target_unchecked_into::<HtmlSelectElement>().value().as_str() {
                "random" => Values::Random(1),
                "typed" => Values::Typed(current_text(&shape, &values)),
                _ => Values::Iota,
            });
        })
    };
    let option = |value: &'static str, key: &'static str| {
        html! { <option {value} selected={value == kind}>{tell(key)}</option> }
    };
    let problem_id = format!("{}-problem", props.id);
    let more = match &props.values {
        Values::Random(seed) => {
            let (change, next) = (props.change.clone(), seed.wrapping_add(1));
            let onclick = Callback::from(move |_: MouseEvent| change.emit(Values::Random(next)));
            html! { <button class="btn tiny" id={format!("{}-reseed", props.id)} {onclick}>{tell("values-again")}</button> }
        }
        Values::Typed(text) => {
            let onchange = {
                let change = props.change.clone();
                Callback::from(move |event: Event| {
                    change.emit(Values::Typed(event.target_unchecked_into::<HtmlTextAreaElement>().value()));
                })
            };
            let is_wrong = props.unreadable.is_some();
            let label = Message::engine("values-typed-of").with("name", props.name.to_string());
            html! {
                <textarea class="text" id={format!("{}-typed", props.id)} rows="1" {onchange} value={text.clone()}
                    spellcheck="false" aria-label={context.tell(&label)} aria-invalid={is_wrong.to_string()}
                    aria-describedby={is_wrong.then(|| problem_id.clone())} />
            }
        }
        Values::Letters | Values::Iota => Html::default(),
    };
    let fix = |d: &Diagnostic| fixes(&context, d, &props.values, &props.change);
    let problems = props.unreadable.as_ref().map(|unreadable| said(&context, unreadable, fix));
    html! {
        <div class="values">
            <select class="btn tiny" id={format!("{}-values", props.id)} ref={node} {onchange} aria-label={tell("values-of")}>
                {option("typed", "values-typed")}{option("iota", "values-iota")}{option("random", "values-random")}
            </select>
            {more}
            <div class="field-problem" id={problem_id} role="status">
                {problems.unwrap_or_default()}
            </div>
        </div>
    }
}

/// The fixes of an error, to click.
fn fixes(context: &Context, diagnostic: &Diagnostic, values: &Values, change: &Callback<Values>) -> Html {
    let Values::Typed(text) = values else { return Html::default() };
    let fixed = diagnostic.hints.iter().filter_map(|hint| {
        let fixed = hint.apply(text)?;
        let change = change.clone();
        let onclick = Callback::from(move |_: MouseEvent| change.emit(Values::Typed(fixed.clone())));
        Some(html! { <button class="fix" {onclick}>{context.tell(&hint.message)}</button> })
    });
    html! { <>{" "}{for fixed}</> }
}
