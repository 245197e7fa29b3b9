//! The errors of the text, below its field.

use yew::prelude::*;

use crate::app::context::Context;
use crate::array::values::ValuesError;
use crate::diagnostic::{Diagnostic, Severity, merge_repeated};
use crate::i18n::Message;

/// Maximum errors of the text that are displayed.
const MAX_DISPLAYED_ERRORS: usize = 3;

/// The first errors of the text, each with the output of `fix`, and the number of the others.
pub fn problem_list(context: &Context, error: &ValuesError, fix: impl Fn(&Diagnostic) -> Html) -> Html {
    let errors = merge_repeated(error.diagnostics.iter().filter(|d| d.severity == Severity::Error));
    let more = errors.iter().skip(MAX_DISPLAYED_ERRORS).map(|(_, count)| count).sum::<usize>();
    let shown = errors.iter().take(MAX_DISPLAYED_ERRORS).map(|(d, count)| {
        html! {
            <p class="error-line">
                {context.text(&d.message)}
                if *count > 1 { {format!(" (×{count})")} }
                {fix(d)}
            </p>
        }
    });
    html! {
        <>
            {for shown}
            if more > 0 { <p class="dim">{context.text(&Message::new("problems-more").with("count", more))}</p> }
        </>
    }
}
