//! Values and limits of a run, from the command line.

use std::io::Write;

use super::arguments::EvalArgs;
use super::output::Failure;
use super::report::report;
use crate::array::Literal;
use crate::array::literal::shaped::parse_shaped;
use crate::diagnostic::{Diagnostic, Hint, Severity, Span};
use crate::hlo::Limits;
use crate::i18n::Message;
use crate::wire::literal;

/// The limits of a run.
pub(super) fn limits(args: &EvalArgs, steps: u64) -> Limits {
    Limits { steps: args.steps.unwrap_or(steps), bytes: args.memory.saturating_mul(1 << 20) }
}

/// Parses a value: a shape followed by a literal, or a literal's JSON form. `name` is how errors of the latter name it.
pub(super) fn parse_value(
    out: &mut impl Write,
    json: bool,
    name: &Message,
    text: &str,
) -> Result<Literal, Failure> {
    if text.trim_start().starts_with("{\"") {
        return literal::parse(text).map_err(|error| {
            let message =
                Message::terminal("cli-value").with("name", name.clone()).with("error", error.message);
            let mut diagnostic = Diagnostic::error(Span::default(), error.rule, message);
            diagnostic.hints.extend(error.hint.map(Hint::advice));
            report(out, json, &diagnostic, "")
        });
    }
    let parsed = parse_shaped(text);
    let is_error = |d: &&Diagnostic| d.severity == Severity::Error || d.rule == "literal-elided";
    match (parsed.diagnostics.iter().find(is_error), parsed.value) {
        (None, Some(literal)) => Ok(literal),
        (Some(error), _) => Err(report(out, json, error, text)),
        (None, None) => {
            let message = Message::new("literal-expected").with("expected", "f32[2] {1, 2}");
            let error = Diagnostic::error(Span::default(), "literal-syntax", message);
            Err(report(out, json, &error, text))
        }
    }
}
