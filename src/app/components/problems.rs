//! The errors of the text, below its field.

use yew::prelude::*;

use crate::app::context::Context;
use crate::array::values::ValuesError;
use crate::diagnostic::{Diagnostic, Severity};
use crate::i18n::Message;

/// Maximum errors of the text that are displayed.
const MAX_DISPLAYED_ERRORS: usize = 3;

/// The first errors of the text, each with the output of `fix`, and the number of the others.
pub fn problem_list(context: &Context, error: &ValuesError, fix: impl Fn(&Diagnostic) -> Html) -> Html {
    let errors: Vec<&Diagnostic> =
        error.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    let more = errors.len().saturating_sub(MAX_DISPLAYED_ERRORS);
    let shown = errors.into_iter().take(MAX_DISPLAYED_ERRORS).map(|d| {
        html! { <p class="error-line">{context.text(&d.message)}{fix(d)}</p> }
    });
    html! {
        <>
            {for shown}
            if more > 0 { <p class="dim">{context.text(&Message::new("problems-more").with("count", more))}</p> }
        </>
    }
}
