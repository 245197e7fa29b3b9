//! The notice about malformed values, which prevent a run; it has an editor for each that no panel shows.

use std::rc::Rc;

use yew::prelude::*;

use super::values_editor::ValuesEditor;
use crate::app::components::window::WINDOW_SIZE;
use crate::app::context::use_app_context;
use crate::i18n::Message;
use crate::state::document::ValueRule;
use crate::state::experiment::arguments::{Field, InvalidField};
use crate::state::experiment::session::Action;

/// Properties of [`InvalidValuesNotice`].
#[derive(Clone, PartialEq, Properties)]
pub struct InvalidValuesNoticeProps {
    /// The malformed values.
    pub fields: Rc<Vec<InvalidField>>,
    /// The roles of parameters for the selected instruction, such as `lhs`.
    pub roles: Vec<(usize, String)>,
    /// The parameters whose values have a field in a panel.
    pub editable_parameters: Vec<usize>,
    /// The selected replica.
    pub selected_replica: usize,
    /// Whether an earlier result is displayed.
    pub shows_previous_run: bool,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// The name of a field, as in its panel: `lhs x`, `lhs x on replica 2`, `item 3`.
fn field_name(field: &InvalidField, roles: &[(usize, String)]) -> Message {
    let label = |number: usize| match roles.iter().find(|(other, _)| *other == number) {
        // A name that repeats the role is omitted, as in the panel's head.
        Some((_, role)) if role.replace(' ', "_") == field.name => role.clone(),
        Some((_, role)) => format!("{role} {}", field.name),
        None => field.name.clone(),
    };
    match field.field {
        Field::Item(number) => Message::ops("queue-item").with("number", number),
        Field::Parameter { replica: 0, number } => Message::ops("values-name").with("name", label(number)),
        Field::Parameter { replica, number } => {
            Message::ops("values-on-replica").with("name", label(number)).with("replica", replica)
        }
    }
}

/// Maximum number of fields that the message names.
const MAX_NAMED_FIELDS: usize = 3;

/// The notice; nothing if all values are well-formed.
#[component]
pub fn InvalidValuesNotice(props: &InvalidValuesNoticeProps) -> Html {
    let context = use_app_context();
    if props.fields.is_empty() {
        return Html::default();
    }
    let names = props
        .fields
        .iter()
        .take(MAX_NAMED_FIELDS)
        .map(|field| context.text(&field_name(field, &props.roles)).to_string());
    let names = names.collect::<Vec<_>>().join(", ");
    let key = if props.shows_previous_run { "values-stale" } else { "values-not-run" };
    let message = Message::ops(key)
        .with("name", names)
        .with("more", props.fields.len().saturating_sub(MAX_NAMED_FIELDS));
    let without_editor = props.fields.iter().filter(|field| match field.field {
        // The queue's panel has a field per item.
        Field::Item(_) => false,
        Field::Parameter { replica, number } => {
            replica != props.selected_replica || !props.editable_parameters.contains(&number)
        }
    });
    let rows = without_editor.take(WINDOW_SIZE).map(|field| {
        let Field::Parameter { replica, number } = field.field else { return Html::default() };
        let name = context.text(&field_name(field, &props.roles));
        if replica != props.selected_replica {
            let select_replica = props.dispatch.reform(move |_: MouseEvent| Action::SelectReplica(replica));
            let label = Message::ops("values-show-replica").with("number", replica);
            return html! {
                <li key={format!("{replica}-{number}")}>
                    <b>{name}</b>{" "}
                    <button class="btn small" onclick={select_replica}>{context.text(&label)}</button>
                </li>
            };
        }
        let change = props.dispatch.reform(move |values: ValueRule| Action::SetValues(number, values));
        html! {
            <li key={format!("{replica}-{number}")}>
                <b>{name.clone()}</b>{" "}<code class="dim">{truncate(&field.shape.human_string())}</code>
                <ValuesEditor id={format!("unreadable-{number}")} name={field.name.clone()} shape={field.shape.clone()}
                    values={ValueRule::Text(field.text.clone())} {change} values_error={Some(field.error.clone())} />
            </li>
        }
    });
    html! {
        <div class="notice" id="unreadable" role="alert">
            <p>{context.text(&message)}</p>
            <ul class="plain">{for rows}</ul>
        </div>
    }
}

/// The text of a shape, cut to `MAX_CHARS` characters.
fn truncate(shape: &str) -> String {
    const MAX_CHARS: usize = 120;
    let truncated: String = shape.chars().take(MAX_CHARS).collect();
    if truncated.len() < shape.len() { truncated + "…" } else { truncated }
}
