//! The terminal: `layout`, `index`, `at` and `svg` of shapes, `eval`, `fmt` and `check` of HLO text.
//!
//! Commands read a shape (`input`) or a module (`module`), answer on standard output and end with 0, or say on
//! standard error what is wrong and end with 2; with `--json` both are JSON on standard output ([`crate::wire`]).

mod batch;
mod eval;
mod input;
mod layout;
mod module;
mod picture;
mod slots;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::Serialize;

use crate::array::Edition;
use crate::diagnostic::Diagnostic;
use crate::i18n::Language;
use crate::wire::ErrorReport;

/// See how XLA lays out arrays in memory, and run its HLO text.
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
    /// Run a module and print its result
    Eval(EvalArgs),
    /// Print a module as XLA prints it
    Fmt {
        /// The HLO text; - reads standard input
        file: String,
        /// Whether shapes have layouts
        #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
        layouts: bool,
        /// The form of compiled modules: names with %, signatures, metadata
        #[arg(long)]
        long: bool,
    },
    /// Print what is wrong with a module, where, and what to write instead
    Check {
        /// The HLO text; - reads standard input
        file: String,
        /// Whose rules hold
        #[arg(long, value_enum, default_value = "now")]
        edition: EditionArg,
    },
}

/// What to run, and how.
#[derive(Args)]
struct EvalArgs {
    /// The HLO text; - reads standard input
    #[arg(required_unless_present = "batch")]
    file: Option<String>,
    /// An argument of the entry computation, a literal behind its shape, as 'f32[2]{0} {1, 2}'; once a parameter
    #[arg(long = "arg", value_name = "LITERAL", conflicts_with = "batch", allow_hyphen_values = true)]
    args: Vec<String>,
    /// Run every line of this file, an object with name, hlo and args, and print a line for each
    #[arg(long, value_name = "CASES.jsonl", conflicts_with_all = ["file", "json", "trace"])]
    batch: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print the value of every instruction, those of called computations included
    #[arg(long)]
    trace: bool,
    /// Whose rules hold
    #[arg(long, value_enum, default_value = "now")]
    edition: EditionArg,
    /// The most steps that a run takes: cells read and written, calls
    #[arg(long, value_name = "COUNT")]
    steps: Option<u64>,
}

/// Which XLA answers.
#[derive(Clone, Copy, ValueEnum)]
enum EditionArg {
    /// Today's
    Now,
    /// That of the documents of 2017
    #[value(name = "2017")]
    V2017,
}

impl From<EditionArg> for Edition {
    fn from(edition: EditionArg) -> Self {
        match edition {
            EditionArg::Now => Self::Now,
            EditionArg::V2017 => Self::V2017,
        }
    }
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
    /// What is wrong was said already.
    Told,
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
        Command::Eval(args) => match &args.batch {
            Some(cases) => batch::run(&mut out, cases, args),
            None => eval::run(&mut out, args),
        },
        Command::Fmt { file, layouts, long } => module::print(&mut out, file, *layouts, *long),
        Command::Check { file, edition } => module::check(&mut out, file, (*edition).into()),
    };
    match done.and_then(|()| Ok(out.flush()?)) {
        Ok(()) => ExitCode::SUCCESS,
        // Nobody reads any further, as behind `| head`.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Output(error)) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
        Err(Failure::Told) => {
            // Without a reader the exit code still says it.
            let _ = out.flush();
            ExitCode::from(2)
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
