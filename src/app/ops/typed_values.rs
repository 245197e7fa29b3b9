//! The text field of typed values. Enter, or leaving the field, applies what was typed; until then the field says so, because the
//! picture still shows the old values.

use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use crate::app::context::use_app_context;
use crate::app::keys;
use crate::i18n::Message;
use crate::state::document::ValueRule;

/// Properties of [`TypedValues`].
#[derive(Clone, PartialEq, Properties)]
pub struct TypedValuesProps {
    /// The id of the field.
    pub id: AttrValue,
    /// The name of the array.
    pub name: AttrValue,
    /// The applied text.
    pub text: AttrValue,
    /// Applies a text.
    pub change: Callback<ValueRule>,
    /// The id of the element with the errors of the text, if it has any.
    pub problem_id: Option<AttrValue>,
}

/// The field, with a note while its text is not applied.
#[component]
pub fn TypedValues(props: &TypedValuesProps) -> Html {
    let context = use_app_context();
    let typing = use_state_eq(|| None::<String>);
    let apply = {
        let (typing, change, applied) = (typing.setter(), props.change.clone(), props.text.clone());
        move |text: String| {
            typing.set(None);
            if *text != *applied {
                change.emit(ValueRule::Text(text));
            }
        }
    };
    let oninput = {
        let typing = typing.setter();
        Callback::from(move |event: InputEvent| {
            typing.set(Some(event.target_unchecked_into::<HtmlTextAreaElement>().value()));
        })
    };
    let onchange = {
        let apply = apply.clone();
        Callback::from(move |event: Event| {
            apply(event.target_unchecked_into::<HtmlTextAreaElement>().value());
        })
    };
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        // Shift adds a line; while composing, Enter ends the composition.
        if keys::name(&event) != "Enter" || event.shift_key() || event.is_composing() {
            return;
        }
        event.prevent_default();
        apply(event.target_unchecked_into::<HtmlTextAreaElement>().value());
    });
    let onblur = {
        let typing = typing.setter();
        Callback::from(move |_: FocusEvent| typing.set(None))
    };
    let label = Message::ops("values-typed-of").with("name", props.name.to_string());
    let is_pending = typing.as_deref().is_some_and(|typed| *typed != *props.text);
    let pending_id = format!("{}-pending", props.id);
    let notes = [props.problem_id.as_deref(), is_pending.then_some(pending_id.as_str())];
    let notes: Vec<&str> = notes.into_iter().flatten().collect();
    let described_by = (!notes.is_empty()).then(|| notes.join(" "));
    let value = typing.as_ref().map_or_else(|| props.text.clone(), |typed| AttrValue::from(typed.clone()));
    html! {
        <>
            <textarea class="text" id={props.id.clone()} rows="1" {oninput} {onchange} {onkeydown} {onblur} {value} spellcheck="false"
                aria-label={context.text(&label)} aria-invalid={props.problem_id.is_some().to_string()} aria-describedby={described_by} />
            if is_pending { <p class="pending dim" id={pending_id}>{context.text(&Message::ops("values-pending"))}</p> }
        </>
    }
}
