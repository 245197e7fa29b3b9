//! Compares the values of a program with those of another, or with the arrays of an archive, in the order of the data flow.
//!
//! Only the values of a batch of instructions are in memory: both programs run once for each batch, and a value of the second
//! program is compared as soon as it is computed.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::environment::{Environment, Input, general_failure};
use super::recording::{Progress, Receiver, report, run};
use crate::array::value::text::Exactness;
use crate::array::{ElementType, shape_util};
use crate::files::{ArgumentReader, FileError};
use crate::hlo::eval::meter::Frame;
use crate::hlo::{Computation, InstructionId, Module};
use crate::i18n::Message;
use crate::inspect::compare::names::match_names;
use crate::inspect::compare::values::{arrange, pairs};
use crate::inspect::compare::{ValueComparison, ValueDifference, diff};
use crate::inspect::flow::value_bytes;
use crate::inspect::values::{self, Difference, DifferentCell, Tolerance, compare};
use crate::ops::Data;
use crate::worker::evaluation::job::LIMITS;
use crate::worker::evaluation::run::failure;
use crate::worker::evaluation::wire::Failure;
use crate::worker::program::argument_files::rejection;
use crate::worker::program::ids::at;
use crate::worker::program::wire::{
    CompareTask, ComparedWith, DifferentElement, DifferentValue, Distance, FileArgument, ValueDifferences,
};

/// Maximum bytes of the values of one batch.
const MAX_BATCH_BYTES: u64 = 256 << 20;

/// Maximum names of an archive without an instruction that are listed.
const MAX_UNKNOWN: usize = 20;

/// Maximum instructions that are listed.
const MAX_LISTED: usize = 2_000;

/// A pair of instructions of two entry computations.
type Pair = (InstructionId, InstructionId);

/// Keeps wanted values of the entry computation.
struct Keeper<'a, 's> {
    /// Its keys are the instructions whose values are wanted.
    wanted: &'a BTreeMap<InstructionId, InstructionId>,
    kept: BTreeMap<InstructionId, Data>,
    environment: &'a mut Environment<'s>,
}

impl Receiver for Keeper<'_, '_> {
    fn value(&mut self, frame: Frame, id: InstructionId, value: &Data) -> ControlFlow<()> {
        if frame.depth == 0 && self.wanted.contains_key(&id) {
            self.kept.insert(id, value.clone());
        }
        ControlFlow::Continue(())
    }

    fn progress(&mut self, progress: Progress) {
        report(self.environment, false, progress);
    }
}

/// Compares the values of a program with kept ones.
struct Comparer<'a, 's> {
    /// The instruction of the first program for one of the second.
    partners: &'a BTreeMap<InstructionId, InstructionId>,
    kept: BTreeMap<InstructionId, Data>,
    tolerance: &'a Tolerance,
    found: &'a mut BTreeMap<InstructionId, Difference>,
    /// Whether the running program is the first.
    is_first: bool,
    environment: &'a mut Environment<'s>,
}

impl Receiver for Comparer<'_, '_> {
    fn value(&mut self, frame: Frame, id: InstructionId, value: &Data) -> ControlFlow<()> {
        if frame.depth == 0
            && let Some(a) = self.partners.get(&id)
            && let Some(kept) = self.kept.remove(a)
        {
            let difference = if self.is_first {
                compare(value, &kept, self.tolerance)
            } else {
                compare(&kept, value, self.tolerance)
            };
            self.found.insert(*a, difference);
        }
        ControlFlow::Continue(())
    }

    fn progress(&mut self, progress: Progress) {
        report(self.environment, !self.is_first, progress);
    }
}

/// The pairs in batches whose values fit in memory.
fn batches(entry: &Computation, pairs: &[Pair]) -> Vec<Vec<Pair>> {
    let mut batches: Vec<Vec<Pair>> = Vec::new();
    let mut bytes = u64::MAX;
    for pair in pairs {
        let size = entry.get(pair.0).and_then(|i| value_bytes(&i.shape)).unwrap_or(MAX_BATCH_BYTES);
        bytes = bytes.saturating_add(size);
        if bytes > MAX_BATCH_BYTES {
            batches.push(Vec::new());
            bytes = size;
        }
        if let Some(batch) = batches.last_mut() {
            batch.push(*pair);
        }
    }
    batches
}

/// Checks that two programs have parameters of the same shapes; the error names the first that differs.
fn check_parameters(a: &Module, b: &Module) -> Result<(), Message> {
    let [first, second] = [a, b].map(|m| m.interface().map(|i| i.parameters).unwrap_or_default());
    if first.len() != second.len() {
        let message = Message::program("program-compare-parameter-count");
        return Err(message.with("first", first.len()).with("second", second.len()));
    }
    let pairs = first.iter().zip(&second).enumerate();
    match pairs.into_iter().find(|(_, (a, b))| !shape_util::compatible(a, b)) {
        Some((number, (a, b))) => Err(Message::program("program-compare-parameter")
            .with("number", number)
            .with("first", a.human_string())
            .with("second", b.human_string())),
        None => Ok(()),
    }
}

/// Compares the values of two programs.
///
/// # Errors
///
/// Errors of either text and of either run, and parameters that differ.
pub async fn compare_programs(
    task: &CompareTask,
    environment: &mut Environment<'_>,
) -> Result<ValueDifferences, Failure> {
    let language = environment.language;
    let first = Input::read(&task.job, &task.job.text, environment)?;
    let second = match &task.other {
        ComparedWith::Program(text) => Input::read_like(&task.job, text, Some(&first.module), environment)?,
        ComparedWith::Archive(file) => {
            let known = read_archive(file, &first.module, environment)?;
            return compare_with_archive(task, &first, known, environment).await;
        }
    };
    check_parameters(&first.module, &second.module)
        .map_err(|message| general_failure(language, "compare-parameters", &message))?;
    let modules = [&first.module, &second.module];
    let (Some(in_a), Some(in_b)) = (first.module.entry, second.module.entry) else {
        return Ok(ValueDifferences::default());
    };
    let pairs = pairs(&diff(modules[0], modules[1]).matching, modules, [in_a, in_b]);
    let [Some(entry), Some(other)] = modules.map(Module::entry_computation) else {
        return Ok(ValueDifferences::default());
    };
    let tolerance = tolerance(task);
    let mut found = BTreeMap::new();
    for batch in batches(entry, &pairs) {
        let (kernels, clock) = (environment.kernels.clone(), environment.clock);
        let wanted: BTreeMap<_, _> = batch.iter().copied().collect();
        let partners: BTreeMap<_, _> = batch.iter().map(|(a, b)| (*b, *a)).collect();
        let mut keeper = Keeper { wanted: &wanted, kept: BTreeMap::new(), environment };
        let ran = run(&first.module, &first.arguments, first.seed, kernels.clone(), clock, &mut keeper).await;
        ran.map_err(|error| failure(&error, &first.module, language))?;
        let kept = keeper.kept;
        let mut comparer = Comparer {
            partners: &partners,
            kept,
            tolerance: &tolerance,
            found: &mut found,
            is_first: false,
            environment,
        };
        let ran = run(&second.module, &second.arguments, second.seed, kernels, clock, &mut comparer).await;
        ran.map_err(|error| failure(&error, &second.module, language))?;
    }
    let arranged = arrange(entry, &pairs, |a, _| found.remove(&a));
    Ok(differences(&arranged, [(in_a.0, entry), (in_b.0, other)]))
}

fn tolerance(task: &CompareTask) -> Tolerance {
    Tolerance::new(task.ulps).absolute(task.absolute.max(0.0))
}

/// A comparison as the page has it.
fn differences(arranged: &ValueComparison, sides: [(u32, &Computation); 2]) -> ValueDifferences {
    let listed = arranged.different.iter().take(MAX_LISTED);
    let list: Vec<_> = listed.filter_map(|value| different_value(value, sides)).collect();
    let distance = |value: &DifferentValue| {
        value.largest.as_ref().and_then(|element| element.distance).map(Distance::number)
    };
    // The first of equal ones.
    let largest = (0..list.len()).filter(|index| distance(&list[*index]).is_some());
    let largest =
        largest.reduce(|best, next| if distance(&list[next]) > distance(&list[best]) { next } else { best });
    ValueDifferences {
        compared: arranged.compared,
        missing: arranged.missing,
        unknown: Vec::new(),
        different: arranged.different.len(),
        list,
        largest,
    }
}

/// The values of an archive by instruction, and the names that no instruction has.
type Archived = (BTreeMap<InstructionId, Data>, Vec<String>);

/// Reads the arrays of an archive that belong to instructions of the entry computation.
fn read_archive(
    file: &FileArgument,
    module: &Module,
    environment: &Environment<'_>,
) -> Result<Archived, Failure> {
    let language = environment.language;
    let name = file.file.as_str();
    let missing = || {
        let message = Message::program("program-file-missing").with("file", name);
        general_failure(language, "array-file", &message)
    };
    let mut opened = file.number.and_then(|number| environment.files.open(number)).ok_or_else(missing)?;
    let rejected = |error: FileError| {
        let (rule, message) = rejection(error);
        general_failure(language, rule, &message)
    };
    let names = ArgumentReader::names(name, &mut opened.content).map_err(rejected)?;
    let Some(entry) = module.entry_computation() else { return Ok(Archived::default()) };
    let matched = match_names(entry, &names);
    let shape = |index: usize| Some(&entry.get(*matched.matched.get(&index)?)?.shape);
    let mut reader = ArgumentReader::new(LIMITS.bytes, &|| false);
    let members = reader.read_members(name, &mut opened.content, &shape).map_err(rejected)?;
    let of_instruction = |(index, literal)| Some((*matched.matched.get(&index)?, Data::from(literal)));
    let values = members.into_iter().filter_map(of_instruction).collect();
    let other = matched.unknown.iter().chain(&matched.ambiguous);
    let unknown = other.filter_map(|index| names.get(*index).cloned()).take(MAX_UNKNOWN).collect();
    Ok((values, unknown))
}

/// Compares the values of a program with those of an archive.
async fn compare_with_archive(
    task: &CompareTask,
    input: &Input,
    (known, unknown): Archived,
    environment: &mut Environment<'_>,
) -> Result<ValueDifferences, Failure> {
    let language = environment.language;
    let module = &input.module;
    let (Some(computation), Some(entry)) = (module.entry, module.entry_computation()) else {
        return Ok(ValueDifferences::default());
    };
    let pairs: Vec<Pair> = known.keys().map(|id| (*id, *id)).collect();
    let partners: BTreeMap<_, _> = pairs.iter().copied().collect();
    let (kernels, clock) = (environment.kernels.clone(), environment.clock);
    let mut found = BTreeMap::new();
    let tolerance = tolerance(task);
    let mut comparer = Comparer {
        partners: &partners,
        kept: known,
        tolerance: &tolerance,
        found: &mut found,
        is_first: true,
        environment,
    };
    let ran = run(module, &input.arguments, input.seed, kernels, clock, &mut comparer).await;
    ran.map_err(|error| failure(&error, module, language))?;
    let mut arranged = arrange(entry, &pairs, |a, _| found.remove(&a));
    // An archive rarely has all.
    arranged.missing = 0;
    let sides = [(computation.0, entry); 2];
    Ok(ValueDifferences { unknown, ..differences(&arranged, sides) })
}

/// A difference as the page has it.
fn different_value(
    value: &ValueDifference,
    [(in_a, first), (in_b, second)]: [(u32, &Computation); 2],
) -> Option<DifferentValue> {
    let (a, b) = (first.get(value.a)?, second.get(value.b)?);
    let arrays = match &value.difference {
        Difference::Shape => &[][..],
        Difference::Arrays(arrays) => arrays,
    };
    let first_cell = arrays
        .iter()
        .find_map(|(path, array)| array.first.as_ref().map(|cell| element(path, array.element_type, cell)));
    let largest = value.difference.max().and_then(|(path, cell)| {
        let (_, array) = arrays.iter().find(|(other, _)| other == path)?;
        Some(element(path, array.element_type, cell))
    });
    let at = |computation: u32, id: InstructionId| at((crate::ops::ComputationId(computation), id));
    Some(DifferentValue {
        at: [at(in_a, value.a), at(in_b, value.b)],
        names: [a.unique_name(value.a), b.unique_name(value.b)],
        opcode: a.opcode.clone(),
        is_origin: value.is_origin,
        elements: arrays.iter().map(|(_, array)| array.elements).sum(),
        beyond: arrays.iter().map(|(_, array)| array.beyond).sum(),
        first: first_cell,
        largest,
    })
}

fn element(path: &[usize], element_type: ElementType, cell: &DifferentCell) -> DifferentElement {
    let list = |numbers: Vec<String>| numbers.join(",");
    let path = list(path.iter().map(usize::to_string).collect());
    let index = list(cell.index.iter().map(i64::to_string).collect());
    DifferentElement {
        position: format!("{path}[{index}]"),
        values: cell.values.map(|value| value.text(element_type, Exactness::RoundTrip)),
        distance: cell.distance().map(|distance| match distance {
            values::Distance::Integer(number) => Distance::Integer(number),
            values::Distance::Ulps(number) => Distance::Ulps(number),
        }),
    }
}
