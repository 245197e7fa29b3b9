//! `fmt` and `check`, and reading the file of a module.

use std::io::{self, Read, Write};

use super::clock::Clock;
use super::output::{Failure, print_error};
use crate::array::Edition;
use crate::diagnostic::{Diagnostic, Lines, Severity, Span};
use crate::hlo::parser::{MAX_TEXT_BYTES, parse_edition};
use crate::hlo::{Parsed, PrintOptions};
use crate::i18n::{Language, Message};

/// The text of a file, or of standard input for `-`.
pub(super) fn read(file: &str, clock: &Clock) -> Result<String, Box<Diagnostic>> {
    let mut bytes = Vec::new();
    // One byte above the limit shows that the text is too long, which the parser reports.
    let limit = MAX_TEXT_BYTES as u64 + 1;
    let read = clock.waiting(|| {
        if file == "-" {
            io::stdin().lock().take(limit).read_to_end(&mut bytes)
        } else {
            std::fs::File::open(file).and_then(|opened| opened.take(limit).read_to_end(&mut bytes))
        }
    });
    let failed = |rule, message: Message| Box::new(Diagnostic::error(Span::default(), rule, message));
    read.map_err(|error| {
        let message = Message::terminal("cli-file").with("file", file).with("error", error.to_string());
        failed("cli-file", message)
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let message = Message::terminal("cli-not-text").with("file", file).with("byte", valid);
        failed("cli-not-text", message)
    })
}

/// The text of a file; prints an error on standard error.
fn read_or_report(file: &str, clock: &Clock) -> Result<String, Failure> {
    read(file, clock).map_err(|error| {
        print_error(&error.render("", Language::ENGLISH));
        Failure::Reported
    })
}

/// Prints the diagnostics of a module.
pub(super) fn print_diagnostics(out: &mut impl Write, parsed: &Parsed, source: &str) -> io::Result<()> {
    let lines = Lines::new(source);
    let diagnostics = &mut parsed.diagnostics.iter();
    diagnostics
        .try_for_each(|diagnostic| writeln!(out, "{}", diagnostic.render_with(&lines, Language::ENGLISH)))
}

/// `fmt`: prints a module in XLA's syntax.
pub(super) fn print(
    out: &mut impl Write,
    file: &str,
    layouts: bool,
    long: bool,
    clock: &Clock,
) -> Result<(), Failure> {
    let source = read_or_report(file, clock)?;
    let parsed = parse_edition(&source, Edition::Now);
    // A failed write changes nothing: the exit code reports the error.
    let _ = print_diagnostics(&mut io::stderr().lock(), &parsed, &source);
    if parsed.error().is_some() {
        return Err(Failure::Reported);
    }
    let form = if long { PrintOptions::LONG } else { PrintOptions::SHORT };
    Ok(write!(out, "{}", parsed.module.text(PrintOptions { layouts, ..form }))?)
}

/// `check`: prints the diagnostics of a module and their number.
pub(super) fn check(
    out: &mut impl Write,
    file: &str,
    edition: Edition,
    clock: &Clock,
) -> Result<(), Failure> {
    let source = read_or_report(file, clock)?;
    let parsed = parse_edition(&source, edition);
    let count = |severity| parsed.diagnostics.iter().filter(|d| d.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let counts = Message::terminal("cli-counts").with("errors", errors).with("warnings", warnings);
    let written = print_diagnostics(out, &parsed, &source).and_then(|()| writeln!(out, "{counts}"));
    // A failed write changes nothing: the exit code reports the error.
    if errors == 0 { Ok(written?) } else { Err(Failure::Reported) }
}
