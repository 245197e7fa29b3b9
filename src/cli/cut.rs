//! `cut`: prints instructions as a module of their own.

use std::collections::BTreeSet;
use std::io::Write;

use super::clock::Clock;
use super::module::module_or_report;
use super::output::Failure;
use super::program_arguments::CutArgs;
use super::recording::{record, run_arguments};
use super::report::{report, report_run_error};
use crate::array::Edition;
use crate::array::literal::slots_of;
use crate::array::value::text::Exactness;
use crate::diagnostic::{Diagnostic, Span};
use crate::hlo::{InstructionId, Module, PrintOptions};
use crate::i18n::Message;
use crate::inspect::compare::names::match_names;
use crate::inspect::cut::{CutError, CutOptions, Program, Results, cut};
use crate::ops::{ComputationId, Data};

/// Maximum elements of an argument, padding included, that is printed with the module.
const MAX_PRINTED_ELEMENTS: i64 = 4096;

/// Cuts instructions out of a module.
pub(super) fn run(out: &mut impl Write, args: &CutArgs, clock: &Clock) -> Result<(), Failure> {
    let (source, module) = module_or_report(&args.file, Edition::Current, clock)?;
    let computation = match &args.computation {
        Some(name) => {
            module.find(name.strip_prefix('%').unwrap_or(name)).ok_or(("cli-cut-computation", name.clone()))
        }
        None => module.entry.ok_or(("cli-cut-computation", "ENTRY".to_owned())),
    };
    let selected = computation.and_then(|id| Ok((id, selection(&module, id, &args.select)?)));
    let (computation, selection) = selected.map_err(|(key, name)| {
        let message = Message::terminal(key).with("name", name);
        report(out, false, &Diagnostic::error(Span::default(), "cli-select", message), "")
    })?;
    // Values are known in the entry computation only: others run any number of times.
    let is_entry = module.entry == Some(computation);
    let arguments = if is_entry { run_arguments(out, &args.run, 1, &module, clock)? } else { None };
    let has_arguments = !args.run.args.is_empty() || args.run.random.is_some();
    let values = match arguments.filter(|_| has_arguments) {
        Some(arguments) => {
            let recording = record(&module, arguments, args.run.limits(), clock);
            if let Some(error) = recording.error {
                return Err(report_run_error(out, false, error, &module, &source));
            }
            recording.values
        }
        None => Vec::new(),
    };
    let options = CutOptions { max_constant_elements: args.constants.into(), keeps_annotations: !args.bare };
    let value = |id: InstructionId| values.get(id.index()).cloned().flatten();
    match cut(&module, computation, &selection, &Results::Used, &options, value) {
        Ok(found) => print_program(out, &found.program),
        Err(CutError::Invalid(error, text)) => Err(report(out, false, &error, &text)),
        Err(CutError::Nothing) => {
            let message = Message::terminal("cli-cut-nothing");
            Err(report(out, false, &Diagnostic::error(Span::default(), "cli-select", message), ""))
        }
    }
}

/// The instructions of these names; the first name that is none as an error.
fn selection(
    module: &Module,
    computation: ComputationId,
    names: &[String],
) -> Result<BTreeSet<InstructionId>, (&'static str, String)> {
    let body = module.get(computation).ok_or(("cli-cut-computation", String::new()))?;
    let found = match_names(body, names);
    let missing = found.unknown.iter().chain(&found.ambiguous).min();
    if let Some(name) = missing.and_then(|index| names.get(*index)) {
        // A name that is given twice is no error.
        let is_repeated = found.unknown.is_empty() && names.iter().filter(|other| *other == name).count() > 1;
        if !is_repeated {
            return Err(("cli-cut-instruction", name.clone()));
        }
    }
    Ok(found.matched.into_values().collect())
}

/// Prints a program, after the values of its arguments as comments in the form of `--arg`.
pub(super) fn print_program(out: &mut impl Write, program: &Program) -> Result<(), Failure> {
    for (number, argument) in program.arguments.iter().enumerate() {
        let Some(argument) = argument else { continue };
        let message = Message::terminal("cli-argument").with("number", number);
        let elements = slots_of(&argument.shape());
        if elements <= MAX_PRINTED_ELEMENTS {
            let text = Data::to_literal(argument).text_with_shape(Exactness::RoundTrip);
            writeln!(out, "// {message}: {text}")?;
        } else {
            let omitted = Message::terminal("cli-cut-large").with("limit", MAX_PRINTED_ELEMENTS);
            writeln!(out, "// {message}: {}, {omitted}", argument.shape())?;
        }
    }
    let options = PrintOptions { annotations: true, ..PrintOptions::SHORT };
    Ok(write!(out, "{}", program.module.text(options))?)
}
