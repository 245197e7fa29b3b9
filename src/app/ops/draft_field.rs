//! A text field that edits a part of the program. While the program has errors it keeps the typed text, with the
//! error below; otherwise it shows the program's text.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::context::use_app_context;
use crate::i18n::Message;

/// Properties of [`DraftField`].
#[derive(Clone, PartialEq, Properties)]
pub struct DraftFieldProps {
    /// Its id.
    pub id: AttrValue,
    /// Its classes.
    pub class: AttrValue,
    /// The program's text.
    pub value: AttrValue,
    /// Its name.
    pub label: AttrValue,
    /// Reports the typed text.
    pub commit: Callback<String>,
    /// The error of the program; shown here if this field was edited.
    pub problem: Option<Message>,
    /// Whether the error is in this field's part of the program, even if the field was not edited.
    #[prop_or_default]
    pub is_wrong: bool,
}

/// The field.
#[component]
pub fn DraftField(props: &DraftFieldProps) -> Html {
    let context = use_app_context();
    let typed = use_state_eq(|| None::<String>);
    {
        // A program without errors contains the typed text.
        let typed = typed.setter();
        use_effect_with((props.problem.is_none(), props.value.clone()), move |(is_fine, _)| {
            if *is_fine {
                typed.set(None);
            }
        });
    }
    let onchange = {
        let (typed, commit) = (typed.clone(), props.commit.clone());
        Callback::from(move |event: Event| {
            let value = event.target_unchecked_into::<HtmlInputElement>().value();
            typed.set(Some(value.clone()));
            commit.emit(value.trim().to_owned());
        })
    };
    let problem = props.problem.as_ref().filter(|_| typed.is_some() || props.is_wrong);
    let value =
        (*typed).clone().filter(|_| props.problem.is_some()).map_or(props.value.clone(), AttrValue::from);
    let problem_id = format!("{}-problem", props.id);
    html! {
        <>
            <input class={props.class.clone()} type="text" id={props.id.clone()} {value} {onchange} spellcheck="false"
                autocomplete="off" aria-label={props.label.clone()} title={props.label.clone()}
                aria-invalid={problem.is_some().to_string()} aria-describedby={problem.map(|_| problem_id.clone())} />
            if let Some(problem) = problem { <p class="error-line" id={problem_id}>{context.text(problem)}</p> }
        </>
    }
}
