//! The command line: its commands with their arguments and limits.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use super::examples;
use super::program_arguments::{CutArgs, DiffArgs, ExportArgs, ShrinkArgs, replica_count};
use crate::array::Edition;
use crate::i18n::{Language, Message};
use xla_inspect::source::groups::GroupBy;

/// The program's name.
pub(super) const NAME: &str = "xla-playground";

/// See how XLA lays out arrays in memory, and run its HLO text.
#[derive(Parser)]
#[command(name = NAME, version, after_help = examples::PROGRAM)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// The limit of working time in seconds (with --batch: per case), not counting waits for input and output; none
    /// for no limit
    #[arg(long, value_name = "SECONDS", global = true, default_value = "8", help_heading = "Limits")]
    pub time_limit: TimeLimit,
    /// When diagnostics and help have colours; auto is on a terminal, unless the variable `NO_COLOR` is set
    #[arg(long, value_name = "WHEN", value_enum, global = true, default_value = "auto")]
    pub color: ColourArg,
    /// The language of results and messages, as a tag such as en or zh-Hans; by default that of the locale (`LC_ALL`,
    /// `LC_MESSAGES` or `LANG`). Help and JSON are in English
    #[arg(long, value_name = "TAG", global = true)]
    pub language: Option<LanguageArg>,
}

/// A language with messages.
#[derive(Clone, Copy, Debug)]
pub(super) struct LanguageArg(pub Language);

impl FromStr for LanguageArg {
    type Err = String;

    fn from_str(tag: &str) -> Result<Self, String> {
        let tags = || Language::all().map(Language::tag).collect::<Vec<_>>().join(", ");
        Language::for_tag(tag)
            .map(Self)
            .ok_or_else(|| Message::terminal("cli-language").with("tags", tags()).to_string())
    }
}

/// When to write colours.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ColourArg {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The maximum working time of a command.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeLimit(pub Option<Duration>);

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
pub(super) enum Command {
    /// Print the memory layout of a shape: the slots in order, strides, sizes and the index table
    #[command(after_help = examples::LAYOUT)]
    Layout {
        #[command(flatten)]
        shape: ShapeArgs,
        /// List every slot, however many there are
        #[arg(long)]
        all: bool,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
        /// Print the Layout proto in text format, with the fields of XLA's documents
        #[arg(long, conflicts_with_all = ["json", "all"])]
        proto: bool,
    },
    /// Print the memory slot of an index
    #[command(after_help = examples::INDEX)]
    Index {
        #[command(flatten)]
        shape: ShapeArgs,
        /// The index, one number per dimension, e.g. 1,2; empty for a scalar
        #[arg(allow_hyphen_values = true, default_value = "")]
        index: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Print the index of a memory slot
    #[command(after_help = examples::AT)]
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
    #[command(after_help = examples::SVG)]
    Svg {
        #[command(flatten)]
        shape: ShapeArgs,
        /// The array of a tuple to draw, counted from 0 in depth-first order
        #[arg(long, default_value_t = 0)]
        array: usize,
        /// Colours for dark pages
        #[arg(long)]
        dark: bool,
    },
    /// Run a module and print its result
    #[command(after_help = examples::EVAL)]
    Eval(EvalArgs),
    /// Print a module as XLA prints it. With --edition 2017, forms of the documents' builder are printed as the plain
    /// HLO that the builder lowers them to; `check --fix` keeps the rest of the text as it is written
    #[command(after_help = examples::FMT)]
    Fmt {
        /// The HLO text; - reads standard input
        file: String,
        /// The edition of XLA
        #[arg(long, value_enum, default_value = "now")]
        edition: EditionArg,
        /// Whether shapes have layouts
        #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
        layouts: bool,
        /// The form of compiled modules: names with %, signatures, metadata
        #[arg(long)]
        long: bool,
        /// The language to print. StableHLO has generic form, no layouts and no metadata; what it has no operation for is an
        /// error
        #[arg(long, value_enum, default_value = "hlo", conflicts_with_all = ["long", "layouts"])]
        to: DialectArg,
    },
    /// Print the errors and warnings of a module, with fixes
    #[command(after_help = examples::CHECK)]
    Check {
        /// The HLO text; - reads standard input
        file: String,
        /// The edition of XLA
        #[arg(long, value_enum, default_value = "now")]
        edition: EditionArg,
        /// Print the text with the first fix of every error; with --edition 2017, with the documents' builder forms as
        /// plain HLO, too. Everything else stays as it is written. What is still wrong, and what was lowered, is printed on
        /// standard error
        #[arg(long)]
        fix: bool,
    },
    /// Print what differs between two modules: operations, shapes, attributes, operands; renamed and moved instructions are
    /// recognized. With arguments (--arg, --random) both run, and the first instruction whose values differ is printed
    #[command(after_help = examples::DIFF)]
    Diff(DiffArgs),
    /// Print instructions as a module of their own that computes the same values. What they use becomes parameters or
    /// constants
    #[command(after_help = examples::CUT)]
    Cut(CutArgs),
    /// Print a smaller module with the same problem: a NaN appears, a value differs, an error is given. After the time limit
    /// the smallest one so far
    #[command(after_help = examples::SHRINK)]
    Shrink(ShrinkArgs),
    /// Print a page that shows an array, or a program with its values and what each cell was computed from. It is one file, which
    /// needs no server and no network
    #[command(after_help = examples::EXPORT)]
    Export(ExportArgs),
    /// Print what a module costs: FLOPs and bytes as XLA counts them, copies with what forces them, padding, peak memory and
    /// source lines. Of a report of memory (an out-of-memory error or a buffer assignment), print the buffers that waste the
    /// most, with layouts that waste less
    #[command(after_help = examples::INSPECT)]
    Inspect(InspectArgs),
    /// Serve the built site to browsers of this machine only, and open the program in it, until Ctrl+C
    #[command(after_help = examples::SERVE)]
    #[cfg(not(target_os = "wasi"))]
    Serve(ServeArgs),
    /// Print the completions of a shell, which it reads at its start or from its folder of completions
    #[command(after_help = examples::COMPLETIONS)]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page of the program, or of one of its commands
    #[command(after_help = examples::MAN)]
    Man {
        /// The command
        command: Option<String>,
        /// Write all pages into this folder instead, and print their paths
        #[arg(long, value_name = "FOLDER", conflicts_with = "command")]
        folder: Option<String>,
    },
}

impl Command {
    /// Whether the process has limits of time and memory: a server runs until it is ended, and a browser would inherit them.
    pub fn is_limited(&self) -> bool {
        #[cfg(not(target_os = "wasi"))]
        if matches!(self, Self::Serve(_)) {
            return false;
        }
        true
    }

    /// The limit of memory for values, in MiB.
    pub fn memory(&self) -> u64 {
        match self {
            Self::Eval(args) => args.memory,
            Self::Diff(args) => args.run.memory,
            Self::Cut(args) => args.run.memory,
            Self::Shrink(args) => args.run.memory,
            Self::Export(args) => args.run.memory,
            _ => 0,
        }
    }

    /// Whether it prints JSON, including errors.
    pub fn json(&self) -> bool {
        match self {
            Self::Layout { json, .. } | Self::Index { json, .. } | Self::At { json, .. } => *json,
            Self::Eval(args) => args.json,
            Self::Inspect(args) => args.json,
            Self::Svg { .. }
            | Self::Fmt { .. }
            | Self::Check { .. }
            | Self::Diff(_)
            | Self::Cut(_)
            | Self::Shrink(_)
            | Self::Export(_)
            | Self::Completions { .. }
            | Self::Man { .. } => false,
            #[cfg(not(target_os = "wasi"))]
            Self::Serve(_) => false,
        }
    }
}

/// The site to serve, and the program to open in it.
#[cfg(not(target_os = "wasi"))]
#[derive(Args)]
pub(super) struct ServeArgs {
    /// The HLO or StableHLO text; - reads standard input. Without it the site is served alone
    pub file: Option<String>,
    /// The folder of the built site (`cargo xtask dist`) [default: that of the variable `XLA_PLAYGROUND_SITE`, dist beside this
    /// program, or dist of the project that it was built in]
    #[arg(long, value_name = "FOLDER")]
    pub site: Option<String>,
    /// The port [default: one that is free]
    #[arg(long)]
    pub port: Option<u16>,
    /// Only print the address, without opening a browser
    #[arg(long)]
    pub no_open: bool,
}

/// The module or report to inspect.
#[derive(Args)]
pub(super) struct InspectArgs {
    /// The HLO text, or the report; - reads standard input
    pub file: String,
    /// The number of entries of each list
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    pub top: usize,
    /// List everything
    #[arg(long, conflicts_with = "top")]
    pub all: bool,
    /// What instructions are grouped by
    #[arg(long, value_enum, default_value = "line")]
    pub by: GroupArg,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// What instructions are grouped by.
#[derive(Clone, Copy, ValueEnum)]
pub(super) enum GroupArg {
    /// The source line
    Line,
    /// The source file
    File,
    /// The function
    Function,
    /// The first two components of the operation name
    Op,
}

impl From<GroupArg> for GroupBy {
    fn from(by: GroupArg) -> Self {
        match by {
            GroupArg::Line => Self::Line,
            GroupArg::File => Self::File,
            GroupArg::Function => Self::Function,
            GroupArg::Op => Self::OpName(2),
        }
    }
}

/// The module to run, with arguments and limits.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(super) struct EvalArgs {
    /// The HLO text; - reads standard input
    #[arg(required_unless_present_any = ["batch", "serve_cases"])]
    pub file: Option<String>,
    /// An argument of the entry computation, a shape followed by a literal, e.g. 'f32[2]{0} {1, 2}'; once per parameter. Or a
    /// file: an array saved by numpy (.npy), several of them for as many parameters (.npz), JSON as eval --json prints it (.json),
    /// or the parameter's elements as little-endian bytes (.raw, .bin)
    #[arg(long = "arg", value_name = "LITERAL", conflicts_with = "batch", allow_hyphen_values = true)]
    pub args: Vec<String>,
    /// Run on this many devices, which all-reduce and other collectives connect: replicas, or the partitions that the header of the
    /// module states. --arg is given once per parameter for all of them, or once per parameter and device: those of device 0 first
    #[arg(long, visible_alias = "devices", value_name = "COUNT", value_parser = replica_count, conflicts_with_all = ["batch", "trace"])]
    pub replicas: Option<usize>,
    /// A value for the infeed, in the form of --arg; once per value, in the order they are taken. Every replica gets all
    /// of them. The outfeed is printed after the result
    #[arg(long, value_name = "LITERAL", conflicts_with = "batch", allow_hyphen_values = true)]
    pub infeed: Vec<String>,
    /// Further infeed values: a file with one per line
    #[arg(long, value_name = "FILE", conflicts_with = "batch")]
    pub infeed_file: Option<String>,
    /// The function of custom calls with the target NAME: the body of a JavaScript function of output and inputs, as on the
    /// Ops screen. inputs[i].shape and inputs[i].data are an operand, row by row; the result is written into output.data.
    /// It runs in Node.js (node, which must be on the path) as a process of its own, without files and network, within
    /// the time limit and the memory of the run
    #[arg(long = "call", value_name = "NAME=FILE.js", conflicts_with = "batch")]
    pub calls: Vec<CallArg>,
    /// Run every line of this file, an object with name, hlo and args, and print a line for each
    #[arg(long, value_name = "CASES.jsonl", conflicts_with_all = ["file", "json", "trace"])]
    pub batch: Option<String>,
    /// Run cases as the child process of a batch
    #[arg(long, hide = true, conflicts_with_all = ["file", "batch"])]
    pub serve_cases: bool,
    /// Print JSON: a line per result. If the module has forms of the documents' builder (--edition 2017), a line before
    /// them has the field notes: for each form what the builder does (message), its identifier (rule), the plain HLO it becomes
    /// (hint), and its line and column. With --batch, notes is a field of the case's result
    #[arg(long)]
    pub json: bool,
    /// Write the result into a file instead: an array (.npy), the arrays of a tuple (.npz), JSON (.json), or the elements as
    /// little-endian bytes in the order of the layout (.raw, .bin). With --json, its shape is printed
    #[arg(long, value_name = "FILE", conflicts_with_all = ["batch", "trace", "replicas"])]
    pub out: Option<String>,
    /// Print the value of every instruction, those of called computations included
    #[arg(long)]
    pub trace: bool,
    /// The edition of XLA
    #[arg(long, value_enum, default_value = "now")]
    pub edition: EditionArg,
    /// Show the progress of the run even if standard error is not a terminal
    #[arg(long)]
    pub progress: bool,
    /// The limit of steps (cells read and written, instructions run), some nanoseconds each [default: 2000000000;
    /// with --batch 100000000 per case]
    #[arg(long, value_name = "COUNT", help_heading = "Limits")]
    pub steps: Option<u64>,
    /// The limit of memory for the values of a run, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 512, help_heading = "Limits")]
    pub memory: u64,
}

/// The target and the file of a custom function.
#[derive(Clone, Debug)]
pub(super) struct CallArg {
    pub name: String,
    pub file: String,
}

impl FromStr for CallArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('=').filter(|(name, file)| !name.is_empty() && !file.is_empty());
        let (name, file) = parts.ok_or_else(|| Message::terminal("cli-call-form").to_string())?;
        Ok(Self { name: name.to_owned(), file: file.to_owned() })
    }
}

/// The language of a module.
#[derive(Clone, Copy, ValueEnum)]
pub(super) enum DialectArg {
    /// HLO text
    Hlo,
    /// `StableHLO` in MLIR text
    #[value(name = "stablehlo")]
    StableHlo,
}

/// The edition of XLA.
#[derive(Clone, Copy, ValueEnum)]
pub(super) enum EditionArg {
    /// Current XLA
    Now,
    /// XLA as documented in 2017
    #[value(name = "2017")]
    V2017,
}

impl EditionArg {
    /// Its command-line value.
    pub fn word(self) -> &'static str {
        match self {
            Self::Now => "now",
            Self::V2017 => "2017",
        }
    }
}

impl From<EditionArg> for Edition {
    fn from(edition: EditionArg) -> Self {
        match edition {
            EditionArg::Now => Self::Current,
            EditionArg::V2017 => Self::V2017,
        }
    }
}

/// A shape, and 2017 padding for it.
#[derive(Args)]
pub(super) struct ShapeArgs {
    /// The shape, as f32[2,3]{0,1} or f32[2,3]{0,1} padded[3,5]=zero; its layout may also be a Layout proto, as
    /// `f32[2,3] minor_to_major: [0, 1] padded_dimensions: [3, 5] padding_value: ZERO_PAD`
    pub shape: String,
    /// Pad the array to these sizes, e.g. 3,5 (2017's `padded_dimensions`)
    #[arg(long, value_name = "SIZES", allow_hyphen_values = true)]
    pub padded: Option<String>,
    /// The padding value: zero, one, lowest, highest, unknown or invalid
    #[arg(long, value_name = "VALUE")]
    pub pad_value: Option<String>,
}
