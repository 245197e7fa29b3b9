//! Reduces a program while a property of its run holds.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;

use super::cutting::result_program;
use super::environment::{Environment, Input, general_failure};
use super::recording::{Progress, Receiver, report, run};
use crate::array::Literal;
use crate::hlo::eval::kernel::Kernels;
use crate::hlo::eval::meter::Frame;
use crate::hlo::{EvalError, Instruction, InstructionId, Module};
use crate::i18n::Message;
use crate::inspect::compare::values::compare_values;
use crate::inspect::compare::{InstructionAt, Matching};
use crate::inspect::cut::Program;
use crate::inspect::cut::shrink::{End, ShrinkOptions, Shrinker, Values};
use crate::inspect::flow::value_bytes;
use crate::inspect::values::{NumericsObserver, Tolerance};
use crate::ops::Data;
use crate::worker::evaluation::run::failure;
use crate::worker::evaluation::wire::Failure;
use crate::worker::program::wire::{Property, ShrinkEnd, ShrinkTask, Shrunk, TaskProgress};

/// Maximum bytes of the values of a program that can be reduced: all of them are kept.
const MAX_VALUES_BYTES: u64 = 512 << 20;

/// Milliseconds between reports.
const REPORT_INTERVAL_MS: f64 = 150.0;

/// Maximum bytes of a program that is reported before the end.
const MAX_REPORTED_BYTES: usize = 1 << 18;

/// The values, the numerics and the error of a run.
struct Recorded<'m> {
    values: Values,
    numerics: NumericsObserver<'m>,
    error: Option<EvalError>,
}

/// Keeps the values of the entry computation and observes the numerics of the run.
struct Recorder<'a, 'm, 's> {
    values: Values,
    numerics: NumericsObserver<'m>,
    /// Reports the progress of single runs, before candidates are tried.
    environment: Option<&'a mut Environment<'s>>,
}

impl Receiver for Recorder<'_, '_, '_> {
    fn value(&mut self, frame: Frame, id: InstructionId, value: &Data) -> ControlFlow<()> {
        self.numerics.record(frame, id, value);
        if frame.depth == 0
            && let Some(slot) = self.values.get_mut(id.index())
        {
            *slot = Some(value.clone());
        }
        ControlFlow::Continue(())
    }

    fn progress(&mut self, progress: Progress) {
        if let Some(environment) = &mut self.environment {
            report(environment, false, progress);
        }
    }
}

async fn record<'m>(
    module: &'m Module,
    arguments: &[Literal],
    seed: u32,
    kernels: Option<Rc<dyn Kernels>>,
    clock: &dyn Fn() -> f64,
    environment: Option<&mut Environment<'_>>,
) -> Recorded<'m> {
    let count = module.entry_computation().map_or(0, |entry| entry.instructions.len());
    let mut recorder =
        Recorder { values: vec![None; count], numerics: NumericsObserver::new(module), environment };
    let ran = run(module, arguments, seed, kernels, clock, &mut recorder).await;
    Recorded { values: recorder.values, numerics: recorder.numerics, error: ran.err() }
}

/// The property that every candidate is tested for.
enum Test {
    Nan,
    Infinity,
    /// The run fails with the error of this rule.
    Error(&'static str),
    /// The value of an instruction differs from the expected one, by the name of the instruction.
    Differs(BTreeMap<String, Data>, Tolerance),
    /// The value of an instruction differs from the reference evaluator's.
    Kernels(Tolerance),
}

/// Runs candidates and tests whether they have the property.
struct PropertyTester<'a> {
    test: Test,
    seed: u32,
    kernels: Option<Rc<dyn Kernels>>,
    clock: &'a dyn Fn() -> f64,
}

impl PropertyTester<'_> {
    /// Runs a candidate. Returns its values, and the instruction of the entry computation that shows the property.
    ///
    /// # Errors
    ///
    /// `Err(None)` if the candidate runs but lacks the property; `Err(Some(_))` if its run fails.
    async fn run(
        &self,
        module: &Module,
        arguments: &[Literal],
        environment: Option<&mut Environment<'_>>,
    ) -> Result<(Values, Option<InstructionId>), Option<EvalError>> {
        let recorded =
            record(module, arguments, self.seed, self.kernels.clone(), self.clock, environment).await;
        let Recorded { values, numerics, error } = recorded;
        if let Test::Error(rule) = &self.test {
            let error = error.filter(|error| error.error.rule == *rule).ok_or(None)?;
            let focus = error.at.filter(|(computation, _)| Some(*computation) == module.entry);
            return Ok((values, focus.map(|(_, id)| id)));
        }
        if let Some(error) = error {
            return Err(Some(error));
        }
        let event = match &self.test {
            Test::Nan => numerics.first_computed_nan,
            Test::Infinity => numerics.first_computed_infinity,
            Test::Differs(expected, tolerance) => {
                let expected_value =
                    |_: InstructionId, instruction: &Instruction| expected.get(&instruction.name).cloned();
                let first = first_differing(module, &values, expected_value, tolerance).ok_or(None)?;
                return Ok((values, Some(first)));
            }
            Test::Kernels(tolerance) => {
                let reference = record(module, arguments, self.seed, None, self.clock, None).await;
                let reference_value =
                    |id: InstructionId, _: &Instruction| reference.values.get(id.index()).cloned().flatten();
                let first = first_differing(module, &values, reference_value, tolerance).ok_or(None)?;
                return Ok((values, Some(first)));
            }
            Test::Error(_) => None,
        };
        let event = event.ok_or(None)?;
        Ok((values, (event.frame.depth == 0).then_some(event.instruction)))
    }
}

/// The first instruction with an unexpected value although its operands have the expected ones.
fn first_differing(
    module: &Module,
    values: &Values,
    expected_value: impl Fn(InstructionId, &Instruction) -> Option<Data>,
    tolerance: &Tolerance,
) -> Option<InstructionId> {
    let entry = module.entry_computation()?;
    let pairs: Vec<_> = entry.iter().map(|(id, _)| (id, id)).collect();
    let found = compare_values(entry, &pairs, tolerance, |id, _| {
        let (value, expected) = (values.get(id.index())?.clone()?, expected_value(id, entry.get(id)?)?);
        // A candidate of other sizes cannot be compared.
        expected.matches_shape(&value.shape()).then_some((value, expected))
    });
    let is_computed = |id: InstructionId| {
        entry.get(id).is_some_and(|i| !matches!(i.opcode.as_str(), "parameter" | "constant"))
    };
    found.origins().find(|origin| is_computed(origin.a)).map(|origin| origin.a)
}

/// Runs another program. Returns its values by the names of the matching instructions of this one.
async fn expected_values(
    task: &ShrinkTask,
    text: &str,
    module: &Module,
    environment: &mut Environment<'_>,
) -> Result<BTreeMap<String, Data>, Failure> {
    let language = environment.language;
    let other = Input::read_like(&task.job, text, Some(module), environment)?;
    let (kernels, clock) = (environment.kernels.clone(), environment.clock);
    let recorded =
        record(&other.module, &other.arguments, other.seed, kernels, clock, Some(environment)).await;
    if let Some(error) = recorded.error {
        return Err(failure(&error, &other.module, language));
    }
    let matching = Matching::new(module, &other.module);
    let mut expected = BTreeMap::new();
    let (Some(computation), Some(entry)) = (module.entry, module.entry_computation()) else {
        return Ok(expected);
    };
    for (instruction, node) in entry.iter() {
        let counterpart = matching.instruction_in_b(InstructionAt { computation, instruction });
        let value = counterpart
            .filter(|at| Some(at.computation) == other.module.entry)
            .and_then(|at| recorded.values.get(at.instruction.index()).cloned().flatten());
        if let Some(value) = value {
            expected.insert(node.name.clone(), value);
        }
    }
    Ok(expected)
}

/// Prepares the test for the property of a task.
async fn prepare_test(
    task: &ShrinkTask,
    input: &Input,
    environment: &mut Environment<'_>,
) -> Result<Test, Failure> {
    Ok(match &task.property {
        Property::Nan => Test::Nan,
        Property::Infinity => Test::Infinity,
        Property::Error => {
            let (kernels, clock) = (environment.kernels.clone(), environment.clock);
            let first =
                record(&input.module, &input.arguments, input.seed, kernels, clock, Some(environment)).await;
            let rule = first.error.map(|error| error.error.rule);
            Test::Error(rule.ok_or_else(|| not_reproduced(environment, &task.property))?)
        }
        Property::Differs { text, ulps } => {
            let expected = expected_values(task, text, &input.module, environment).await?;
            Test::Differs(expected, Tolerance::new(*ulps))
        }
        Property::Kernels { ulps } => Test::Kernels(Tolerance::new(*ulps)),
    })
}

fn not_reproduced(environment: &Environment<'_>, property: &Property) -> Failure {
    let key = match property {
        Property::Nan => "program-shrink-no-nan",
        Property::Infinity => "program-shrink-no-infinity",
        Property::Error => "program-shrink-no-error",
        Property::Differs { .. } => "program-shrink-no-difference",
        Property::Kernels { .. } => "program-shrink-same-kernels",
    };
    general_failure(environment.language, "shrink-not-reproduced", &Message::program(key))
}

/// Reduces a program while its property holds.
///
/// # Errors
///
/// Errors of the texts and of the runs before the search, values that do not fit in memory, and a program without the property.
pub async fn shrink(task: &ShrinkTask, environment: &mut Environment<'_>) -> Result<Shrunk, Failure> {
    let language = environment.language;
    let input = Input::read(&task.job, &task.job.text, environment)?;
    let entry = input.module.entry_computation();
    let sizes = entry.into_iter().flat_map(|entry| &entry.instructions);
    let bytes = sizes.map(|i| value_bytes(&i.shape).unwrap_or(0)).fold(0, u64::saturating_add);
    if bytes > MAX_VALUES_BYTES {
        let message = Message::program("program-shrink-memory").with("megabytes", bytes >> 20);
        return Err(general_failure(
            language,
            "budget-bytes",
            &message.with("limit", MAX_VALUES_BYTES >> 20),
        ));
    }
    let test = prepare_test(task, &input, environment).await?;
    let (kernels, clock) = (environment.kernels.clone(), environment.clock);
    let tester = PropertyTester { test, seed: task.job.seed, kernels, clock };
    let focus = match tester.run(&input.module, &input.arguments, Some(environment)).await {
        Ok((_, focus)) => focus,
        Err(Some(error)) => return Err(failure(&error, &input.module, language)),
        Err(None) => return Err(not_reproduced(environment, &task.property)),
    };
    let arguments = input.arguments.into_iter().map(|literal| Some(Data::from(literal))).collect();
    let program = Program { module: input.module, arguments };
    let mut search = Shrinker::new(program, focus, ShrinkOptions::default());
    let (mut reported_ms, mut is_new) = (clock(), false);
    while let Some(candidate) = search.next_candidate() {
        let arguments: Option<Vec<Literal>> =
            candidate.known_arguments().map(|known| known.iter().map(Data::to_literal).collect());
        let result = match arguments {
            Some(arguments) => tester.run(&candidate.module, &arguments, None).await.ok(),
            None => None,
        };
        match result {
            Some((values, _)) => {
                search.keep(values);
                is_new = true;
            }
            None => search.reject(),
        }
        if clock() - reported_ms >= REPORT_INTERVAL_MS {
            reported_ms = clock();
            let smallest = std::mem::take(&mut is_new).then(|| result_program(search.program()));
            let smallest = smallest.filter(|program| program.text.len() <= MAX_REPORTED_BYTES);
            let progress = search.progress();
            (environment.report)(TaskProgress::Shrink {
                tries: progress.tries,
                instructions: progress.instructions,
                original: progress.original_instructions,
                smallest: smallest.map(Box::new),
            });
        }
    }
    let end = match search.end() {
        Some(End::NotReproduced) => return Err(not_reproduced(environment, &task.property)),
        Some(End::OutOfTries) => ShrinkEnd::OutOfTries,
        Some(End::Minimal) | None => ShrinkEnd::Minimal,
    };
    let progress = search.progress();
    Ok(Shrunk {
        program: result_program(search.program()),
        original: progress.original_instructions,
        tries: progress.tries,
        end,
    })
}
