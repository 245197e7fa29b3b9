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

/// Errors with the same sentences, such as those of each row of a literal, become one with all their fixes; with their numbers.
fn merge_repeated<'a>(errors: impl Iterator<Item = &'a Diagnostic>) -> Vec<(Diagnostic, usize)> {
    let mut merged: Vec<(Diagnostic, usize)> = Vec::new();
    for error in errors {
        let is_same = |(other, _): &&mut (Diagnostic, usize)| {
            let sentences = other.hints.iter().map(|hint| &hint.message);
            other.message == error.message && sentences.eq(error.hints.iter().map(|hint| &hint.message))
        };
        let Some((first, count)) = merged.iter_mut().find(is_same) else {
            merged.push((error.clone(), 1));
            continue;
        };
        *count += 1;
        for (hint, other) in first.hints.iter_mut().zip(&error.hints) {
            // Errors are in the order of the text, and so are the edits.
            hint.edits.extend(other.edits.iter().cloned());
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Hint, Span};

    #[test]
    fn the_errors_of_all_rows_become_one_that_fixes_them() {
        let text = "{{1},{2}}";
        let row = |end: usize, message: &'static str| {
            let fill = Hint::replace(Message::new("undo"), Span::at(end), ",0");
            Diagnostic::error(Span::at(end), "literal-count", Message::new(message)).with_hint(fill)
        };
        let errors = [row(3, "copy"), row(3, "close"), row(7, "copy")];
        let merged = merge_repeated(errors.iter());
        assert_eq!(merged.iter().map(|(_, count)| *count).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(merged[0].0.hints[0].apply(text).as_deref(), Some("{{1,0},{2,0}}"));
    }
}
