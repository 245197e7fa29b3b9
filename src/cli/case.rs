//! A case of a batch: a line of JSON to parse, run and answer.

use std::io::{self, Write};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::clock::Clock;
use super::evaluation::evaluate_module;
use super::module::parse_dialect;
use super::observer::{ProgressStyle, RunObserver};
use super::trace::Tracer;
use crate::array::{Edition, Literal};
use crate::diagnostic::Diagnostic;
use crate::hlo::{Host, Limits};
use crate::i18n::{Language, Message};
use crate::wire::Problem;
use crate::wire::literal::{AsJson, LiteralJson};

/// Maximum bytes of an output line. It is held in memory, so that a case that fails prints no partial line.
pub(super) const MAX_OUTPUT_LINE_BYTES: usize = 128 << 20;

/// The limits and the edition of a case.
#[derive(Clone, Copy, Debug)]
pub(super) struct CaseSettings {
    pub edition: Edition,
    pub limits: Limits,
    pub time: Option<Duration>,
}

#[derive(Deserialize)]
struct Case<'a> {
    name: String,
    /// In either dialect.
    #[serde(alias = "mlir")]
    hlo: String,
    #[serde(borrow, default)]
    args: Vec<LiteralJson<'a>>,
}

/// The name of a case that is otherwise invalid.
#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Serialize)]
struct Done<'a> {
    name: &'a str,
    outputs: AsJson<'a>,
    /// The notes about lowered builder forms; omitted if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Problem>,
}

#[derive(Serialize)]
struct Failed<'a> {
    name: Option<&'a str>,
    error: Problem,
}

/// An output line that is bounded in length and time.
struct Line<'a> {
    bytes: Vec<u8>,
    clock: &'a Clock,
}

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > MAX_OUTPUT_LINE_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        // Reading the clock takes longer than a small write: it is checked every 64 KiB.
        if (self.bytes.len() ^ (self.bytes.len() + bytes.len())) >> 16 != 0
            && self.clock.stop_reason().is_some()
        {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn line(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// The output line of a failed case.
fn error_line(name: Option<&str>, error: Problem) -> Vec<u8> {
    line(&Failed { name, error })
}

fn problem(rule: &'static str, message: &Message, hint: Option<&Message>) -> Problem {
    Problem::new(rule, message, hint, Language::ENGLISH)
}

/// The name of a case, if it can be parsed.
fn name_of(line: &[u8]) -> Option<String> {
    serde_json::from_slice::<Named>(line).ok().map(|named| named.name)
}

/// The output line for an input line that is too long.
pub(super) fn too_long_line(number: usize) -> Vec<u8> {
    error_line(None, problem("json-case", &Message::terminal("cli-line-length").with("line", number), None))
}

/// The output line for a case that crashed or exceeded its time limit.
pub(super) fn failed_case_line(
    line: &[u8],
    rule: &'static str,
    message: &Message,
    hint: Option<&Message>,
) -> Vec<u8> {
    error_line(name_of(line).as_deref(), problem(rule, message, hint))
}

/// Runs the case on a line and returns its output line.
pub(super) fn run_case(number: usize, line: &[u8], settings: &CaseSettings) -> Vec<u8> {
    let clock = Clock::start(settings.time);
    let case = match serde_json::from_slice::<Case>(line) {
        Ok(case) => case,
        Err(error) => {
            let message = Message::terminal("cli-case")
                .with("line", number)
                .with("column", error.column())
                .with("error", error.to_string());
            let hint = Message::terminal("cli-case-form");
            return failed_case_line(line, "json-case", &message, Some(&hint));
        }
    };
    let name = Some(case.name.as_str());
    let (literal, notes) = match evaluate(&case, settings, &clock) {
        Ok(result) => result,
        Err(error) => return error_line(name, *error),
    };
    let mut out = Line { bytes: Vec::new(), clock: &clock };
    if serde_json::to_writer(&mut out, &Done { name: &case.name, outputs: AsJson(&literal), notes }).is_ok() {
        out.bytes.push(b'\n');
        return out.bytes;
    }
    drop(out);
    if let Some(stop) = clock.stop_reason() {
        return error_line(name, problem(stop.rule(), &stop.message(), stop.hint().as_ref()));
    }
    let message = Message::terminal("cli-answer-length").with("limit", MAX_OUTPUT_LINE_BYTES);
    error_line(name, problem("json-length", &message, Some(&Message::terminal("cli-hint-smaller"))))
}

/// The result of a case, and the notes about lowered builder forms.
fn evaluate(
    case: &Case,
    settings: &CaseSettings,
    clock: &Clock,
) -> Result<(Literal, Vec<Problem>), Box<Problem>> {
    let problem_of = |error: &Diagnostic| Box::new(Problem::of(error, &case.hlo, Language::ENGLISH));
    let parsed = parse_dialect(&case.hlo, settings.edition);
    let notes = Problem::notes(&parsed.diagnostics, &case.hlo, Language::ENGLISH);
    let module = parsed.into_module().map_err(|error| problem_of(&error))?;
    let mut arguments = Vec::with_capacity(case.args.len());
    for (i, argument) in case.args.iter().enumerate() {
        let literal = argument
            .read(&format!("args[{i}]"))
            .map_err(|error| Box::new(problem(error.rule, &error.message, error.hint.as_ref())))?;
        arguments.push(literal);
    }
    let mut observer =
        RunObserver::new(&module, clock.clone(), ProgressStyle::Hidden, None::<Tracer<'_, io::Sink>>);
    let host = Host::default();
    let result = evaluate_module(&module, settings.edition, settings.limits, &host, &mut observer, arguments);
    result.map(|literal| (literal, notes)).map_err(|error| {
        let error = observer.with_stop_reason(error);
        Box::new(Problem::from_run_error(&error, &module, &case.hlo, Language::ENGLISH))
    })
}
