//! `export --jax`: a program with its arguments and its values as a folder, with a script that runs it with XLA and compares.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::clock::Clock;
use super::output::{Failure, print_error};
use super::program_arguments::ExportArgs;
use super::recording::{ClockObserver, run_with_values};
use super::replicas;
use super::report::{report, report_run_error};
use super::save::write_file;
use crate::array::Literal;
use crate::diagnostic::{Diagnostic, Span};
use crate::hlo::{EvalError, Module, Outcome, SimulatedDevices};
use crate::i18n::Message;
use crate::jax_export::{JaxProgram, MAX_VALUE_BYTES};

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
    let program = JaxProgram::new(module).map_err(|message| report_rejection(out, message))?;
    let outcomes = run_all(module, args, &arguments, clock)
        .map_err(|error| report_run_error(out, false, error, module, source))?;
    let exported = program.files(module, &arguments, &outcomes);
    let exported = exported.map_err(|message| report_rejection(out, message))?;
    write_files(Path::new(folder), &exported.files).map_err(|error| {
        let message = Message::terminal("cli-out-write");
        report_rejection(out, message.with("file", folder).with("error", error.to_string()))
    })?;
    if !exported.is_complete {
        print_error(&Message::terminal("cli-export-partial").with("mib", MAX_VALUE_BYTES >> 20).to_string());
    }
    Ok(writeln!(out, "{}", Message::terminal("cli-export-written").with("folder", folder))?)
}

fn report_rejection(out: &mut impl Write, message: Message) -> Failure {
    report(out, false, &Diagnostic::error(Span::default(), "cli-export", message), "")
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

fn write_files(folder: &Path, files: &[(&str, Vec<u8>)]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    files.iter().try_for_each(|(name, content)| write_file(&folder.join(name), content))
}
