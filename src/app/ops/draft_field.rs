//! A text field that edits a part of the program. While the program has errors it keeps the entered text, with the
//! error below; otherwise it shows the program's text.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::field_problem::{FieldProblem, described_by};
use crate::state::experiment::session::{Action, FieldState};

/// Properties of [`DraftField`].
#[derive(Clone, PartialEq, Properties)]
pub struct DraftFieldProps {
    /// The id of the element.
    pub id: AttrValue,
    /// The CSS classes of the element.
    pub class: AttrValue,
    /// The program's text.
    pub value: AttrValue,
    /// The entered text that replaces it while the program has errors, and the error.
    pub state: FieldState,
    /// The accessible name of the field.
    pub label: AttrValue,
    /// The expected format of the text, displayed below the field.
    #[prop_or_default]
    pub format: Option<AttrValue>,
    /// Reports the entered text.
    pub commit: Callback<String>,
    /// Dispatches fixes.
    pub dispatch: Callback<Action>,
}

/// A text field that keeps invalid text, with the error below.
#[component]
pub fn DraftField(props: &DraftFieldProps) -> Html {
    // The text being typed: meanwhile nothing else, such as the end of a run, may set the value.
    let typing = use_state_eq(|| None::<String>);
    let oninput = {
        let typing = typing.setter();
        let settled = props.state.entered.clone().unwrap_or_else(|| props.value.to_string());
        Callback::from(move |event: InputEvent| {
            let typed = event.target_unchecked_into::<HtmlInputElement>().value();
            // No change follows where the typing was taken back.
            typing.set(Some(typed).filter(|typed| *typed != settled));
        })
    };
    let onchange = {
        let (typing, commit) = (typing.setter(), props.commit.clone());
        Callback::from(move |event: Event| {
            typing.set(None);
            commit.emit(event.target_unchecked_into::<HtmlInputElement>().value().trim().to_owned());
        })
    };
    let onblur = {
        let typing = typing.setter();
        Callback::from(move |_: FocusEvent| typing.set(None))
    };
    let FieldState { entered, problem, place } = &props.state;
    let value = (*typing).clone().or_else(|| entered.clone());
    let value = value.map_or_else(|| props.value.clone(), AttrValue::from);
    let format_id = props.format.as_ref().map(|_| format!("{}-form", props.id));
    let described: Vec<String> =
        described_by(&props.id, problem.as_ref()).into_iter().chain(format_id.clone()).collect();
    let described = (!described.is_empty()).then(|| described.join(" "));
    html! {
        <>
            <input class={props.class.clone()} type="text" id={props.id.clone()} {value} {oninput} {onchange} {onblur}
                spellcheck="false" autocomplete="off" aria-label={props.label.clone()} title={props.label.clone()}
                aria-invalid={problem.is_some().to_string()} aria-describedby={described} />
            if let Some(format) = &props.format { <p class="dim" id={format_id}>{format}</p> }
            <FieldProblem field={props.id.clone()} problem={problem.clone()} place={place.clone()} dispatch={props.dispatch.clone()} />
        </>
    }
}
