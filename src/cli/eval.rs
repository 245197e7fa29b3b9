//! `eval`: runs a module on the arguments of the command line.

use std::io::{self, Write};

use serde::Serialize;

use super::arguments::EvalArgs;
use super::clock::{Clock, Stop};
use super::module::{print_diagnostics, read};
use super::output::{Failure, json_line, print_error};
use super::trace::{Tracer, print_value};
use super::watch::{ProgressStyle, Watch};
use crate::array::Literal;
use crate::array::literal::shaped::parse_shaped;
use crate::diagnostic::{Diagnostic, Hint, Severity, Span};
use crate::hlo::parser::parse_edition;
use crate::hlo::{Evaluator, Limits};
use crate::i18n::{Language, Message};
use crate::wire::Problem;
use crate::wire::literal::{self, AsJson};

/// An error as JSON.
#[derive(Serialize)]
struct Failed {
    error: Problem,
}

/// Prints an error, as text on standard error or as JSON on standard output.
fn report(out: &mut impl Write, json: bool, diagnostic: &Diagnostic, source: &str) -> Failure {
    if json {
        let mut error = Problem::of(diagnostic, source, Language::ENGLISH);
        if source.is_empty() {
            (error.line, error.column) = (None, None);
        }
        return report_json(out, error);
    }
    print_error(&diagnostic.render(source, Language::ENGLISH));
    Failure::Reported
}

fn report_json(out: &mut impl Write, error: Problem) -> Failure {
    // A failed write changes nothing: the exit code reports the error.
    let _ = json_line(out, &Failed { error });
    Failure::Reported
}

/// The limits of a run.
pub(super) fn limits(args: &EvalArgs, steps: u64) -> Limits {
    Limits { steps: args.steps.unwrap_or(steps), bytes: args.memory.saturating_mul(1 << 20) }
}

/// Prints why the command was stopped.
pub(super) fn report_stop(out: &mut impl Write, json: bool, stop: Stop) -> Failure {
    let mut diagnostic = Diagnostic::error(Span::default(), stop.rule(), stop.message());
    diagnostic.hints.extend(stop.hint().map(Hint::advice));
    report(out, json, &diagnostic, "");
    if stop == Stop::Interrupted { Failure::Interrupted } else { Failure::Reported }
}

/// Runs the module and prints its result, or every value.
pub(super) fn run(out: &mut impl Write, args: &EvalArgs, clock: &Clock) -> Result<(), Failure> {
    let file = args.file.as_deref().unwrap_or("-");
    let source = read(file, clock).map_err(|error| report(out, args.json, &error, ""))?;
    let edition = args.edition.into();
    let parsed = parse_edition(&source, edition);
    if args.json {
        if let Some(error) = parsed.error() {
            return Err(report(out, true, error, &source));
        }
    } else {
        // A failed write changes nothing: the exit code reports the error.
        let _ = print_diagnostics(&mut io::stderr().lock(), &parsed, &source);
        if parsed.error().is_some() {
            return Err(Failure::Reported);
        }
    }
    let module = parsed.module;
    let mut arguments = Vec::new();
    for (number, text) in args.args.iter().enumerate() {
        arguments.push(argument(out, args.json, number, text)?);
    }
    let limits = limits(args, Limits::default().steps);
    let tracer = args.trace.then(|| Tracer::new(&module, &mut *out, args.json));
    let mut watch = Watch::new(&module, clock.clone(), ProgressStyle::for_stderr(args.progress), tracer);
    let evaluator = Evaluator::new(&module).edition(edition).limits(limits);
    let result = evaluator.observer(&mut watch).run_owned(arguments);
    watch.clear();
    let result = result.map_err(|error| watch.with_stop_reason(error));
    if let Some(tracer) = watch.tracer {
        tracer.finish()?;
    }
    match result {
        Ok(literal) if args.json => json_line(out, &AsJson(&literal)),
        // The trace has printed the root's value last.
        Ok(_) if args.trace => Ok(()),
        Ok(literal) => Ok(print_value(out, &literal)?),
        Err(error) => {
            let is_interrupted = error.error.rule == Stop::Interrupted.rule();
            let failure = if args.json {
                report_json(out, Problem::from_run_error(&error, &module, &source, Language::ENGLISH))
            } else {
                let source = if error.at.is_some() { source.as_str() } else { "" };
                report(out, false, &error.diagnostic(&module), source)
            };
            Err(if is_interrupted { Failure::Interrupted } else { failure })
        }
    }
}

/// Parses an argument: a shape followed by a literal, or a literal's JSON form.
fn argument(out: &mut impl Write, json: bool, number: usize, text: &str) -> Result<Literal, Failure> {
    if text.trim_start().starts_with("{\"") {
        return literal::parse(text).map_err(|error| {
            let message =
                Message::terminal("cli-argument").with("number", number).with("error", error.message);
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
