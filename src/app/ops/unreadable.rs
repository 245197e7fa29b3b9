//! What is said where text of the experiment's values cannot be read: that nothing runs, and the fields of those texts
//! that have no field elsewhere on the page.

use std::rc::Rc;

use yew::prelude::*;

use super::values_editor::ValuesEditor;
use crate::app::components::window::WINDOW;
use crate::app::context::use_say;
use crate::i18n::Message;
use crate::state::document::Values;
use crate::state::experiment::arguments::{Field, UnreadableField};
use crate::state::experiment::session::Action;

/// Properties of [`UnreadableNotice`].
#[derive(Clone, PartialEq, Properties)]
pub struct UnreadableNoticeProps {
    /// The texts that cannot be read.
    pub fields: Rc<Vec<UnreadableField>>,
    /// The parameters whose values have a field in a panel.
    pub in_panels: Vec<usize>,
    /// The replica that is looked at.
    pub device: usize,
    /// Whether a result of before is on the screen.
    pub is_old: bool,
    /// Carries out actions.
    pub dispatch: Callback<Action>,
}

/// What it is called: `x`, `x on replica 2`, `item 3`.
fn called(field: &UnreadableField) -> Message {
    match field.field {
        Field::Item(number) => Message::engine("queue-item").with("number", number),
        Field::Parameter { replica: 0, .. } => {
            Message::engine("values-name").with("name", field.name.as_str())
        }
        Field::Parameter { replica, .. } => {
            Message::engine("values-on-replica").with("name", field.name.as_str()).with("replica", replica)
        }
    }
}

/// The notice; nothing where all can be read.
#[component]
pub fn UnreadableNotice(props: &UnreadableNoticeProps) -> Html {
    let context = use_say();
    let Some(first) = props.fields.first() else { return Html::default() };
    let key = if props.is_old { "values-stale" } else { "values-not-run" };
    let said = Message::engine(key).with("name", called(first)).with("more", props.fields.len() - 1);
    let elsewhere = props.fields.iter().filter(|field| match field.field {
        // The queue's panel has a field for each item.
        Field::Item(_) => false,
        Field::Parameter { replica, number } => replica != props.device || !props.in_panels.contains(&number),
    });
    let rows = elsewhere.take(WINDOW).map(|field| {
        let Field::Parameter { replica, number } = field.field else { return Html::default() };
        let name = context.tell(&called(field));
        if replica != props.device {
            let look = props.dispatch.reform(move |_: MouseEvent| Action::SelectReplica(replica));
            let label = Message::engine("values-show-replica").with("number", replica);
            return html! {
                <li key={format!("{replica}-{number}")}>
                    <b>{name}</b>{" "}
                    <button class="btn small" onclick={look}>{context.tell(&label)}</button>
                </li>
            };
        }
        let change = props.dispatch.reform(move |values: Values| Action::SetValues(number, values));
        html! {
            <li key={format!("{replica}-{number}")}>
                <b>{name.clone()}</b>{" "}<code class="dim">{short(&field.shape.human_string())}</code>
                <ValuesEditor id={format!("unreadable-{number}")} name={field.name.clone()} shape={field.shape.clone()}
                    values={Values::Typed(field.text.clone())} {change} unreadable={Some(field.unreadable.clone())} />
            </li>
        }
    });
    html! {
        <div class="notice" id="unreadable" role="alert">
            <p>{context.tell(&said)}</p>
            <ul class="plain">{for rows}</ul>
        </div>
    }
}

/// A shape in one line, cut where it is long.
fn short(shape: &str) -> String {
    const MAX_CHARS: usize = 120;
    let cut: String = shape.chars().take(MAX_CHARS).collect();
    if cut.len() < shape.len() { cut + "…" } else { cut }
}
