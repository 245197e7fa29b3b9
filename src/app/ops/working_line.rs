//! How the highlighted output cell was computed: the formula with its numbers, each in the colour of its role.

use yew::prelude::*;

use crate::app::context::use_app_context;
use crate::i18n::Message;
use crate::ops::Role;
use crate::view::derivation::{Derivation, Part};
use crate::view::scene::Ink;
use crate::view::sources::{message_key, stroke};

/// Properties of [`WorkingLine`].
#[derive(Clone, PartialEq, Properties)]
pub struct WorkingLineProps {
    /// The derivation.
    pub derivation: Derivation,
}

/// The CSS class of a role, which has the colour of its outline.
pub fn role_class(role: Role) -> String {
    match stroke(role).ink {
        Ink::Dimension(d) => format!("d d{}", d % 6),
        _ => "dim".to_owned(),
    }
}

/// The line, with a legend of its roles.
#[component]
pub fn WorkingLine(props: &WorkingLineProps) -> Html {
    let context = use_app_context();
    let parts: Vec<Html> = props
        .derivation
        .parts
        .iter()
        .map(|part| match part {
            Part::Plain(text) => html! { <span>{text}</span> },
            Part::Read { text, role, .. } => html! { <b class={role_class(*role)}>{text}</b> },
            Part::More(count) => {
                let more = Message::engine("working-more").with("count", *count);
                html! { <span class="dim">{context.text(&more)}</span> }
            }
            Part::Result(text) => html! { <b class="result">{text}</b> },
        })
        .collect();
    let count = context.text(&Message::engine("made-from").with("count", props.derivation.reads));
    let roles = props.derivation.roles.iter().map(|role| {
        html! { <li><i class={classes!("swatch", role_class(*role))}></i>{context.text(&Message::engine(message_key(*role)))}</li> }
    });
    html! {
        <>
            <p class="formula" id="working">{for parts}</p>
            <ul class="roles"><li id="made-from">{count}</li>{for roles}</ul>
        </>
    }
}
