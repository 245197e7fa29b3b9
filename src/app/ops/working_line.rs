//! How the lit output cell was made: the formula in live numbers, each in the colour of its role.

use yew::prelude::*;

use crate::app::context::use_say;
use crate::i18n::Message;
use crate::ops::Role;
use crate::view::derivation::{Derivation, Part};
use crate::view::scene::Ink;
use crate::view::sources::{stroke, word};

/// Properties of [`WorkingLine`].
#[derive(Clone, PartialEq, Properties)]
pub struct WorkingLineProps {
    /// The working.
    pub working: Derivation,
}

/// The class that gives a role its colour: that of its outline.
pub fn role_class(role: Role) -> String {
    match stroke(role).ink {
        Ink::Dimension(d) => format!("d d{}", d % 6),
        _ => "dim".to_owned(),
    }
}

/// The line, and the roles that occur in it.
#[component]
pub fn WorkingLine(props: &WorkingLineProps) -> Html {
    let context = use_say();
    let parts: Vec<Html> = props
        .working
        .parts
        .iter()
        .map(|part| match part {
            Part::Plain(text) => html! { <span>{text}</span> },
            Part::Read { text, role, .. } => html! { <b class={role_class(*role)}>{text}</b> },
            Part::More(count) => {
                let more = Message::engine("working-more").with("count", *count);
                html! { <span class="dim">{context.tell(&more)}</span> }
            }
            Part::Result(text) => html! { <b class="result">{text}</b> },
        })
        .collect();
    let count = context.tell(&Message::engine("made-from").with("count", props.working.reads));
    let roles = props.working.roles.iter().map(|role| {
        html! { <li><i class={classes!("swatch", role_class(*role))}></i>{context.tell(&Message::engine(word(*role)))}</li> }
    });
    html! {
        <>
            <p class="formula" id="working">{for parts}</p>
            <ul class="roles"><li id="made-from">{count}</li>{for roles}</ul>
        </>
    }
}
