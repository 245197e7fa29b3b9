//! `shrink`: reduces a module while it has the same problem.

use std::collections::BTreeMap;
use std::io::Write;

use super::clock::Clock;
use super::cut::print_program;
use super::diff::report_missing_arguments;
use super::module::module_or_report;
use super::output::{Failure, print_error};
use super::program_arguments::{PropertyArg, ShrinkArgs};
use super::recording::{Recording, program, record, run_arguments, values_by_name};
use super::report::{report, report_run_error};
use crate::array::{Edition, Literal};
use crate::diagnostic::{Diagnostic, Span};
use crate::files::Format;
use crate::hlo::{Computation, InstructionId, Module};
use crate::i18n::Message;
use crate::inspect::compare::InstructionAt;
use crate::inspect::compare::Matching;
use crate::inspect::compare::values::compare_values;
use crate::inspect::cut::Program;
use crate::inspect::cut::shrink::{End, Progress, ShrinkOptions, Shrinker, Values};
use crate::inspect::values::Tolerance;
use crate::ops::Data;

/// The property that the reduced module must keep.
enum Property {
    Nan,
    Infinity,
    /// The run fails with the error of this rule.
    Error(&'static str),
    /// The value of an instruction differs from the expected one, by the name of the instruction.
    Differs(BTreeMap<String, Data>, Tolerance),
}

/// Reduces a module while the property holds.
pub(super) fn run(out: &mut impl Write, args: &ShrinkArgs, clock: &Clock) -> Result<(), Failure> {
    let (source, module) = module_or_report(&args.file, Edition::Current, clock)?;
    let arguments =
        run_arguments(out, &args.run, 1, &module, clock)?.ok_or_else(|| report_missing_arguments(out))?;
    let first = record(&module, arguments.clone(), args.run.limits(), clock);
    if let Some(error) = &first.error
        && args.property != PropertyArg::Error
    {
        return Err(report_run_error(out, false, error.clone(), &module, &source));
    }
    let property = match &args.property {
        PropertyArg::Nan => Property::Nan,
        PropertyArg::Infinity => Property::Infinity,
        PropertyArg::Error => match &first.error {
            Some(error) => Property::Error(error.error.rule),
            None => return Err(not_reproduced(out)),
        },
        PropertyArg::Differs(file) => {
            let expected = expected_values(out, args, file, &module, &arguments, clock)?;
            Property::Differs(expected, Tolerance::new(args.ulp))
        }
    };
    let focus = property.focus(&first, &module);
    drop(first);
    let options = ShrinkOptions { max_tries: args.tries.max(1), ..ShrinkOptions::default() };
    let mut search = Shrinker::new(program(module, arguments), focus, options);
    while clock.stop_reason().is_none() {
        let Some(candidate) = search.next_candidate() else { break };
        match property.run_candidate(candidate, args, clock) {
            Some(values) => search.keep(values),
            // A run that was stopped shows nothing about the property.
            None if clock.stop_reason().is_some() => break,
            None => search.reject(),
        }
    }
    if search.end() == Some(End::NotReproduced) {
        return Err(not_reproduced(out));
    }
    print_program(out, search.program())?;
    print_error(&end_message(&search, clock).to_string());
    Ok(())
}

fn not_reproduced(out: &mut impl Write) -> Failure {
    let message = Message::terminal("cli-shrink-not-reproduced");
    report(out, false, &Diagnostic::error(Span::default(), "cli-shrink", message), "")
}

fn end_message(search: &Shrinker, clock: &Clock) -> Message {
    let Progress { tries, instructions, original_instructions, .. } = search.progress();
    let why = match (clock.stop_reason(), search.end()) {
        (Some(stop), _) => stop.message(),
        (None, Some(End::OutOfTries)) => Message::terminal("cli-shrink-tries"),
        (None, _) => Message::terminal("cli-shrink-minimal"),
    };
    Message::terminal("cli-shrink-end")
        .with("before", original_instructions)
        .with("after", instructions)
        .with("tries", tries)
        .with("why", why)
}

/// The expected values by the names of the program's instructions: of an archive, or of another module on the same
/// arguments.
fn expected_values(
    out: &mut impl Write,
    args: &ShrinkArgs,
    file: &str,
    module: &Module,
    arguments: &[Literal],
    clock: &Clock,
) -> Result<BTreeMap<String, Data>, Failure> {
    let entry = module.entry_computation();
    let name = |id: InstructionId| entry.and_then(|entry| entry.get(id)).map(|i| i.name.clone());
    if Format::of_name(file) == Some(Format::Npz) {
        let (values, _) = values_by_name(out, file, module, args.run.memory, clock)?;
        return Ok(values.into_iter().filter_map(|(id, value)| Some((name(id)?, value))).collect());
    }
    let (source, other) = module_or_report(file, Edition::Current, clock)?;
    let recording = record(&other, arguments.to_vec(), args.run.limits(), clock);
    if let Some(error) = recording.error {
        return Err(report_run_error(out, false, error, &other, &source));
    }
    let matching = Matching::new(module, &other);
    let mut expected = BTreeMap::new();
    let Some(computation) = module.entry else { return Ok(expected) };
    for (instruction, node) in entry.into_iter().flat_map(Computation::iter) {
        let at = matching.instruction_in_b(InstructionAt { computation, instruction });
        let value = at
            .filter(|at| Some(at.computation) == other.entry)
            .and_then(|at| recording.values.get(at.instruction.index()).cloned().flatten());
        if let Some(value) = value {
            expected.insert(node.name.clone(), value);
        }
    }
    Ok(expected)
}

impl Property {
    /// The instruction of the entry computation that shows the property in the first run.
    fn focus(&self, first: &Recording, module: &Module) -> Option<InstructionId> {
        match self {
            Self::Nan => {
                let event = first.numerics.first_computed_nan.as_ref()?;
                (event.frame.depth == 0).then_some(event.instruction)
            }
            Self::Infinity => {
                let event = first.numerics.first_computed_infinity.as_ref()?;
                (event.frame.depth == 0).then_some(event.instruction)
            }
            Self::Error(_) => {
                let (computation, id) = first.error.as_ref()?.at?;
                (Some(computation) == module.entry).then_some(id)
            }
            Self::Differs(expected, tolerance) => first_differing(module, &first.values, expected, tolerance),
        }
    }

    /// Runs a candidate; returns its values if it has the property.
    fn run_candidate(&self, candidate: &Program, args: &ShrinkArgs, clock: &Clock) -> Option<Values> {
        let arguments = candidate.known_arguments()?.iter().map(Data::to_literal).collect();
        let recording = record(&candidate.module, arguments, args.run.limits(), clock);
        let holds = match self {
            Self::Nan => recording.numerics.first_computed_nan.is_some(),
            Self::Infinity => recording.numerics.first_computed_infinity.is_some(),
            Self::Error(rule) => recording.error.is_some_and(|error| error.error.rule == *rule),
            Self::Differs(expected, tolerance) => {
                first_differing(&candidate.module, &recording.values, expected, tolerance).is_some()
            }
        };
        holds.then_some(recording.values)
    }
}

/// The first instruction with an unexpected value although its operands have the expected ones.
fn first_differing(
    module: &Module,
    values: &Values,
    expected: &BTreeMap<String, Data>,
    tolerance: &Tolerance,
) -> Option<InstructionId> {
    let entry = module.entry_computation()?;
    let pairs: Vec<_> = entry.iter().map(|(id, _)| (id, id)).collect();
    let found = compare_values(entry, &pairs, tolerance, |id, _| {
        let (value, expected) = (values.get(id.index())?.clone()?, expected.get(&entry.get(id)?.name)?);
        // A candidate of other sizes cannot be compared.
        expected.matches_shape(&value.shape()).then(|| (value, expected.clone()))
    });
    let is_computed = |id: InstructionId| {
        entry.get(id).is_some_and(|i| !matches!(i.opcode.as_str(), "parameter" | "constant"))
    };
    found.origins().find(|origin| is_computed(origin.a)).map(|origin| origin.a)
}
