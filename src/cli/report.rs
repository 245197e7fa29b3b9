//! Errors of a run, as text on standard error or as JSON on standard output.

use std::io::Write;

use serde::Serialize;

use super::clock::StopReason;
use super::colour::print_diagnostic;
use super::output::{Failure, json_line};
use crate::diagnostic::{Diagnostic, Hint, Span};
use crate::files::MEMORY_RULE;
use crate::hlo::{EvalError, Module};
use crate::i18n::{Language, Message};
use crate::wire::Problem;

/// An error as JSON.
#[derive(Serialize)]
struct Failed {
    error: Problem,
}

/// Prints an error, as text on standard error or as JSON on standard output.
pub(super) fn report(out: &mut impl Write, json: bool, diagnostic: &Diagnostic, source: &str) -> Failure {
    if json {
        let mut error = Problem::of(diagnostic, source, Language::ENGLISH);
        if source.is_empty() {
            (error.line, error.column) = (None, None);
        }
        return report_json(out, error);
    }
    print_diagnostic(diagnostic, source);
    Failure::Reported
}

/// The diagnostic of a file of arrays.
pub(super) fn file_diagnostic(rule: &'static str, message: Message) -> Diagnostic {
    let diagnostic = Diagnostic::error(Span::default(), rule, message);
    match rule {
        MEMORY_RULE => diagnostic.with_hint(Hint::advice(Message::terminal("cli-hint-memory"))),
        _ => diagnostic,
    }
}

fn report_json(out: &mut impl Write, error: Problem) -> Failure {
    // A failed write changes nothing: the exit code reports the error.
    let _ = json_line(out, &Failed { error });
    Failure::Reported
}

/// Prints why the command was stopped.
pub(super) fn report_stop(out: &mut impl Write, json: bool, stop: StopReason) -> Failure {
    let mut diagnostic = Diagnostic::error(Span::default(), stop.rule(), stop.message());
    diagnostic.hints.extend(stop.hint().map(Hint::advice));
    report(out, json, &diagnostic, "");
    if stop == StopReason::Interrupted { Failure::Interrupted } else { Failure::Reported }
}

/// Prints the error of a run, with hints about options that avoid it.
pub(super) fn report_run_error(
    out: &mut impl Write,
    json: bool,
    mut error: EvalError,
    module: &Module,
    source: &str,
) -> Failure {
    let advice = match error.error.rule {
        "waiting" => Some("cli-hint-waiting"),
        "custom-call-target" => Some("cli-hint-call"),
        _ => None,
    };
    if let Some(key) = advice {
        error.error.hints.clear();
        *error.error = error.error.with_hint(Message::terminal(key));
    }
    let is_interrupted = error.error.rule == StopReason::Interrupted.rule();
    let failure = if json {
        report_json(out, Problem::from_run_error(&error, module, source, Language::ENGLISH))
    } else {
        let source = if error.at.is_some() { source } else { "" };
        report(out, false, &error.diagnostic(module), source)
    };
    if is_interrupted { Failure::Interrupted } else { failure }
}
