//! `eval --batch`: reads a JSON case per line and prints a JSON result per line, even for an invalid one.
//!
//! Input: `{"name", "hlo", "args"}`; other fields are ignored. Output: `{"name", "outputs"}`, with `"notes"` if builder
//! forms were lowered, or `{"name", "error"}`, in input order; the name is null if it could not be read.
//! One case at a time is in memory. Cases run one by one in a child process ([`super::case_process`]), so that every line gets a
//! result even if its case crashes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::Command;

use super::arguments::{EvalArgs, TimeLimit};
use super::case::{CaseSettings, too_long_line};
use super::case_process::{CaseRunner, run_case_loop};
use super::clock::{Clock, is_interrupted};
use super::output::{Failure, print_error};
use super::run_options::limits;
use crate::hlo::parser::MAX_TEXT_BYTES;
use crate::i18n::Message;

/// The default step limit of a case: a few seconds.
const DEFAULT_CASE_STEPS: u64 = 100_000_000;
/// Maximum bytes of an input line: those of an HLO text, and as many for its arguments and JSON escapes.
const MAX_LINE_BYTES: u64 = 2 * MAX_TEXT_BYTES as u64;

/// Skipped at the start of a line, as some editors begin a file with it.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

fn settings(args: &EvalArgs, time: TimeLimit) -> CaseSettings {
    CaseSettings { edition: args.edition.into(), limits: limits(args, DEFAULT_CASE_STEPS), time: time.0 }
}

/// The child process that runs the cases: this program.
fn command(args: &EvalArgs, settings: &CaseSettings, time: TimeLimit) -> Option<Command> {
    let mut command = Command::new(std::env::current_exe().ok()?);
    command.args(["eval", "--serve-cases", "--steps", &settings.limits.steps.to_string()]);
    command.args(["--memory", &args.memory.to_string(), "--time-limit", &time.to_string()]);
    command.args(["--edition", args.edition.word()]);
    Some(command)
}

/// Runs cases as the child process of a batch.
pub(super) fn serve_cases(args: &EvalArgs, time: TimeLimit) -> Result<(), Failure> {
    Ok(run_case_loop(&mut io::stdin().lock(), &mut io::stdout().lock(), &settings(args, time))?)
}

/// Runs every case of a file.
pub(super) fn run(
    out: &mut impl Write,
    file: &str,
    args: &EvalArgs,
    time: TimeLimit,
    clock: &Clock,
) -> Result<(), Failure> {
    let mut input: Box<dyn BufRead> = if file == "-" {
        Box::new(io::stdin().lock())
    } else {
        match File::open(file) {
            Ok(opened) => Box::new(BufReader::new(opened)),
            Err(error) => {
                let message = Message::terminal("cli-file");
                print_error(&message.with("file", file).with("error", error.to_string()).to_string());
                return Err(Failure::Reported);
            }
        }
    };
    let settings = settings(args, time);
    let mut runner = CaseRunner::new(command(args, &settings, time), settings);
    let mut bytes = Vec::new();
    for line_number in 1_usize.. {
        bytes.clear();
        let read = clock.exclude_wait(|| (&mut input).take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes));
        let output = match read {
            Ok(0) => break,
            Ok(count) if count as u64 == MAX_LINE_BYTES && bytes.last() != Some(&b'\n') => {
                skip_line(&mut input)?;
                too_long_line(line_number)
            }
            Ok(_) if bytes.trim_ascii().is_empty() => continue,
            Ok(_) => {
                if bytes.last() != Some(&b'\n') {
                    bytes.push(b'\n');
                }
                runner.run_case(line_number, bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes))
            }
            Err(error) => return Err(Failure::Output(error)),
        };
        let is_interrupted = is_interrupted();
        if is_interrupted {
            clock.finish();
        }
        // Flushed per case, so that a consumer gets each result as soon as it is available.
        out.write_all(&output).and_then(|()| out.flush())?;
        if is_interrupted {
            print_error(&Message::terminal("cli-batch-interrupted").with("line", line_number).to_string());
            return Err(Failure::Interrupted);
        }
    }
    Ok(())
}

/// Skips the rest of a line.
fn skip_line(input: &mut dyn BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let end = buffer.iter().position(|b| *b == b'\n');
        let length = end.map_or(buffer.len(), |end| end + 1);
        let is_done = end.is_some() || buffer.is_empty();
        input.consume(length);
        if is_done {
            return Ok(());
        }
    }
}
