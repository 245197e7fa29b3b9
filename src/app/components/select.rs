//! A labelled select element.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

/// Properties of [`Select`].
#[derive(Clone, PartialEq, Properties)]
pub struct SelectProps {
    /// The element's id.
    pub id: AttrValue,
    /// The label of the field.
    pub label: AttrValue,
    /// Whether the label is for screen readers only.
    #[prop_or_default]
    pub hide_label: bool,
    /// Values and their labels.
    pub options: Vec<(AttrValue, AttrValue)>,
    /// The selected value.
    pub value: AttrValue,
    /// Reports the new value.
    pub onchange: Callback<AttrValue>,
    /// Whether it is disabled.
    #[prop_or_default]
    pub disabled: bool,
}

/// The node of a `<select>` whose value is set after each rendering: once the user has changed it, browsers ignore
/// the options' `selected` attributes.
#[hook]
pub fn use_select_value(value: String) -> NodeRef {
    let node = use_node_ref();
    {
        let node = node.clone();
        use_effect(move || {
            if let Some(select) = node.cast::<HtmlSelectElement>().filter(|select| select.value() != value) {
                select.set_value(&value);
            }
        });
    }
    node
}

/// Properties of [`BareSelect`].
#[derive(Clone, PartialEq, Properties)]
pub struct BareSelectProps {
    /// The element's id.
    pub id: AttrValue,
    /// The label of the field.
    pub label: AttrValue,
    /// Values and their labels.
    pub options: Vec<(AttrValue, AttrValue)>,
    /// The selected value.
    pub value: AttrValue,
    /// The id of its error, if it has one.
    #[prop_or_default]
    pub problem: Option<AttrValue>,
    /// Reports the new value.
    pub onchange: Callback<AttrValue>,
}

/// A select element labelled by its surroundings.
#[component]
pub fn BareSelect(props: &BareSelectProps) -> Html {
    let node = use_select_value(props.value.to_string());
    let onchange = props
        .onchange
        .reform(|event: Event| event.target_unchecked_into::<HtmlSelectElement>().value().into());
    let options = props.options.iter().map(|(value, name)| {
        html! { <option value={value} selected={*value == props.value}>{name}</option> }
    });
    html! {
        <select class="btn" id={&props.id} ref={node} {onchange} aria-label={&props.label}
            aria-invalid={props.problem.is_some().to_string()} aria-describedby={props.problem.clone()}>{for options}</select>
    }
}

/// A labelled select element.
#[component]
pub fn Select(props: &SelectProps) -> Html {
    let node = use_select_value(props.value.to_string());
    let onchange = {
        let onchange = props.onchange.clone();
        Callback::from(move |event: Event| {
            onchange.emit(event.target_unchecked_into::<HtmlSelectElement>().value().into());
        })
    };
    let options = props.options.iter().map(|(value, name)| {
        html! { <option value={value} selected={*value == props.value}>{name}</option> }
    });
    let label_class = if props.hide_label { "sr-only" } else { "" };
    html! {
        <span class="field row">
            <label class={label_class} for={&props.id}>{&props.label}</label>
            <select class="btn" id={&props.id} ref={node} {onchange} disabled={props.disabled}>{for options}</select>
        </span>
    }
}
