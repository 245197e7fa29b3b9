//! Reads the text of an experiment, within the bounds of the page. StableHLO is translated to HLO, which the page edits.

use std::borrow::Cow;

use super::edit::{self, Reinferred};
use super::state::MAX_TEXT_BYTES;
use crate::array::Edition;
use crate::diagnostic::{Diagnostic, Hint, Span};
use crate::hlo::{Module, Parsed, PrintOptions};
use crate::i18n::Message;
use crate::stablehlo::{self, Dialect, dialect};

/// Reads text after an edit by a form or a link.
pub(super) fn read(text: &str, edition: Edition) -> Reinferred {
    if text.len() > MAX_TEXT_BYTES {
        Reinferred { text: text.to_owned(), parsed: parse(text, edition), notes: Vec::new() }
    } else {
        match translate(text, edition) {
            Ok(hlo) => edit::lower_and_reinfer(&hlo, edition),
            Err(parsed) => Reinferred { text: text.to_owned(), parsed: *parsed, notes: Vec::new() },
        }
    }
}

/// The HLO of a StableHLO text, or its errors; other texts as they are.
fn translate(text: &str, edition: Edition) -> Result<Cow<'_, str>, Box<Parsed>> {
    if text.len() > MAX_TEXT_BYTES || dialect(text) == Dialect::Hlo {
        return Ok(text.into());
    }
    let parsed = stablehlo::parse_edition(text, edition);
    if parsed.error().is_some() {
        Err(Box::new(parsed))
    } else {
        Ok(parsed.module.text(PrintOptions::SHORT).into())
    }
}

/// Parses a typed text, and returns it with the result; StableHLO without errors is replaced by its HLO.
pub(super) fn read_user_text(text: String, edition: Edition) -> (String, Parsed) {
    match translate(&text, edition) {
        Ok(hlo) => {
            let parsed = parse(&hlo, edition);
            (hlo.into_owned(), parsed)
        }
        Err(parsed) => (text, *parsed),
    }
}

/// Parses text as it is, unless it is too long for the page.
pub(super) fn parse(text: &str, edition: Edition) -> Parsed {
    if text.len() > MAX_TEXT_BYTES {
        let message = Message::new("text-too-long").with("bytes", text.len()).with("limit", MAX_TEXT_BYTES);
        let diagnostic = Diagnostic::error(Span::new(0, text.len()), "hlo-too-long", message);
        return Parsed { module: Module::default(), diagnostics: vec![diagnostic] };
    }
    crate::hlo::parser::parse_edition(text, edition)
}

/// The diagnostics of the text; if none has a fix, the first gets one that reverts to the last valid text.
pub(super) fn with_revert_fix(mut diagnostics: Vec<Diagnostic>, text: &str, last: &str) -> Vec<Diagnostic> {
    let is_fix = |hint: &Hint| !hint.edits.is_empty();
    if !diagnostics.iter().any(|diagnostic| diagnostic.hints.iter().any(is_fix))
        && text != last
        && let Some(first) = diagnostics.first_mut()
    {
        let whole = Span::new(0, text.len());
        first.hints.push(Hint::replace(Message::ops("hlo-hint-back"), whole, last.to_owned()));
    }
    diagnostics
}
