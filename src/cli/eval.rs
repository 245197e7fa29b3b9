//! `eval`: runs a module on the arguments of the command line.

use std::io::{self, Write};

use serde::Serialize;

use super::arguments::EvalArgs;
use super::clock::Clock;
use super::files::{self, Form};
use super::given::{limits, value};
use super::host::{Supplies, print_outfeed};
use super::module::{parse_dialect, print_diagnostics, read};
use super::observer::{ProgressStyle, RunObserver};
use super::output::{Failure, json_line};
use super::replicas;
use super::report::{report, report_run_error};
use super::trace::{Tracer, print_value};
use super::whole::value_of;
use crate::diagnostic::{Diagnostic, Span};
use crate::hlo::Limits;
use crate::i18n::{Language, Message};
use crate::wire::Problem;
use crate::wire::literal::AsJson;

/// What was lowered, as JSON.
#[derive(Serialize)]
struct Noted {
    notes: Vec<Problem>,
}

/// Runs the module and prints its result, or every value.
pub(super) fn run(out: &mut impl Write, args: &EvalArgs, clock: &Clock) -> Result<(), Failure> {
    let file = args.file.as_deref().unwrap_or("-");
    let source = read(file, clock).map_err(|error| report(out, args.json, &error, ""))?;
    let edition = args.edition.into();
    let parsed = parse_dialect(&source, edition);
    if args.json {
        if let Some(error) = parsed.error() {
            return Err(report(out, true, error, &source));
        }
        let notes = Problem::notes(&parsed.diagnostics, &source, Language::ENGLISH);
        if !notes.is_empty() {
            // Before the run, so that a run that fails has them, too.
            json_line(out, &Noted { notes })?;
        }
    } else {
        // A failed write changes nothing: the exit code reports the error.
        let _ = print_diagnostics(&mut io::stderr().lock(), &parsed.diagnostics, &source);
        if parsed.error().is_some() {
            return Err(Failure::Reported);
        }
    }
    let module = parsed.module;
    let mut arguments = Vec::new();
    let parameters = module.interface().map(|interface| interface.parameters).unwrap_or_default();
    for text in &args.args {
        let number = arguments.len();
        if let Some(form) = Form::of(text) {
            let shapes = parameters.get(number % parameters.len().max(1)..).unwrap_or_default();
            let values = clock.waiting(|| files::read(text, form, shapes));
            arguments.extend(values.map_err(|(rule, message)| {
                report(out, args.json, &Diagnostic::error(Span::default(), rule, message), "")
            })?);
            continue;
        }
        let name = Message::terminal("cli-argument").with("number", number);
        arguments.push(value(out, args.json, &name, text)?);
    }
    if let Some(count) = args.replicas {
        return replicas::run(out, (&module, &source), args, count, arguments, clock);
    }
    let host = Supplies::read(out, args, clock)?.host();
    let limits = limits(args, Limits::default().steps);
    let tracer = args.trace.then(|| Tracer::new(&module, &mut *out, args.json));
    let mut observer =
        RunObserver::new(&module, clock.clone(), ProgressStyle::for_stderr(args.progress), tracer);
    let result = value_of(&module, edition, limits, &host, &mut observer, arguments);
    observer.clear();
    let result = result.map_err(|error| observer.with_stop_reason(error));
    if let Some(tracer) = observer.tracer {
        tracer.finish()?;
    }
    match result {
        Ok(literal) if args.json => json_line(out, &AsJson(&literal))?,
        // The trace has printed the root's value last.
        Ok(_) if args.trace => {}
        Ok(literal) => print_value(out, &literal)?,
        Err(error) => return Err(report_run_error(out, args.json, error, &module, &source)),
    }
    print_outfeed(out, &host, args.json)
}
