//! What is wrong with a text, under its field.

use yew::prelude::*;

use crate::app::context::Context;
use crate::array::values::Unreadable;
use crate::diagnostic::{Diagnostic, Severity};
use crate::i18n::Message;

/// The most errors of one text that are shown.
const SHOWN: usize = 3;

/// What is wrong with a text: the first errors, each with what `fix` offers, and how many more there are.
pub fn said(context: &Context, unreadable: &Unreadable, fix: impl Fn(&Diagnostic) -> Html) -> Html {
    let errors: Vec<&Diagnostic> =
        unreadable.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    let more = errors.len().saturating_sub(SHOWN);
    let shown = errors.into_iter().take(SHOWN).map(|d| {
        html! { <p class="error-line">{context.tell(&d.message)}{fix(d)}</p> }
    });
    html! {
        <>
            {for shown}
            if more > 0 { <p class="dim">{context.tell(&Message::new("problems-more").with("count", more))}</p> }
        </>
    }
}
