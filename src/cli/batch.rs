//! `eval --batch`: a line of JSON in, a line of JSON out, whatever is wrong with it.
//!
//! In: `{"name", "hlo", "args"}`, other fields are not looked at. Out: `{"name", "outputs"}` or `{"name", "error"}`,
//! in the order of the lines; the name is null where there is none. Only one case is held at a time.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};

use serde::{Deserialize, Serialize};

use super::{EvalArgs, Failure, json_line};
use crate::array::{Edition, Literal};
use crate::diagnostic::Diagnostic;
use crate::hlo::parser::{LONGEST, parse_as};
use crate::hlo::{Evaluator, Limits};
use crate::i18n::{Language, Message};
use crate::wire::Problem;
use crate::wire::literal::{AsJson, LiteralForm};

/// The steps a case takes at most unless another number is asked for: some seconds.
const STEPS: u64 = 100_000_000;
/// The longest line that is read, in bytes: room for the longest text and its arguments.
const LONGEST_LINE: u64 = 8 * LONGEST as u64;

/// What editors put before a text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

#[derive(Deserialize)]
struct Case<'a> {
    name: String,
    hlo: String,
    #[serde(borrow, default)]
    args: Vec<LiteralForm<'a>>,
}

/// The name alone, for a case that is wrong otherwise.
#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Serialize)]
struct Done<'a> {
    name: &'a str,
    outputs: AsJson<'a>,
}

#[derive(Serialize)]
struct Failed<'a> {
    name: Option<&'a str>,
    error: Problem,
}

/// Runs every case of a file.
pub(super) fn run(out: &mut impl Write, file: &str, args: &EvalArgs) -> Result<(), Failure> {
    let mut lines: Box<dyn BufRead> = if file == "-" {
        Box::new(io::stdin().lock())
    } else {
        match File::open(file) {
            Ok(opened) => Box::new(BufReader::new(opened)),
            Err(error) => {
                let message = Message::terminal("cli-file");
                eprintln!("{}", message.with("file", file).with("error", error.to_string()));
                return Err(Failure::Told);
            }
        }
    };
    let limits = Limits { steps: args.steps.unwrap_or(STEPS), ..Limits::default() };
    let mut bytes = Vec::new();
    for number in 1_usize.. {
        bytes.clear();
        let read = (&mut lines).take(LONGEST_LINE).read_until(b'\n', &mut bytes);
        match read {
            Ok(0) => break,
            Ok(count) if count as u64 == LONGEST_LINE && bytes.last() != Some(&b'\n') => {
                skip_line(&mut lines)?;
                let message = Message::terminal("cli-line-length").with("line", number);
                let error = Problem::new("json-case", &message, None, Language::ENGLISH);
                json_line(out, &Failed { name: None, error })?;
            }
            Ok(_) if bytes.trim_ascii().is_empty() => {}
            Ok(_) => case(
                out,
                number,
                bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes),
                args.edition.into(),
                limits,
            )?,
            Err(error) => return Err(Failure::Output(error)),
        }
        // Whoever reads along gets each answer when it is there.
        out.flush()?;
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

fn case(
    out: &mut impl Write,
    number: usize,
    line: &[u8],
    edition: Edition,
    limits: Limits,
) -> Result<(), Failure> {
    match serde_json::from_slice::<Case>(line) {
        Ok(case) => match evaluate(&case, edition, limits) {
            Ok(literal) => json_line(out, &Done { name: &case.name, outputs: AsJson(&literal) }),
            Err(error) => json_line(out, &Failed { name: Some(&case.name), error: *error }),
        },
        Err(error) => {
            let named = serde_json::from_slice::<Named>(line).ok();
            let message = Message::terminal("cli-case")
                .with("line", number)
                .with("column", error.column())
                .with("error", error.to_string());
            let hint = Message::terminal("cli-case-form");
            let error = Problem::new("json-case", &message, Some(&hint), Language::ENGLISH);
            json_line(out, &Failed { name: named.as_ref().map(|named| named.name.as_str()), error })
        }
    }
}

fn evaluate(case: &Case, edition: Edition, limits: Limits) -> Result<Literal, Box<Problem>> {
    let told = |error: &Diagnostic| Box::new(Problem::of(error, &case.hlo, Language::ENGLISH));
    let module = parse_as(&case.hlo, edition).into_module().map_err(|error| told(&error))?;
    let mut arguments = Vec::with_capacity(case.args.len());
    for (i, form) in case.args.iter().enumerate() {
        let literal = form.read(&format!("args[{i}]")).map_err(|error| {
            Box::new(Problem::new(error.rule, &error.message, error.hint.as_ref(), Language::ENGLISH))
        })?;
        arguments.push(literal);
    }
    let mut evaluator = Evaluator::new(&module).edition(edition).limits(limits);
    evaluator
        .run(&arguments)
        .map_err(|error| Box::new(Problem::of_run(&error, &module, &case.hlo, Language::ENGLISH)))
}
