//! `eval`: runs a module on the arguments of the command line.

use std::fs::File;
use std::io::{self, Write};

use serde::Serialize;

use super::arguments::EvalArgs;
use super::clock::{Clock, ClockedInput, StopReason};
use super::colour::Stream;
use super::evaluation::evaluate_module;
use super::host::{HostInputs, print_outfeed};
use super::module::{parse_dialect, print_diagnostics, read};
use super::observer::{ProgressStyle, RunObserver};
use super::output::{Failure, json_line};
use super::replicas;
use super::report::{file_diagnostic, report, report_run_error, report_stop};
use super::run_options::{limits, parse_value};
use super::save::{arrays, save};
use super::trace::{Tracer, print_value};
use crate::array::{Literal, Shape};
use crate::files::write::dtype_name;
use crate::files::{ArgumentReader, FileError, Format, unreadable};
use crate::hlo::{Limits, Module};
use crate::i18n::{Language, Message};
use crate::wire::Problem;
use crate::wire::literal::AsJson;

/// The notes about lowered builder forms, as JSON.
#[derive(Serialize)]
struct Noted {
    notes: Vec<Problem>,
}

/// The shape and the types of a result that was written to a file, as JSON.
#[derive(Serialize)]
struct Saved {
    shape: String,
    /// The types of its arrays, as `NumPy` or `ml_dtypes` names them: a file has elements of types that `NumPy` lacks as bytes.
    dtypes: Vec<&'static str>,
}

/// The arguments of the command line, not parsed yet.
pub(super) struct ArgumentTexts<'a> {
    /// The texts of `--arg`.
    pub texts: &'a [String],
    /// Whether errors are printed as JSON.
    pub is_json: bool,
    /// The limit of memory in MiB.
    pub memory: u64,
    /// The number of replicas, which may have arguments of their own.
    pub replicas: usize,
}

/// The arguments of the command line, those in files with the shapes of their parameters.
pub(super) fn arguments(
    out: &mut impl Write,
    args: &ArgumentTexts<'_>,
    module: &Module,
    clock: &Clock,
) -> Result<Vec<Literal>, Failure> {
    let parameters = module.interface().map(|interface| interface.parameters).unwrap_or_default();
    let count = parameters.len().saturating_mul(args.replicas);
    let is_cancelled = || clock.stop_reason().is_some();
    let mut reading = ArgumentReader::new(args.memory.saturating_mul(1 << 20), &is_cancelled);
    let mut arguments = Vec::new();
    for text in args.texts {
        let number = arguments.len();
        let Some(form) = Format::of_name(text) else {
            let name = Message::terminal("cli-argument").with("number", number);
            arguments.push(parse_value(out, args.is_json, &name, text)?);
            continue;
        };
        let left: Vec<&Shape> = parameters.iter().cycle().take(count).skip(number).collect();
        match read_file(&mut reading, text, form, &left, clock) {
            Ok(values) => arguments.extend(values),
            Err(FileError::Rejected { rule, message }) => {
                return Err(report(out, args.is_json, &file_diagnostic(rule, message), ""));
            }
            Err(FileError::Cancelled) => {
                // A command that must stop stays so, so there is a reason.
                let stop = clock.stop_reason().unwrap_or(StopReason::Interrupted);
                return Err(report_stop(out, args.is_json, stop));
            }
        }
    }
    Ok(arguments)
}

/// The values of a file, for the parameters of these shapes.
fn read_file(
    reading: &mut ArgumentReader,
    file: &str,
    form: Format,
    parameters: &[&Shape],
    clock: &Clock,
) -> Result<Vec<Literal>, FileError> {
    let opened = clock.exclude_wait(|| File::open(file).and_then(|inner| Ok((inner.metadata()?, inner))));
    let (metadata, inner) = opened.map_err(|error| unreadable(file, &error))?;
    let length = metadata.is_file().then_some(metadata.len());
    reading.read(file, form, &mut ClockedInput { inner, clock }, length, parameters)
}

/// Runs the module and prints its result, or every value.
pub(super) fn run(out: &mut impl Write, args: &EvalArgs, clock: &Clock) -> Result<(), Failure> {
    let file = args.file.as_deref().unwrap_or("-");
    let source = read(file, clock).map_err(|error| report(out, args.json, &error, ""))?;
    let edition = args.edition.into();
    let mut parsed = parse_dialect(&source, edition);
    if args.replicas.is_none() {
        parsed.diagnostics.extend(replicas::single_device_note(&parsed.module, &source));
    }
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
        let _ = print_diagnostics(&mut io::stderr().lock(), Stream::Error, &parsed.diagnostics, &source);
        if parsed.error().is_some() {
            return Err(Failure::Reported);
        }
    }
    let module = parsed.module;
    let texts = ArgumentTexts {
        texts: &args.args,
        is_json: args.json,
        memory: args.memory,
        replicas: args.replicas.unwrap_or(1),
    };
    let arguments = arguments(out, &texts, &module, clock)?;
    if let Some(count) = args.replicas {
        return replicas::run(out, (&module, &source), args, count, arguments, clock);
    }
    let host = HostInputs::read(out, args, clock)?.host();
    let limits = limits(args, Limits::default().steps);
    let tracer = args.trace.then(|| Tracer::new(&module, &mut *out, args.json));
    let mut observer =
        RunObserver::new(&module, clock.clone(), ProgressStyle::for_stderr(args.progress), tracer);
    let result = evaluate_module(&module, edition, limits, &host, &mut observer, arguments);
    observer.clear();
    let result = result.map_err(|error| observer.with_stop_reason(error));
    if let Some(tracer) = observer.tracer {
        tracer.finish()?;
    }
    if let (Some(file), Ok(literal)) = (&args.out, &result) {
        save(out, args.json, file, literal)?;
        if args.json {
            let dtypes = arrays(literal).into_iter().map(|array| dtype_name(array.element_type()));
            json_line(out, &Saved { shape: literal.shape().to_string(), dtypes: dtypes.collect() })?;
        }
        return print_outfeed(out, &host, args.json);
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
