//! `eval --batch`: a line of JSON in, a line of JSON out, whatever is wrong with it.
//!
//! In: `{"name", "hlo", "args"}`, other fields are not looked at. Out: `{"name", "outputs"}` or `{"name", "error"}`,
//! in the order of the lines; the name is null where there is none. Only one case is held at a time. Cases run in a
//! process of their own ([`super::server`]), one by one, so that every line has an answer whatever a case does.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::Command;

use super::arguments::{EvalArgs, TimeLimit};
use super::case::{Terms, too_long};
use super::clock::{Clock, is_interrupted};
use super::eval::limits;
use super::output::{Failure, say};
use super::server::{Server, serve};
use crate::hlo::parser::MAX_TEXT_BYTES;
use crate::i18n::Message;

/// The steps a case takes at most unless another number is asked for: some seconds.
const STEPS: u64 = 100_000_000;
/// The longest line that is read, in bytes: room for the longest text and its arguments.
const MAX_LINE_BYTES: u64 = 8 * MAX_TEXT_BYTES as u64;

/// What editors put before a text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

fn terms(args: &EvalArgs, time: TimeLimit) -> Terms {
    Terms { edition: args.edition.into(), limits: limits(args, STEPS), time: time.0 }
}

/// This program as the process that runs the cases.
fn command(args: &EvalArgs, terms: &Terms, time: TimeLimit) -> Option<Command> {
    let mut command = Command::new(std::env::current_exe().ok()?);
    command.args(["eval", "--serve-cases", "--steps", &terms.limits.steps.to_string()]);
    command.args(["--memory", &args.memory.to_string(), "--time-limit", &time.to_string()]);
    command.args(["--edition", args.edition.word()]);
    Some(command)
}

/// Answers cases as the process that a batch started.
pub(super) fn answer_all(args: &EvalArgs, time: TimeLimit) -> Result<(), Failure> {
    Ok(serve(&mut io::stdin().lock(), &mut io::stdout().lock(), &terms(args, time))?)
}

/// Runs every case of a file.
pub(super) fn run(
    out: &mut impl Write,
    file: &str,
    args: &EvalArgs,
    time: TimeLimit,
    clock: &Clock,
) -> Result<(), Failure> {
    let mut lines: Box<dyn BufRead> = if file == "-" {
        Box::new(io::stdin().lock())
    } else {
        match File::open(file) {
            Ok(opened) => Box::new(BufReader::new(opened)),
            Err(error) => {
                let message = Message::terminal("cli-file");
                say(&message.with("file", file).with("error", error.to_string()).to_string());
                return Err(Failure::Told);
            }
        }
    };
    let terms = terms(args, time);
    let mut server = Server::new(command(args, &terms, time), terms);
    let mut bytes = Vec::new();
    for number in 1_usize.. {
        bytes.clear();
        let read = clock.waiting(|| (&mut lines).take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes));
        let answer = match read {
            Ok(0) => break,
            Ok(count) if count as u64 == MAX_LINE_BYTES && bytes.last() != Some(&b'\n') => {
                skip_line(&mut lines)?;
                too_long(number)
            }
            Ok(_) if bytes.trim_ascii().is_empty() => continue,
            Ok(_) => {
                if bytes.last() != Some(&b'\n') {
                    bytes.push(b'\n');
                }
                server.answer(number, bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes))
            }
            Err(error) => return Err(Failure::Output(error)),
        };
        let is_interrupted = is_interrupted();
        if is_interrupted {
            clock.finish();
        }
        // Whoever reads along gets each answer when it is there.
        out.write_all(&answer).and_then(|()| out.flush())?;
        if is_interrupted {
            say(&Message::terminal("cli-batch-interrupted").with("line", number).to_string());
            return Err(Failure::Interrupted);
        }
    }
    Ok(())
}

/// Goes on to the next line.
fn skip_line(lines: &mut dyn BufRead) -> io::Result<()> {
    loop {
        let buffer = lines.fill_buf()?;
        let end = buffer.iter().position(|b| *b == b'\n');
        let length = end.map_or(buffer.len(), |end| end + 1);
        let is_done = end.is_some() || buffer.is_empty();
        lines.consume(length);
        if is_done {
            return Ok(());
        }
    }
}
