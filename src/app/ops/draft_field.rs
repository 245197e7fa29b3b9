//! A line of text that is part of the program. What was typed stays in it while the program has errors, with the error
//! under it; else it shows the program.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::context::use_say;
use crate::i18n::Message;

/// Properties of [`DraftField`].
#[derive(Clone, PartialEq, Properties)]
pub struct DraftFieldProps {
    /// Its id.
    pub id: AttrValue,
    /// Its classes.
    pub class: AttrValue,
    /// What the program says.
    pub value: AttrValue,
    /// Its name.
    pub label: AttrValue,
    /// Tells what was typed.
    pub commit: Callback<String>,
    /// What is wrong with the program; it is shown here where something was typed here.
    pub problem: Option<Message>,
    /// Whether the error is this field's, whatever was typed here.
    #[prop_or_default]
    pub is_wrong: bool,
}

/// The field.
#[component]
pub fn DraftField(props: &DraftFieldProps) -> Html {
    let context = use_say();
    let typed = use_state_eq(|| None::<String>);
    {
        // A program without errors holds what was typed.
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
            if let Some(problem) = problem { <p class="error-line" id={problem_id}>{context.tell(problem)}</p> }
        </>
    }
}
