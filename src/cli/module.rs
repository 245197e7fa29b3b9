//! `fmt` and `check`, and reading the file of a module, in HLO or `StableHLO` text.
//!
//! In XLA 2017 both lower the forms of the documents' builder: `fmt` prints the lowered module, `check --fix` the text with
//! the forms replaced.

use std::io::{self, Read, Write};

use super::clock::Clock;
use super::colour::{Stream, print_diagnostic, render};
use super::memory_cap;
use super::output::Failure;
use crate::array::Edition;
use crate::diagnostic::{Diagnostic, Hint, LineIndex, Severity, Span};
use crate::hlo::parser::{MAX_TEXT_BYTES, parse_edition};
use crate::hlo::{Module, Parsed, PrintOptions, lower};
use crate::i18n::Message;
use crate::stablehlo::{self, Dialect, dialect};

/// The maximum passes of `check --fix`: a fix may reveal another error, or overlap one that waits for the next pass.
const MAX_FIX_PASSES: usize = 64;

/// Parses a module in either dialect.
pub(super) fn parse_dialect(source: &str, edition: Edition) -> Parsed {
    match dialect(source) {
        Dialect::Hlo => parse_edition(source, edition),
        Dialect::StableHlo => stablehlo::parse_edition(source, edition),
    }
}

/// The first bytes of MLIR bytecode.
const MLIR_BYTECODE: &[u8] = b"ML\xefR";

/// The text of a file, or of standard input for `-`.
pub(super) fn read(file: &str, clock: &Clock) -> Result<String, Box<Diagnostic>> {
    let mut bytes = Vec::new();
    // One byte above the limit shows that the text is too long, which the parser reports.
    let limit = MAX_TEXT_BYTES as u64 + 1;
    let read = clock.exclude_wait(|| {
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
    memory_cap::raise_for_text(bytes.len());
    if bytes.starts_with(MLIR_BYTECODE) {
        return Err(failed("cli-not-text", Message::terminal("cli-bytecode").with("file", file)));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let message = Message::terminal("cli-not-text").with("file", file).with("byte", valid);
        failed("cli-not-text", message)
    })
}

/// The text of a file; prints an error on standard error.
pub(super) fn read_or_report(file: &str, clock: &Clock) -> Result<String, Failure> {
    read(file, clock).map_err(|error| {
        print_diagnostic(&error, "");
        Failure::Reported
    })
}

/// Prints diagnostics of the text on a stream, whose writer is `out`.
pub(super) fn print_diagnostics(
    out: &mut impl Write,
    stream: Stream,
    diagnostics: &[Diagnostic],
    source: &str,
) -> io::Result<()> {
    let lines = LineIndex::new(source);
    let diagnostics = &mut diagnostics.iter();
    diagnostics.try_for_each(|diagnostic| writeln!(out, "{}", render(diagnostic, &lines, stream)))
}

/// The text of a file and its module; prints the diagnostics on standard error.
pub(super) fn module_or_report(
    file: &str,
    edition: Edition,
    clock: &Clock,
) -> Result<(String, Module), Failure> {
    let source = read_or_report(file, clock)?;
    let module = module_of_source_or_report(&source, edition)?;
    Ok((source, module))
}

/// The module of the text; prints the diagnostics on standard error.
pub(super) fn module_of_source_or_report(source: &str, edition: Edition) -> Result<Module, Failure> {
    let parsed = parse_dialect(source, edition);
    // A failed write changes nothing: the exit code reports the error.
    let _ = print_diagnostics(&mut io::stderr().lock(), Stream::Error, &parsed.diagnostics, source);
    if parsed.error().is_some() {
        return Err(Failure::Reported);
    }
    Ok(parsed.module)
}

/// The options with which `fmt` prints.
pub(super) fn print_options(layouts: bool, long: bool) -> PrintOptions {
    PrintOptions { layouts, ..if long { PrintOptions::LONG } else { PrintOptions::SHORT } }
}

/// `fmt`: prints a module in XLA's syntax.
pub(super) fn print(
    out: &mut impl Write,
    file: &str,
    edition: Edition,
    form: PrintOptions,
    clock: &Clock,
) -> Result<(), Failure> {
    let (_, module) = module_or_report(file, edition, clock)?;
    Ok(write!(out, "{}", module.text(form))?)
}

/// `fmt --to stablehlo`: prints a module as `StableHLO`.
pub(super) fn print_stablehlo(
    out: &mut impl Write,
    file: &str,
    edition: Edition,
    clock: &Clock,
) -> Result<(), Failure> {
    let (source, module) = module_or_report(file, edition, clock)?;
    match stablehlo::print(&module) {
        Ok(text) => Ok(write!(out, "{text}")?),
        Err(errors) => {
            let _ = print_diagnostics(&mut io::stderr().lock(), Stream::Error, &errors, &source);
            Err(Failure::Reported)
        }
    }
}

/// `check`: prints the diagnostics of a module and their number.
pub(super) fn check(
    out: &mut impl Write,
    file: &str,
    edition: Edition,
    clock: &Clock,
) -> Result<(), Failure> {
    let source = read_or_report(file, clock)?;
    let parsed = parse_dialect(&source, edition);
    let count = |severity| parsed.diagnostics.iter().filter(|d| d.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let counts = Message::terminal("cli-counts").with("errors", errors).with("warnings", warnings);
    let written = print_diagnostics(out, Stream::Output, &parsed.diagnostics, &source)
        .and_then(|()| writeln!(out, "{counts}"));
    // A failed write changes nothing: the exit code reports the error.
    if errors == 0 { Ok(written?) } else { Err(Failure::Reported) }
}

/// The text with the first fixes of these errors, as many as do not overlap; `None` if there are none.
fn with_fixes(text: &str, diagnostics: &[Diagnostic]) -> Option<String> {
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let fixes = errors.filter_map(|error| error.hints.iter().find(|hint| !hint.edits.is_empty()));
    let mut all: Option<Hint> = None;
    for fix in fixes {
        let Some(all) = &mut all else {
            all = Some(fix.clone());
            continue;
        };
        let end = all.edits.last().map_or(0, |edit| edit.span.end);
        if fix.edits.first().is_some_and(|edit| edit.span.start > end) {
            all.edits.extend(fix.edits.iter().cloned());
        }
    }
    all?.apply(text)
}

/// `check --fix`: prints the text of a module with its fixes.
pub(super) fn fix(out: &mut impl Write, file: &str, edition: Edition, clock: &Clock) -> Result<(), Failure> {
    let mut text = read_or_report(file, clock)?;
    for _ in 0..MAX_FIX_PASSES {
        let parsed = parse_dialect(&text, edition);
        let fixed = with_fixes(&text, &parsed.diagnostics);
        let Some(fixed) = fixed.filter(|fixed| *fixed != text && clock.stop_reason().is_none()) else {
            break;
        };
        text = fixed;
    }
    if dialect(&text) == Dialect::StableHlo {
        let parsed = parse_dialect(&text, edition);
        let _ = print_diagnostics(&mut io::stderr().lock(), Stream::Error, &parsed.diagnostics, &text);
        write!(out, "{text}")?;
        return if parsed.error().is_some() { Err(Failure::Reported) } else { Ok(()) };
    }
    let lowered = lower(&text, edition);
    let parsed = parse_dialect(&lowered.text, edition);
    let mut errors = io::stderr().lock();
    // Failed writes change nothing: the exit code reports errors.
    let _ = print_diagnostics(&mut errors, Stream::Error, &lowered.notes, &text);
    let _ = print_diagnostics(&mut errors, Stream::Error, &parsed.diagnostics, &lowered.text);
    write!(out, "{}", lowered.text)?;
    if parsed.error().is_some() { Err(Failure::Reported) } else { Ok(()) }
}
