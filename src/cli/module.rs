//! `fmt` and `check`, and the reading of files that all commands on modules share.

use std::io::{self, Read, Write};

use super::clock::Clock;
use super::output::{Failure, say};
use crate::array::Edition;
use crate::diagnostic::{Diagnostic, Lines, Severity, Span};
use crate::hlo::parser::{MAX_TEXT_BYTES, parse_edition};
use crate::hlo::{Parsed, PrintOptions};
use crate::i18n::{Language, Message};

/// The text of a file, or of standard input for `-`. Gives a diagnostic where there is none.
pub(super) fn read(file: &str, clock: &Clock) -> Result<String, Box<Diagnostic>> {
    let mut bytes = Vec::new();
    // One byte more than is read of it tells that it is too long; the parser says so.
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

/// The text of a file; what is wrong with it goes to standard error.
fn read_or_tell(file: &str, clock: &Clock) -> Result<String, Failure> {
    read(file, clock).map_err(|error| {
        say(&error.render("", Language::ENGLISH));
        Failure::Told
    })
}

/// Prints all that is wrong with a module.
pub(super) fn tell(out: &mut impl Write, parsed: &Parsed, source: &str) -> io::Result<()> {
    let lines = Lines::new(source);
    let told = &mut parsed.diagnostics.iter();
    told.try_for_each(|diagnostic| writeln!(out, "{}", diagnostic.render_in(&lines, Language::ENGLISH)))
}

/// Prints a module as XLA prints it.
pub(super) fn print(
    out: &mut impl Write,
    file: &str,
    layouts: bool,
    long: bool,
    clock: &Clock,
) -> Result<(), Failure> {
    let source = read_or_tell(file, clock)?;
    let parsed = parse_edition(&source, Edition::Now);
    // Without a reader the exit code still says it.
    let _ = tell(&mut io::stderr().lock(), &parsed, &source);
    if parsed.error().is_some() {
        return Err(Failure::Told);
    }
    let form = if long { PrintOptions::LONG } else { PrintOptions::SHORT };
    Ok(write!(out, "{}", parsed.module.text(PrintOptions { layouts, ..form }))?)
}

/// Prints what is wrong with a module.
pub(super) fn check(
    out: &mut impl Write,
    file: &str,
    edition: Edition,
    clock: &Clock,
) -> Result<(), Failure> {
    let source = read_or_tell(file, clock)?;
    let parsed = parse_edition(&source, edition);
    let count = |severity| parsed.diagnostics.iter().filter(|d| d.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let counts = Message::terminal("cli-counts").with("errors", errors).with("warnings", warnings);
    let written = tell(out, &parsed, &source).and_then(|()| writeln!(out, "{counts}"));
    // Without a reader the exit code still says it.
    if errors == 0 { Ok(written?) } else { Err(Failure::Told) }
}
