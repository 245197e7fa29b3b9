//! The command lines of `diff`, `cut`, `export` and `shrink`.

use std::str::FromStr;

use clap::Args;

use crate::hlo::{Limits, SimulatedDevices};
use crate::i18n::Message;

/// The arguments and the limits of the runs of a program.
#[derive(Args)]
pub(super) struct RunArgs {
    /// An argument of the entry computation, in any form that eval --arg accepts: a shape followed by a literal, or a file (.npy, .npz,
    /// .json, .raw, .bin); once per parameter
    #[arg(long = "arg", value_name = "LITERAL", allow_hyphen_values = true)]
    pub args: Vec<String>,
    /// Random arguments for all parameters; the same seed gives the same values
    #[arg(long, value_name = "SEED", conflicts_with = "args")]
    pub random: Option<u32>,
    /// Maximum steps per run (cells read and written, instructions run)
    #[arg(long, value_name = "COUNT", default_value_t = 2_000_000_000, help_heading = "Limits")]
    pub steps: u64,
    /// Maximum memory for the values of a run, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 512, help_heading = "Limits")]
    pub memory: u64,
}

impl RunArgs {
    /// The limits of a run.
    pub fn limits(&self) -> Limits {
        Limits { steps: self.steps, bytes: self.memory.saturating_mul(1 << 20) }
    }
}

/// The number of replicas that an option states.
pub(super) fn replica_count(text: &str) -> Result<usize, String> {
    const MAX: usize = SimulatedDevices::MAX_DEVICES;
    let count = text.parse().ok().filter(|count| (1..=MAX).contains(count));
    count.ok_or_else(|| Message::terminal("cli-replica-count").with("limit", MAX).to_string())
}

/// Two modules, or a module and externally computed values, to compare.
#[derive(Args)]
pub(super) struct DiffArgs {
    /// The first module, HLO or StableHLO text; - reads standard input
    pub a: String,
    /// The second module
    #[arg(required_unless_present = "values")]
    pub b: Option<String>,
    /// Compare the first module with externally computed values: an .npz archive of arrays named after the instructions of its
    /// entry computation
    #[arg(long, value_name = "FILE.npz", conflicts_with = "b")]
    pub values: Option<String>,
    /// Values are equal up to this distance in units in the last place of their type
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pub ulp: u64,
    /// Absolute tolerance: floats that differ by at most this also count as equal
    #[arg(long, value_name = "NUMBER", default_value_t = 0.0)]
    pub absolute: f64,
    /// List every difference, however many there are
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub run: RunArgs,
}

/// The instructions to extract into their own module.
#[derive(Args)]
pub(super) struct CutArgs {
    /// The module, HLO or StableHLO text; - reads standard input
    pub file: String,
    /// The names of the instructions
    #[arg(long, value_name = "NAMES", required = true, value_delimiter = ',')]
    pub select: Vec<String>,
    /// The computation of the instructions [default: the entry computation]
    #[arg(long, value_name = "NAME")]
    pub computation: Option<String>,
    /// With --arg or --random: captured values with at most this many elements become constants
    #[arg(long, value_name = "COUNT", default_value_t = 16)]
    pub constants: u32,
    /// Omit metadata and other annotations, which do not affect values
    #[arg(long)]
    pub bare: bool,
    #[command(flatten)]
    pub run: RunArgs,
}

/// The array or the program to export.
#[derive(Args)]
pub(super) struct ExportArgs {
    /// The HLO or StableHLO text, - for standard input; or a shape such as 'f32[2,3]{0,1}'
    pub input: String,
    /// The title of the page [default: the shape, or the name of the module]
    #[arg(long)]
    pub title: Option<String>,
    /// The template of the page: snapshot-*.html of a built site
    #[arg(long, value_name = "FILE")]
    pub template: Option<String>,
    /// The folder of the built site (`cargo xtask dist`) that has the template [default: dist]
    #[arg(long, value_name = "FOLDER", conflicts_with = "template")]
    pub site: Option<String>,
    /// Print a picture (SVG) instead: the array and its memory, or the result of a program with its operands
    #[arg(long)]
    pub picture: bool,
    /// Write a folder instead, with the program, its arguments, its values, and a script that runs it with XLA (JAX) on any backend and
    /// compares every value
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["picture", "template", "site", "title"])]
    pub jax: Option<String>,
    /// With --jax: the number of replicas that collectives run across. --arg is given once per parameter for all of them, or once per
    /// parameter and replica: those of replica 0 first
    #[arg(long, value_name = "COUNT", requires = "jax", value_parser = replica_count)]
    pub replicas: Option<usize>,
    /// With --picture: colours for dark pages
    #[arg(long, requires = "picture")]
    pub dark: bool,
    #[command(flatten)]
    pub run: RunArgs,
}

/// The program to reduce.
#[derive(Args)]
pub(super) struct ShrinkArgs {
    /// The module, HLO or StableHLO text; - reads standard input
    pub file: String,
    /// What must still happen. nan or inf: an instruction produces a NaN (infinity) though its operands have none; error: the run
    /// fails with the same rule; differs:OTHER: an instruction's result differs from that of the instruction of the same name in
    /// another module, or from the array of that name in OTHER.npz, though its operands are equal
    #[arg(long = "while", value_name = "nan|inf|error|differs:OTHER")]
    pub property: PropertyArg,
    /// With differs: values are equal up to this distance in units in the last place of their type
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pub ulp: u64,
    /// The maximum number of programs to run
    #[arg(long, value_name = "COUNT", default_value_t = 5_000, help_heading = "Limits")]
    pub tries: usize,
    #[command(flatten)]
    pub run: RunArgs,
}

/// The property that a program keeps while it shrinks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PropertyArg {
    Nan,
    Infinity,
    Error,
    /// The values differ from those of this file.
    Differs(String),
}

impl FromStr for PropertyArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("differs:")) {
            ("nan", _) => Ok(Self::Nan),
            ("inf", _) => Ok(Self::Infinity),
            ("error", _) => Ok(Self::Error),
            (_, Some(other)) if !other.is_empty() => Ok(Self::Differs(other.to_owned())),
            _ => Err(Message::terminal("cli-shrink-property").to_string()),
        }
    }
}
