//! The terminal: `layout`, `index`, `at` and `svg` of shapes, `eval`, `fmt` and `check` of HLO text.
//!
//! Commands read a shape (`input`) or a module (`module`), answer on standard output and end with 0, or say on
//! standard error what is wrong and end with 2; with `--json` both are JSON on standard output ([`crate::wire`]).

mod batch;
mod case;
mod clock;
mod eval;
mod input;
mod layout;
mod module;
mod picture;
mod server;
mod slots;
mod trace;
mod watch;

use std::fmt;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::Serialize;

use self::clock::{Clock, INTERRUPTED, Timed, supervise};
use crate::array::Edition;
use crate::diagnostic::Diagnostic;
use crate::i18n::{Language, Message};
use crate::wire::ErrorReport;

/// See how XLA lays out arrays in memory, and run its HLO text.
#[derive(Parser)]
#[command(name = "xla-playground", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// The most seconds that the command works (with --batch: each case), waiting for input and output apart; none
    /// for no limit
    #[arg(long, value_name = "SECONDS", global = true, default_value = "8", help_heading = "Limits")]
    time_limit: TimeLimit,
}

/// The most time that a command works.
#[derive(Clone, Copy, Debug)]
struct TimeLimit(Option<Duration>);

impl FromStr for TimeLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Self(None));
        }
        let seconds: f64 = text.parse().map_err(|_| Message::terminal("cli-seconds").to_string())?;
        let time = Duration::try_from_secs_f64(seconds);
        let time = time.map_err(|_| Message::terminal("cli-seconds").to_string())?;
        Ok(Self((!time.is_zero()).then_some(time)))
    }
}

impl fmt::Display for TimeLimit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.0 {
            Some(time) => time.as_secs_f64().fmt(f),
            None => f.write_str("none"),
        }
    }
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

impl Command {
    /// Whether it prints JSON, errors included.
    fn json(&self) -> bool {
        match self {
            Self::Layout { json, .. } | Self::Index { json, .. } | Self::At { json, .. } => *json,
            Self::Eval(args) => args.json,
            Self::Svg { .. } | Self::Fmt { .. } | Self::Check { .. } => false,
        }
    }
}

/// What to run, and how.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
struct EvalArgs {
    /// The HLO text; - reads standard input
    #[arg(required_unless_present_any = ["batch", "serve_cases"])]
    file: Option<String>,
    /// An argument of the entry computation, a literal behind its shape, as 'f32[2]{0} {1, 2}'; once a parameter
    #[arg(long = "arg", value_name = "LITERAL", conflicts_with = "batch", allow_hyphen_values = true)]
    args: Vec<String>,
    /// Run every line of this file, an object with name, hlo and args, and print a line for each
    #[arg(long, value_name = "CASES.jsonl", conflicts_with_all = ["file", "json", "trace"])]
    batch: Option<String>,
    /// Answer cases as the process that a batch starts
    #[arg(long, hide = true, conflicts_with_all = ["file", "batch"])]
    serve_cases: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print the value of every instruction, those of called computations included
    #[arg(long)]
    trace: bool,
    /// Whose rules hold
    #[arg(long, value_enum, default_value = "now")]
    edition: EditionArg,
    /// Show where the run is, also where standard error is no terminal
    #[arg(long)]
    progress: bool,
    /// The most steps that a run takes, of some nanoseconds each: cells read and written, instructions run [default:
    /// 2000000000; with --batch 100000000 each case]
    #[arg(long, value_name = "COUNT", help_heading = "Limits")]
    steps: Option<u64>,
    /// The most memory that a run's values take at once, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 512, help_heading = "Limits")]
    memory: u64,
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

impl EditionArg {
    /// As it is written.
    fn word(self) -> &'static str {
        match self {
            Self::Now => "now",
            Self::V2017 => "2017",
        }
    }
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
    /// Ctrl+C ended it, and that was said.
    Interrupted,
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

/// Says something on standard error. Without a reader nobody misses it.
fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// The stack of a command: the deepest text and the deepest calls need a small part of it.
const STACK_BYTES: usize = 256 << 20;
/// The most memory that a command takes beside the values of a run.
#[cfg(unix)]
const OTHER_BYTES: u64 = 384 << 20;

/// Has the system refuse what no budget counted, so that a mistake here ends the command and not the machine.
fn cap_memory(cli: &Cli) {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let values =
            if let Command::Eval(args) = &cli.command { args.memory.saturating_mul(1 << 20) } else { 0 };
        let values = values.max(OTHER_BYTES);
        let bytes = values.saturating_add(OTHER_BYTES).saturating_add(STACK_BYTES as u64);
        let before = getrlimit(Resource::Data);
        let bytes = before.maximum.map_or(bytes, |most| most.min(bytes));
        // Where the system does not keep such a limit the budgets have to do.
        let _ = setrlimit(Resource::Data, Rlimit { current: Some(bytes), maximum: before.maximum });
    }
    #[cfg(not(unix))]
    let _ = cli;
}

/// Runs the command of the program's arguments.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let limit = match &cli.command {
        // Each of its cases has a time of its own.
        Command::Eval(args) if args.batch.is_some() || args.serve_cases => None,
        _ => cli.time_limit.0,
    };
    let (clock, json) = (Clock::start(limit), cli.command.json());
    clock::catch_interrupts();
    cap_memory(&cli);
    let (sender, done) = sync_channel(1);
    let worker = {
        let clock = clock.clone();
        thread::Builder::new().name("command".to_owned()).stack_size(STACK_BYTES).spawn(move || {
            // Nobody waits for it any more where it was given up.
            let _ = sender.send(finish(&cli, &clock));
        })
    };
    if let Err(error) = worker {
        say(&error.to_string());
        return ExitCode::FAILURE;
    }
    match supervise(&done, &clock) {
        Ok(code) => ExitCode::from(code),
        // It panicked, and said so.
        Err(None) => ExitCode::from(101),
        // It holds its output; what it printed so far stays.
        Err(Some(stop)) => ExitCode::from(code_of(&eval::stopped(&mut io::stdout(), json, stop))),
    }
}

/// The exit code of a command that said why it failed.
fn code_of(failure: &Failure) -> u8 {
    if matches!(failure, Failure::Interrupted) { INTERRUPTED } else { 2 }
}

/// Runs a command to its end; gives the exit code.
fn finish(cli: &Cli, clock: &Clock) -> u8 {
    let mut out = BufWriter::with_capacity(1 << 16, Timed { inner: io::stdout(), clock: clock.clone() });
    let json = cli.command.json();
    let done = command(cli, clock, &mut out).and_then(|()| Ok(out.flush()?));
    let stop = clock.stop();
    clock.finish();
    match done {
        Ok(()) => 0,
        // Nobody reads any further, as behind `| head`.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        Err(Failure::Output(error)) => {
            let Some(stop) = stop else {
                say(&error.to_string());
                return 1;
            };
            code_of(&eval::stopped(&mut io::sink(), false, stop))
        }
        Err(Failure::Told) => {
            // Without a reader the exit code still says it.
            let _ = out.flush();
            2
        }
        Err(Failure::Interrupted) => {
            let _ = out.flush();
            INTERRUPTED
        }
        Err(Failure::Input { diagnostic, source, shape }) => {
            if json {
                let report = ErrorReport::of(&diagnostic, &source, shape, Language::ENGLISH);
                // Without a reader the exit code still says it.
                let _ = json_line(&mut out, &report).and_then(|()| Ok(out.flush()?));
            } else {
                say(&diagnostic.render(&source, Language::ENGLISH));
            }
            2
        }
    }
}

fn command(cli: &Cli, clock: &Clock, out: &mut impl Write) -> Result<(), Failure> {
    match &cli.command {
        Command::Layout { shape, all, json } => layout::print(out, &input::read(shape)?, *all, *json),
        Command::Index { shape, index, json } => slots::index(out, &input::read(shape)?, index, *json),
        Command::At { shape, slot, json } => slots::at(out, &input::read(shape)?, slot, *json),
        Command::Svg { shape, array, dark } => picture::print(out, &input::read(shape)?, *array, *dark),
        Command::Eval(args) => match &args.batch {
            Some(cases) => batch::run(out, cases, args, cli.time_limit, clock),
            None if args.serve_cases => batch::answer_all(args, cli.time_limit),
            None => eval::run(out, args, clock),
        },
        Command::Fmt { file, layouts, long } => module::print(out, file, *layouts, *long, clock),
        Command::Check { file, edition } => module::check(out, file, (*edition).into(), clock),
    }
}

/// Writes `value` as one line of JSON.
fn json_line(out: &mut impl Write, value: &impl Serialize) -> Result<(), Failure> {
    serde_json::to_writer(&mut *out, value).map_err(io::Error::from)?;
    Ok(writeln!(out)?)
}
