//! The terminal: `layout`, `index`, `at` and `svg`, in words or as JSON.
//!
//! Commands read a shape (`input`), answer on standard output and end with 0, or say on standard error what is
//! wrong and end with 2; with `--json` both are one JSON object on standard output ([`crate::wire`]).

mod input;
mod layout;
mod picture;
mod slots;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use serde::Serialize;

use crate::diagnostic::Diagnostic;
use crate::i18n::Language;
use crate::wire::ErrorReport;

/// See how XLA lays out arrays in memory.
#[derive(Parser)]
#[command(name = "xla-playground", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Print how a shape lies in memory: the slots in order, strides, sizes and the index table
    Layout {
        #[command(flatten)]
        shape: ShapeArgs,
        /// List every slot, however many there are
        #[arg(long)]
        all: bool,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Print the memory slot of an index
    Index {
        #[command(flatten)]
        shape: ShapeArgs,
        /// The index, one number a dimension, as 1,2; empty for a scalar
        #[arg(allow_hyphen_values = true, default_value = "")]
        index: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Print the index of a memory slot
    At {
        #[command(flatten)]
        shape: ShapeArgs,
        /// The slot, counted from 0
        #[arg(allow_hyphen_values = true)]
        slot: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Print the picture of an array and its memory as an SVG file
    Svg {
        #[command(flatten)]
        shape: ShapeArgs,
        /// Which array of a tuple, counted from 0 in the order they are written
        #[arg(long, default_value_t = 0)]
        array: usize,
        /// Colours for dark pages
        #[arg(long)]
        dark: bool,
    },
}

/// A shape, and the padding of 2017 for it.
#[derive(Args)]
struct ShapeArgs {
    /// The shape, as f32[2,3]{0,1} or f32[2,3]{0,1} padded[3,5]=zero
    shape: String,
    /// Pad the array to these sizes, as 3,5 (2017's `padded_dimensions`)
    #[arg(long, value_name = "SIZES", allow_hyphen_values = true)]
    padded: Option<String>,
    /// What padding holds: zero, one, lowest, highest, unknown or invalid
    #[arg(long, value_name = "VALUE")]
    pad_value: Option<String>,
}

/// Why a command has no answer.
enum Failure {
    /// An input is wrong.
    Input {
        diagnostic: Box<Diagnostic>,
        /// The input it speaks of.
        source: String,
        /// The shape as far as it was understood.
        shape: Option<String>,
    },
    /// The answer could not be written.
    Output(io::Error),
}

impl Failure {
    fn input(diagnostic: Diagnostic, source: &str) -> Self {
        Self::Input { diagnostic: Box::new(diagnostic), source: source.to_owned(), shape: None }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Runs the command of the program's arguments.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = BufWriter::new(io::stdout().lock());
    let mut json_errors = false;
    let done = match &cli.command {
        Command::Layout { shape, all, json } => {
            json_errors = *json;
            input::read(shape).and_then(|input| layout::print(&mut out, &input, *all, *json))
        }
        Command::Index { shape, index, json } => {
            json_errors = *json;
            input::read(shape).and_then(|input| slots::index(&mut out, &input, index, *json))
        }
        Command::At { shape, slot, json } => {
            json_errors = *json;
            input::read(shape).and_then(|input| slots::at(&mut out, &input, slot, *json))
        }
        Command::Svg { shape, array, dark } => {
            input::read(shape).and_then(|input| picture::print(&mut out, &input, *array, *dark))
        }
    };
    match done.and_then(|()| Ok(out.flush()?)) {
        Ok(()) => ExitCode::SUCCESS,
        // Nobody reads any further, as behind `| head`.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Output(error)) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
        Err(Failure::Input { diagnostic, source, shape }) => {
            if json_errors {
                let report = ErrorReport::of(&diagnostic, &source, shape, Language::ENGLISH);
                // Without a reader the exit code still says it.
                let _ = json_line(&mut out, &report).and_then(|()| Ok(out.flush()?));
            } else {
                eprintln!("{}", diagnostic.render(&source, Language::ENGLISH));
            }
            ExitCode::from(2)
        }
    }
}

/// Writes `value` as one line of JSON.
fn json_line(out: &mut impl Write, value: &impl Serialize) -> Result<(), Failure> {
    serde_json::to_writer(&mut *out, value).map_err(io::Error::from)?;
    Ok(writeln!(out)?)
}
