//! The editor of a parameter's values, which are generated or typed. Malformed text stays in its field, with the error below,
//! and nothing runs until it is corrected.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::typed_values::TypedValues;
use crate::app::components::problems::problem_list;
use crate::app::components::select::use_select_value;
use crate::app::context::{Context, use_app_context};
use crate::array::literal::user_input::written_sizes;
use crate::array::values::ValuesError;
use crate::array::{ArrayShape, Shape};
use crate::diagnostic::Diagnostic;
use crate::i18n::Message;
use crate::state::document::ValueRule;
use crate::state::experiment::arguments::{MAX_WRITTEN_ELEMENTS, argument, one_line};

/// The current values as text; empty if they are too many or malformed.
pub fn current_text(shape: &Shape, values: &ValueRule) -> String {
    let count = match shape {
        Shape::Array(array) => array.elements(),
        Shape::Buffer(array) => array.elements(),
        _ => Some(0),
    };
    if count.is_none_or(|count| count > MAX_WRITTEN_ELEMENTS) {
        return String::new();
    }
    argument(shape, values).map(|literal| one_line(&literal)).unwrap_or_default()
}

/// Properties of [`ValuesEditor`].
#[derive(Clone, PartialEq, Properties)]
pub struct ValuesEditorProps {
    /// The prefix of element ids.
    pub id: AttrValue,
    /// The name of the parameter.
    pub name: AttrValue,
    /// Its current shape.
    pub shape: Shape,
    /// The values that are edited.
    pub values: ValueRule,
    /// Sets its values.
    pub change: Callback<ValueRule>,
    /// The error of the typed values.
    pub values_error: Option<ValuesError>,
    /// Sets its shape.
    #[prop_or_default]
    pub set_shape: Option<Callback<String>>,
}

/// The shape of the typed values according to their nesting, if they do not match the parameter's shape, and whether it has the same rank:
/// then it is most likely what is meant.
fn written_shape(props: &ValuesEditorProps) -> Option<(String, bool)> {
    let (ValueRule::Text(text), Shape::Array(array)) = (&props.values, &props.shape) else { return None };
    let errors = &props.values_error.as_ref()?.diagnostics;
    if !errors.iter().all(|error| matches!(error.rule, "literal-count" | "literal-nesting")) {
        return None;
    }
    let sizes = written_sizes(text, array.element_type)?;
    let has_same_rank = sizes.len() == array.rank();
    (sizes != array.dimensions)
        .then(|| (Shape::Array(ArrayShape::new(array.element_type, sizes)).human_string(), has_same_rank))
}

/// The editor for the values of a parameter.
#[component]
pub fn ValuesEditor(props: &ValuesEditorProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::ops(key));
    let kind = match &props.values {
        ValueRule::Letters | ValueRule::Iota => "iota",
        ValueRule::Random(_) => "random",
        ValueRule::Text(_) => "typed",
    };
    let node = use_select_value(kind.to_owned());
    let last_typed = use_mut_ref(|| None);
    if matches!(props.values, ValueRule::Text(_)) {
        *last_typed.borrow_mut() = Some(props.values.clone());
    }
    let onchange = {
        let (change, shape, values) = (props.change.clone(), props.shape.clone(), props.values.clone());
        Callback::from(move |event: Event| {
            change.emit(match event.target_unchecked_into::<HtmlSelectElement>().value().as_str() {
                "random" => ValueRule::Random(1),
                "typed" => {
                    let fits = |typed: &ValueRule| argument(&shape, typed).is_ok();
                    let typed = last_typed.borrow().clone().filter(fits);
                    typed.unwrap_or_else(|| ValueRule::Text(current_text(&shape, &values)))
                }
                _ => ValueRule::Iota,
            });
        })
    };
    let option = |value: &'static str, key: &'static str| {
        html! { <option {value} selected={value == kind}>{text(key)}</option> }
    };
    let problem_id = format!("{}-problem", props.id);
    let more = match &props.values {
        ValueRule::Random(seed) => {
            let (change, next) = (props.change.clone(), seed.wrapping_add(1));
            let onclick = Callback::from(move |_: MouseEvent| change.emit(ValueRule::Random(next)));
            html! { <button class="btn tiny" id={format!("{}-reseed", props.id)} {onclick}>{text("values-again")}</button> }
        }
        ValueRule::Text(text) => html! {
            <TypedValues id={format!("{}-typed", props.id)} name={props.name.clone()} text={text.clone()} change={props.change.clone()}
                problem_id={props.values_error.is_some().then(|| AttrValue::from(problem_id.clone()))} />
        },
        ValueRule::Letters | ValueRule::Iota => Html::default(),
    };
    let fix = |d: &Diagnostic| fixes(&context, d, props);
    let written = written_shape(props);
    let is_likely = written.as_ref().is_some_and(|(_, has_same_rank)| *has_same_rank);
    let other_shape = props.set_shape.as_ref().zip(written).map(|(set, (shape, _))| {
        let sentence =
            Message::ops("op-hint-operand-shape").with("operand", props.name.to_string()).with("shape", shape.as_str());
        let onclick = set.reform(move |_: MouseEvent| shape.clone());
        html! { <p class="hints"><button type="button" class="fix" {onclick}>{context.text(&sentence)}</button></p> }
    });
    let problems = props.values_error.as_ref().map(|error| problem_list(&context, error, fix));
    html! {
        <div class="values">
            <select class="btn tiny" id={format!("{}-values", props.id)} ref={node} {onchange} aria-label={text("values-of")}>
                {option("typed", "values-typed")}{option("iota", "values-iota")}{option("random", "values-random")}
            </select>
            {more}
            <div class="field-problem" id={problem_id} role="status">
                {for if is_likely { [other_shape, problems] } else { [problems, other_shape] }.into_iter().flatten()}
            </div>
        </div>
    }
}

/// The clickable fixes of an error, with the name of the array.
fn fixes(context: &Context, diagnostic: &Diagnostic, props: &ValuesEditorProps) -> Html {
    let ValueRule::Text(text) = &props.values else { return Html::default() };
    let fixed = diagnostic.hints.iter().filter_map(|hint| {
        let fixed = hint.apply(text)?;
        let change = props.change.clone();
        // Several arrays may have the same error.
        let sentence =
            Message::ops("fix-of").with("fix", hint.message.clone()).with("name", props.name.to_string());
        let onclick = Callback::from(move |_: MouseEvent| change.emit(ValueRule::Text(fixed.clone())));
        Some(html! { <button class="fix" {onclick}>{context.text(&sentence)}</button> })
    });
    html! { <>{" "}{for fixed}</> }
}
