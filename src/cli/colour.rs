//! Colours of diagnostics: on a terminal, unless `NO_COLOR` is set, or as `--color` says.

use std::io::{self, Write};

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};

use super::arguments::ColourArg;
use crate::diagnostic::{Diagnostic, LineIndex, Part, Severity};
use crate::i18n::Language;

/// Selects when colours are written, for the rest of the process.
pub(super) fn set(colour: ColourArg) {
    colour.choice().write_global();
}

impl ColourArg {
    /// The same choice for clap's own output.
    pub fn to_clap(self) -> clap::ColorChoice {
        match self {
            Self::Auto => clap::ColorChoice::Auto,
            Self::Always => clap::ColorChoice::Always,
            Self::Never => clap::ColorChoice::Never,
        }
    }

    fn choice(self) -> anstream::ColorChoice {
        match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        }
    }
}

/// The stream of a diagnostic.
#[derive(Clone, Copy)]
pub(super) enum Stream {
    /// Standard output.
    Output,
    /// Standard error.
    Error,
}

impl Stream {
    fn has_colours(self) -> bool {
        let choice = match self {
            Self::Output => AutoStream::choice(&io::stdout()),
            Self::Error => AutoStream::choice(&io::stderr()),
        };
        choice != anstream::ColorChoice::Never
    }
}

fn style(part: Part) -> Style {
    let colour = |colour: AnsiColor| Style::new().fg_color(Some(colour.into()));
    match part {
        Part::Severity(Severity::Error) => colour(AnsiColor::Red).bold(),
        Part::Severity(Severity::Warning) => colour(AnsiColor::Yellow).bold(),
        Part::Severity(Severity::Note) => colour(AnsiColor::Cyan).bold(),
        Part::Carets => colour(AnsiColor::Red),
        Part::Hint => colour(AnsiColor::Green),
    }
}

/// The text of a diagnostic for a stream.
pub(super) fn render(diagnostic: &Diagnostic, lines: &LineIndex, stream: Stream) -> String {
    if !stream.has_colours() {
        return diagnostic.render_with(lines, Language::of_output());
    }
    diagnostic.render_styled(lines, Language::of_output(), |part, text| {
        let style = style(part);
        format!("{style}{text}{style:#}")
    })
}

/// Prints a diagnostic of the text on standard error. A failed write is ignored: there is nowhere to report it.
pub(super) fn print_diagnostic(diagnostic: &Diagnostic, source: &str) {
    let text = render(diagnostic, &LineIndex::new(source), Stream::Error);
    let _ = writeln!(anstream::stderr(), "{text}");
}
