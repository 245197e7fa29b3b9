//! `export --jax`: a program with its arguments and its values as a folder, with a script that runs it with XLA and compares.
//!
//! XLA reads HLO text, so that the script runs the very program, on any backend. All arrays of the entry computation become results:
//! so the script names the first instruction whose value differs.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::clock::Clock;
use super::output::{Failure, print_error};
use super::program_arguments::ExportArgs;
use super::recording::ClockObserver;
use super::report::{report, report_run_error};
use crate::array::{ArrayLiteral, Literal, Shape};
use crate::diagnostic::{Diagnostic, Span};
use crate::files::write;
use crate::hlo::{EvalError, Instruction, InstructionId, Module, Outcome, Replicas};
use crate::i18n::Message;
use crate::ops::{Data, OpDef};

/// The script.
const SCRIPT: &str = include_str!("run_on_jax.py");

/// The name of the instruction that collects the values.
const COLLECTED: &str = "values_of_all_instructions";

/// Values above this many bytes in all are not compared.
const MAX_VALUE_BYTES: u64 = 1 << 30;

/// What the script has to know.
#[derive(Serialize)]
struct About<'a> {
    replicas: usize,
    root: &'a str,
    /// The element types of the arguments.
    arguments: Vec<&'static str>,
    /// The results of the program: names and element types.
    values: Vec<(&'a str, &'static str)>,
}

/// Writes the folder.
pub(super) fn run(
    out: &mut impl Write,
    folder: &str,
    args: &ExportArgs,
    (module, source): (&Module, &str),
    arguments: Vec<Literal>,
    clock: &Clock,
) -> Result<(), Failure> {
    let refused = |out: &mut _, message: Message| {
        report(out, false, &Diagnostic::error(Span::default(), "cli-export", message), "")
    };
    let entry = module.entry_computation();
    let Some(entry) = entry.filter(|entry| entry.root.is_some()) else {
        return Err(refused(out, Message::terminal("cli-export-nothing")));
    };
    if let Some(instruction) =
        entry.iter().find_map(|(_, instruction)| needs_host(instruction).then_some(instruction))
    {
        let message = Message::terminal("cli-export-host").with("name", instruction.name.as_str());
        return Err(refused(out, message));
    }
    let replicas = args.replicas.unwrap_or(1);
    let parameters = entry.parameters.len();
    let per_replica = match arguments.len() {
        count if count == parameters => vec![arguments; replicas],
        count if count == parameters * replicas => {
            arguments.chunks(parameters.max(1)).map(<[Literal]>::to_vec).collect()
        }
        found => {
            let message = Message::terminal("cli-replica-arguments")
                .with("found", found)
                .with("parameters", parameters)
                .with("all", parameters * replicas);
            return Err(refused(out, message));
        }
    };
    let outcomes = run_all(module, args, replicas, &per_replica, clock)
        .map_err(|error| report_run_error(out, false, error, module, source))?;
    let compared: Vec<(InstructionId, &Instruction)> =
        entry.iter().filter(|(_, instruction)| matches!(instruction.shape, Shape::Array(_))).collect();
    let root = entry.root.and_then(|root| entry.get(root)).map_or("", |root| root.name.as_str());
    let Some(text) = with_all_results(module, &compared) else {
        return Err(refused(out, Message::terminal("cli-export-nothing")));
    };
    let about = About {
        replicas,
        root,
        arguments: per_replica.first().into_iter().flatten().filter_map(element_type).collect(),
        values: compared
            .iter()
            .filter_map(|(_, instruction)| {
                Some((instruction.name.as_str(), instruction.shape.as_array()?.element_type.name()))
            })
            .collect(),
    };
    let arguments = named_arguments(&per_replica);
    let (values, is_complete) = named_values(&compared, &outcomes);
    let written = files(Path::new(folder), &text, &about, &arguments, &values);
    written.map_err(|error| {
        let message =
            Message::terminal("cli-out-write").with("file", folder).with("error", error.to_string());
        refused(out, message)
    })?;
    if !is_complete {
        print_error(&Message::terminal("cli-export-partial").with("mib", MAX_VALUE_BYTES >> 20).to_string());
    }
    Ok(writeln!(out, "{}", Message::terminal("cli-export-written").with("folder", folder))?)
}

/// Whether an instruction needs a host that the script does not have.
fn needs_host(instruction: &Instruction) -> bool {
    let opcode = instruction.op.map_or("", |op| OpDef::meta(op).opcode);
    ["custom-call", "infeed", "outfeed", "send", "recv", "send-done", "recv-done"].contains(&opcode)
}

fn run_all(
    module: &Module,
    args: &ExportArgs,
    replicas: usize,
    arguments: &[Vec<Literal>],
    clock: &Clock,
) -> Result<Vec<Outcome>, EvalError> {
    let mut observer = ClockObserver(clock.clone());
    let mut devices = Replicas::new(module, replicas).limits(args.run.limits()).observer(0, &mut observer);
    devices.run_with_values(arguments).map_err(|error| error.error)
}

fn element_type(literal: &Literal) -> Option<&'static str> {
    Some(literal.as_array()?.element_type().name())
}

fn named_arguments(arguments: &[Vec<Literal>]) -> Vec<(String, &ArrayLiteral)> {
    let mut named = Vec::new();
    for (replica, arguments) in arguments.iter().enumerate() {
        for (number, argument) in arguments.iter().enumerate() {
            named.extend(argument.as_array().map(|array| (format!("{number}@{replica}"), array)));
        }
    }
    named
}

/// The values by instruction and replica, and whether these are all.
fn named_values<'a>(
    compared: &[(InstructionId, &Instruction)],
    outcomes: &'a [Outcome],
) -> (Vec<(String, &'a ArrayLiteral)>, bool) {
    let (mut named, mut bytes) = (Vec::new(), 0);
    for (id, instruction) in compared {
        for (replica, outcome) in outcomes.iter().enumerate() {
            if let Some(array) = outcome.values.get(*id).and_then(Data::as_array) {
                bytes += array.held_bytes();
                if bytes > MAX_VALUE_BYTES {
                    return (named, false);
                }
                named.push((format!("{}@{replica}", instruction.name), array));
            }
        }
    }
    (named, true)
}

/// The module with a root that is a tuple of these instructions. `None` if the printed text has no entry.
fn with_all_results(module: &Module, compared: &[(InstructionId, &Instruction)]) -> Option<String> {
    let text = module.to_string();
    // The layout of the interface is that of the old result.
    let (first, rest) = text.split_once('\n')?;
    let first = format!("HloModule {}", first.strip_prefix("HloModule ")?.split([',', ' ']).next()?);
    let at = rest.find("\nENTRY ").map(|at| at + 1).or_else(|| rest.starts_with("ENTRY ").then_some(0))?;
    let (before, entry) = rest.split_at(at);
    let end = entry.find("\n}")?;
    let body = entry[..end].replacen("\n  ROOT ", "\n  ", 1);
    let shapes: Vec<String> = compared.iter().map(|(_, instruction)| instruction.shape.xla_text()).collect();
    let names: Vec<&str> = compared.iter().map(|(_, instruction)| instruction.name.as_str()).collect();
    let root = format!("  ROOT {COLLECTED} = ({}) tuple({})", shapes.join(", "), names.join(", "));
    Some(format!("{first}\n{before}{body}\n{root}{}", &entry[end..]))
}

fn files(
    folder: &Path,
    text: &str,
    about: &About,
    arguments: &[(String, &ArrayLiteral)],
    values: &[(String, &ArrayLiteral)],
) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let archive = |named: &[(String, &ArrayLiteral)]| {
        let archive = write::npz(named.iter().map(|(name, array)| (name.clone(), *array)));
        let too_large = || io::Error::other("the archive would be too large");
        archive.map_err(|error| io::Error::other(error.to_string()))?.ok_or_else(too_large)
    };
    fs::write(folder.join("run.py"), SCRIPT)?;
    fs::write(folder.join("program.hlo"), text)?;
    fs::write(folder.join("about.json"), serde_json::to_vec_pretty(about)?)?;
    fs::write(folder.join("arguments.npz"), archive(arguments)?)?;
    fs::write(folder.join("values.npz"), archive(values)?)
}
