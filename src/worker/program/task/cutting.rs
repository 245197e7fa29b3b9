//! Cuts instructions out as a program of their own, with the values that their operands had in a run.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::environment::{Environment, Input, general_failure};
use super::recording::{Progress, Receiver, report, run};
use crate::hlo::eval::meter::Frame;
use crate::hlo::{Computation, InstructionId, PrintOptions};
use crate::i18n::Message;
use crate::inspect::compare::names::match_names;
use crate::inspect::cut::{CutError, CutOptions, Program, Results, cut};
use crate::inspect::flow::value_bytes;
use crate::ops::{ComputationId, Data};
use crate::state::experiment::arguments::{MAX_WRITTEN_ELEMENTS, one_line};
use crate::state::program::references::Argument;
use crate::worker::evaluation::run::failure;
use crate::worker::evaluation::wire::Failure;
use crate::worker::program::ids::reference;
use crate::worker::program::wire::{CutTask, ResultProgram};

/// Maximum bytes of the recorded values.
const MAX_RECORDED_BYTES: u64 = 512 << 20;

/// Records values of the first execution of a computation.
struct FirstExecutionRecorder<'a, 's> {
    computation: ComputationId,
    /// The index of the recorded call, once it has begun.
    call: Option<u64>,
    /// Whether the value of each instruction is recorded.
    is_wanted: Vec<bool>,
    values: Vec<Option<Data>>,
    root: Option<InstructionId>,
    is_complete: bool,
    environment: &'a mut Environment<'s>,
}

impl Receiver for FirstExecutionRecorder<'_, '_> {
    fn value(&mut self, frame: Frame, id: InstructionId, value: &Data) -> ControlFlow<()> {
        if frame.computation != self.computation || *self.call.get_or_insert(frame.call) != frame.call {
            return ControlFlow::Continue(());
        }
        if self.is_wanted.get(id.index()) == Some(&true)
            && let Some(slot) = self.values.get_mut(id.index())
        {
            *slot = Some(value.clone());
        }
        if Some(id) == self.root {
            self.is_complete = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn progress(&mut self, progress: Progress) {
        report(self.environment, false, progress);
    }
}

/// The selected instructions and, level by level, their operands that compute something.
fn with_operands(
    computation: &Computation,
    selected: BTreeSet<InstructionId>,
    depth: u32,
) -> BTreeSet<InstructionId> {
    let mut all = selected.clone();
    let mut level = selected;
    for _ in 0..depth {
        let operands = level.iter().filter_map(|id| computation.get(*id)).flat_map(|i| &i.operands);
        let is_computed = |id: &&InstructionId| {
            computation.get(**id).is_some_and(|i| !matches!(i.opcode.as_str(), "parameter" | "constant"))
        };
        level = operands.filter(is_computed).copied().filter(|id| !all.contains(id)).collect();
        if level.is_empty() {
            break;
        }
        all.extend(&level);
    }
    all
}

/// Whether the value of each instruction may be captured: those of the operands of selected instructions may, as long as they
/// fit in memory.
fn find_capturable(computation: &Computation, selected: &BTreeSet<InstructionId>) -> Vec<bool> {
    let mut is_capturable = vec![false; computation.instructions.len()];
    let mut remaining = MAX_RECORDED_BYTES;
    let mut level: BTreeSet<InstructionId> = selected.clone();
    while !level.is_empty() {
        let mut next = BTreeSet::new();
        for id in level {
            let Some(instruction) = computation.get(id) else { continue };
            for operand in &instruction.operands {
                let bytes = computation.get(*operand).and_then(|i| value_bytes(&i.shape)).unwrap_or(0);
                if is_capturable.get(operand.index()) == Some(&false) && bytes <= remaining {
                    remaining -= bytes;
                    is_capturable[operand.index()] = true;
                    // A value without a literal, such as a token, cannot be captured: its operands are instead.
                    if bytes == 0 || selected.contains(operand) {
                        next.insert(*operand);
                    }
                }
            }
            // A selected parameter is captured itself.
            if let Some(slot) = is_capturable.get_mut(id.index()).filter(|_| instruction.operands.is_empty())
            {
                *slot = true;
            }
        }
        level = next;
    }
    is_capturable
}

/// Cuts instructions out.
///
/// # Errors
///
/// Errors of the text and its arguments, an unknown name, and a selection that is no program. The second value of the result is
/// the failure of the run, after which the values that it had computed are used.
pub async fn cut_out(
    task: &CutTask,
    environment: &mut Environment<'_>,
) -> Result<(ResultProgram, Option<Failure>), Failure> {
    let language = environment.language;
    let input = Input::read(&task.job, &task.job.text, environment)?;
    let (id, _) = reference(task.within);
    let nothing = || general_failure(language, "cut-nothing", &Message::program("program-cut-nothing"));
    let computation = input.module.get(id).ok_or_else(nothing)?;
    let found = match_names(computation, &task.names);
    let missing = found.unknown.iter().chain(&found.ambiguous).min();
    if let Some(unknown) = missing.and_then(|index| task.names.get(*index)) {
        let message = Message::program("program-cut-unknown")
            .with("name", unknown.as_str())
            .with("computation", computation.name.as_str());
        return Err(general_failure(language, "cut-unknown", &message));
    }
    let selected = with_operands(computation, found.matched.into_values().collect(), task.depth);
    let mut recorder = FirstExecutionRecorder {
        computation: id,
        call: None,
        is_wanted: find_capturable(computation, &selected),
        values: vec![None; computation.instructions.len()],
        root: computation.root,
        is_complete: false,
        environment,
    };
    let (kernels, clock) = (recorder.environment.kernels.clone(), recorder.environment.clock);
    let ran = run(&input.module, &input.arguments, input.seed, kernels, clock, &mut recorder).await;
    let problem = match ran {
        Err(error) if !recorder.is_complete => Some(failure(&error, &input.module, language)),
        _ => None,
    };
    let values = recorder.values;
    let options =
        CutOptions { max_constant_elements: i64::from(task.max_constant_elements), keeps_annotations: true };
    let value = |id: InstructionId| values.get(id.index()).cloned().flatten();
    match cut(&input.module, id, &selected, &Results::Used, &options, value) {
        Ok(found) => Ok((result_program(&found.program), problem)),
        Err(CutError::Nothing) => Err(nothing()),
        Err(CutError::Invalid(error, _)) => Err(general_failure(language, error.rule, &error.message)),
    }
}

/// Converts a program for the page.
pub fn result_program(program: &Program) -> ResultProgram {
    let options = PrintOptions { annotations: true, ..PrintOptions::SHORT };
    let mut result = ResultProgram { text: program.module.text(options), ..ResultProgram::default() };
    for argument in &program.arguments {
        let Some(data) = argument else {
            result.unknown_arguments += 1;
            result.arguments.push(Argument::Random);
            continue;
        };
        if crate::array::literal::slots_of(&data.shape()) > MAX_WRITTEN_ELEMENTS {
            result.long_arguments += 1;
            result.arguments.push(Argument::Random);
        } else {
            result.arguments.push(Argument::Text(one_line(&data.to_literal())));
        }
    }
    let entry = program.module.entry_computation();
    let computes = |opcode: &str| !matches!(opcode, "parameter" | "constant");
    result.operations =
        entry.map_or(0, |entry| entry.instructions.iter().filter(|i| computes(&i.opcode)).count());
    result
}
