//! `export --jax`: a program with its arguments and its values as a folder, with a script that runs it with XLA and compares.
//!
//! The script gets the program as StableHLO, which JAX compiles for any backend. All arrays of the entry computation become
//! results: so the script names the first instruction whose value differs.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::clock::Clock;
use super::output::{Failure, print_error};
use super::program_arguments::ExportArgs;
use super::recording::{ClockObserver, run_with_values};
use super::replicas;
use super::report::{report, report_run_error};
use crate::array::{ArrayLiteral, Literal};
use crate::diagnostic::{Diagnostic, Span};
use crate::experiment::needs::Needs;
use crate::files::write;
use crate::hlo::{Computation, EvalError, InstructionId, Module, Outcome, SimulatedDevices};
use crate::i18n::Message;
use crate::inspect::cut::{CutOptions, Results, cut};
use crate::ops::Data;
use crate::stablehlo;

/// The script.
const SCRIPT: &str = include_str!("run_on_jax.py");

/// Maximum bytes of all values that are compared.
const MAX_VALUE_BYTES: u64 = 1 << 30;

/// The description of the program that the script reads.
#[derive(Serialize)]
struct About {
    replicas: usize,
    /// The name of the root; empty if it is not an array.
    root: String,
    /// The types of the arguments, as `NumPy` or `ml_dtypes` names them.
    arguments: Vec<&'static str>,
    /// The results of the program: names of instructions, and types.
    values: Vec<(String, &'static str)>,
}

/// The program that the script runs.
struct Exported {
    text: String,
    /// The instructions whose values are its results.
    results: Vec<InstructionId>,
}

/// An archive's arrays.
type Named<'a> = Vec<(String, &'a ArrayLiteral)>;

/// Writes the folder.
pub(super) fn run(
    out: &mut impl Write,
    folder: &str,
    args: &ExportArgs,
    (module, source): (&Module, &str),
    arguments: Vec<Literal>,
    clock: &Clock,
) -> Result<(), Failure> {
    let count = args.replicas.unwrap_or(1);
    let arguments = replicas::arguments(out, module, false, count, arguments)?;
    let exported = export_results(module).map_err(|message| report_refusal(out, message))?;
    let outcomes = run_all(module, args, &arguments, clock)
        .map_err(|error| report_run_error(out, false, error, module, source))?;
    let Some(entry) = module.entry_computation() else {
        return Err(report_refusal(out, Message::terminal("cli-export-nothing")));
    };
    let about = about(entry, &exported, &arguments);
    let (values, is_complete) = named_values(entry, &exported, &outcomes);
    files(Path::new(folder), &exported.text, &about, &named_arguments(&arguments), &values).map_err(
        |error| {
            let message = Message::terminal("cli-out-write");
            report_refusal(out, message.with("file", folder).with("error", error.to_string()))
        },
    )?;
    if !is_complete {
        print_error(&Message::terminal("cli-export-partial").with("mib", MAX_VALUE_BYTES >> 20).to_string());
    }
    Ok(writeln!(out, "{}", Message::terminal("cli-export-written").with("folder", folder))?)
}

fn report_refusal(out: &mut impl Write, message: Message) -> Failure {
    report(out, false, &Diagnostic::error(Span::default(), "cli-export", message), "")
}

/// The program with all arrays of its entry computation as results, or why there is none.
fn export_results(module: &Module) -> Result<Exported, Message> {
    let needs = Needs::new(module);
    if !needs.items.is_empty() || needs.outfeed || !needs.functions.is_empty() {
        return Err(Message::terminal("cli-export-host"));
    }
    let nothing = || Message::terminal("cli-export-nothing");
    let (id, entry) = module.entry.zip(module.entry_computation()).ok_or_else(nothing)?;
    let arrays: BTreeSet<InstructionId> =
        entry.iter().filter(|(_, i)| i.shape.as_array().is_some()).map(|(id, _)| id).collect();
    // A tuple that nothing reads would be a result, too.
    let used = entry.iter().flat_map(|(_, instruction)| instruction.operands.iter().copied());
    let selection = arrays.iter().copied().chain(used).collect();
    let options = CutOptions { max_constant_elements: 0, keeps_annotations: false };
    let found =
        cut(module, id, &selection, &Results::Selected(arrays), &options, |_| None).map_err(|_| nothing())?;
    let program = &found.program.module;
    let new_entry = program.entry_computation().ok_or_else(nothing)?;
    let root = new_entry.root.ok_or_else(nothing)?;
    let origin = |id: &InstructionId| found.origins.get(id.index()).copied().flatten();
    // Of a single result the root is the result itself.
    let results = match origin(&root) {
        Some(only) => vec![only],
        None => {
            new_entry.get(root).into_iter().flat_map(|tuple| &tuple.operands).filter_map(origin).collect()
        }
    };
    match stablehlo::print(program) {
        Ok(text) => Ok(Exported { text, results }),
        Err(errors) => Err(errors.into_iter().next().map_or_else(nothing, |error| error.message)),
    }
}

fn run_all(
    module: &Module,
    args: &ExportArgs,
    arguments: &[Vec<Literal>],
    clock: &Clock,
) -> Result<Vec<Outcome>, EvalError> {
    if let [arguments] = arguments {
        return Ok(vec![run_with_values(module, arguments.clone(), args.run.limits(), clock)?]);
    }
    let mut observer = ClockObserver(clock.clone());
    let mut devices =
        SimulatedDevices::new(module, arguments.len()).limits(args.run.limits()).observer(0, &mut observer);
    devices.run_with_values(arguments).map_err(|error| error.error)
}

fn about(entry: &Computation, exported: &Exported, arguments: &[Vec<Literal>]) -> About {
    let dtype = |array: &ArrayLiteral| write::dtype_name(array.element_type());
    let of_one = arguments.first().into_iter().flatten();
    let values = exported.results.iter().filter_map(|id| {
        let instruction = entry.get(*id)?;
        Some((instruction.name.clone(), write::dtype_name(instruction.shape.as_array()?.element_type)))
    });
    let root = entry.root.filter(|root| exported.results.contains(root)).and_then(|root| entry.get(root));
    About {
        replicas: arguments.len(),
        root: root.map(|root| root.name.clone()).unwrap_or_default(),
        arguments: of_one.filter_map(Literal::as_array).map(dtype).collect(),
        values: values.collect(),
    }
}

fn named_arguments(arguments: &[Vec<Literal>]) -> Named<'_> {
    let mut named = Named::new();
    for (replica, arguments) in arguments.iter().enumerate() {
        for (number, argument) in arguments.iter().enumerate() {
            named.extend(argument.as_array().map(|array| (format!("{number}@{replica}"), array)));
        }
    }
    named
}

/// The values by instruction and replica, and whether these are all.
fn named_values<'a>(entry: &Computation, exported: &Exported, outcomes: &'a [Outcome]) -> (Named<'a>, bool) {
    let (mut named, mut bytes) = (Named::new(), 0);
    for id in &exported.results {
        let Some(instruction) = entry.get(*id) else { continue };
        for (replica, outcome) in outcomes.iter().enumerate() {
            let Some(array) = outcome.values.get(*id).and_then(Data::as_array) else { continue };
            bytes += array.held_bytes();
            if bytes > MAX_VALUE_BYTES {
                return (named, false);
            }
            named.push((format!("{}@{replica}", instruction.name), array));
        }
    }
    (named, true)
}

fn files(
    folder: &Path,
    text: &str,
    about: &About,
    arguments: &Named<'_>,
    values: &Named<'_>,
) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let archive = |named: &Named<'_>| {
        let archive = write::npz(named.iter().map(|(name, array)| (name.clone(), *array)));
        let too_large = || io::Error::other("the archive would be too large");
        archive.map_err(|error| io::Error::other(error.to_string()))?.ok_or_else(too_large)
    };
    fs::write(folder.join("run.py"), SCRIPT)?;
    fs::write(folder.join("program.mlir"), text)?;
    fs::write(folder.join("about.json"), serde_json::to_vec_pretty(about)?)?;
    fs::write(folder.join("arguments.npz"), archive(arguments)?)?;
    fs::write(folder.join("values.npz"), archive(values)?)
}
