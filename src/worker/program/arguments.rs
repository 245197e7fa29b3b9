//! The values of a program's parameters.

use super::argument_files::{ArgumentFiles, Rejection, read};
use super::wire::{Argument, FileArgument, Job};
use crate::array::value::text::Exactness;
use crate::array::values::{ValueRule, ValuesError};
use crate::array::{ArrayShape, Literal, Shape};
use crate::files::ArgumentReader;
use crate::hlo::eval::budget::too_many_bytes;
use crate::hlo::eval::values::RUN;
use crate::hlo::{Computation, EvalError, Module};
use crate::i18n::{Language, Message};
use crate::inspect::flow::value_bytes;
use crate::state::experiment::arguments::{ArgumentError, MAX_WRITTEN_ELEMENTS, argument};
use crate::worker::evaluation::job::LIMITS;
use crate::worker::evaluation::run::failure as run_failure;
use crate::worker::evaluation::wire::Failure;

/// The shapes of the parameters of the entry computation.
pub fn parameter_shapes(module: &Module) -> Vec<Shape> {
    let signature = module.entry_computation().and_then(Computation::signature);
    signature.map(|signature| signature.parameters.clone()).unwrap_or_default()
}

/// The seed of the values of one parameter.
fn parameter_seed(seed: u32, number: usize) -> u32 {
    // Any odd constant separates the parameters; this is 2^32 divided by the golden ratio.
    let number = u32::try_from(number).unwrap_or(u32::MAX);
    seed.wrapping_add(number.wrapping_mul(0x9E37_79B9))
}

/// The failure of a run because of the argument of one parameter.
fn failure(number: usize, language: Language, (rule, problem): Rejection) -> Failure {
    let message = Message::program("program-argument").with("number", number).with("problem", problem);
    Failure {
        message: message.localize(language),
        rule: rule.to_owned(),
        parameter: Some(number),
        ..Failure::default()
    }
}

fn values_rejection(error: &ValuesError) -> Rejection {
    match error.first() {
        Some(diagnostic) => (diagnostic.rule, diagnostic.message.clone()),
        None => ("literal-count", Message::program("program-argument-unreadable")),
    }
}

/// The value of a parameter by a rule.
fn by_rule(shape: &Shape, rule: &ValueRule) -> Result<Literal, Rejection> {
    argument(shape, rule).map_err(|error| match error {
        ArgumentError::Values(error) => values_rejection(&error),
        ArgumentError::Memory => ("budget-bytes", Message::program("program-argument-memory")),
    })
}

/// The value of a parameter from a file.
fn by_file(
    file: &FileArgument,
    shape: &Shape,
    files: &dyn ArgumentFiles,
    reader: &mut ArgumentReader,
) -> Result<Literal, Rejection> {
    let opened = file.number.and_then(|number| files.open(number));
    let missing =
        || ("array-file", Message::program("program-file-missing").with("file", file.file.as_str()));
    read(file, &mut opened.ok_or_else(missing)?, shape, reader)
}

/// The values of a parameter as text that a user can edit; empty for a tuple, for values from files, and for too many elements.
pub(super) fn written_out(module: &Module, number: usize, argument: &Argument, seed: u32) -> String {
    let rule = match argument {
        Argument::Random => ValueRule::Random(parameter_seed(seed, number)),
        Argument::Iota => ValueRule::Iota,
        Argument::Text(text) => return text.clone(),
        Argument::File(_) => return String::new(),
    };
    let shapes = parameter_shapes(module);
    let is_short = |array: &ArrayShape| array.elements().is_some_and(|count| count <= MAX_WRITTEN_ELEMENTS);
    let shape = shapes.get(number).filter(|shape| shape.as_array().is_some_and(is_short));
    let value = shape.and_then(|shape| by_rule(shape, &rule).ok());
    value.map(|value| value.text(Exactness::RoundTrip)).unwrap_or_default()
}

/// Makes the arguments of a job on one device, one after another.
pub struct ArgumentSource<'a> {
    job: &'a Job,
    files: &'a dyn ArgumentFiles,
    language: Language,
    reader: ArgumentReader<'a>,
}

impl<'a> ArgumentSource<'a> {
    /// The arguments of a job.
    pub fn new(job: &'a Job, files: &'a dyn ArgumentFiles, language: Language) -> Self {
        Self { job, files, language, reader: ArgumentReader::new(LIMITS.bytes, &|| false) }
    }

    fn rule(&self, number: usize) -> &'a Argument {
        self.job.arguments.get(number).unwrap_or(&Argument::Random)
    }

    /// The argument of the parameter with this number and shape on device 0.
    ///
    /// # Errors
    ///
    /// The argument is not a value of the shape.
    pub fn argument(&mut self, number: usize, shape: &Shape) -> Result<Literal, Failure> {
        self.argument_on(0, number, shape)
    }

    /// The argument on a device: random values differ, as if the seed were larger by the number of the device; all others are equal
    /// on every device.
    fn argument_on(&mut self, device: u32, number: usize, shape: &Shape) -> Result<Literal, Failure> {
        let value = match self.rule(number) {
            Argument::Random => {
                let seed = self.job.seed.wrapping_add(device);
                by_rule(shape, &ValueRule::Random(parameter_seed(seed, number)))
            }
            Argument::Iota => by_rule(shape, &ValueRule::Iota),
            Argument::Text(text) => by_rule(shape, &ValueRule::Text(text.clone())),
            Argument::File(file) => by_file(file, shape, self.files, &mut self.reader),
        };
        value.map_err(|rejection| failure(number, self.language, rejection))
    }
}

/// The arguments of a job on one device.
///
/// # Errors
///
/// The first argument that is not a value of the shape of its parameter.
pub fn arguments(
    job: &Job,
    module: &Module,
    files: &dyn ArgumentFiles,
    language: Language,
) -> Result<Vec<Literal>, Failure> {
    let shapes = parameter_shapes(module);
    let mut source = ArgumentSource::new(job, files, language);
    shapes.iter().enumerate().map(|(number, shape)| source.argument(number, shape)).collect()
}

/// The arguments of a job on each of its devices.
///
/// # Errors
///
/// Those of [`arguments`], and `budget-bytes` if the arguments of all devices exceed the limit of a run.
pub fn device_arguments(
    job: &Job,
    module: &Module,
    files: &dyn ArgumentFiles,
    language: Language,
) -> Result<Vec<Vec<Literal>>, Failure> {
    let shapes = parameter_shapes(module);
    // Arguments are allocated before the memory budget of the run applies.
    let bytes = shapes.iter().map(value_bytes).try_fold(0_u64, |sum, bytes| sum.checked_add(bytes?));
    let bytes = bytes.and_then(|bytes| bytes.checked_mul(job.devices.max(1).into()));
    if job.devices > 1 && bytes.is_none_or(|bytes| bytes > LIMITS.bytes) {
        let error = EvalError { at: None, error: Box::new(too_many_bytes(RUN, LIMITS.bytes)) };
        return Err(run_failure(&error, module, language));
    }
    let mut source = ArgumentSource::new(job, files, language);
    let mut devices = vec![Vec::new(); job.devices.max(1) as usize];
    for (number, shape) in shapes.iter().enumerate() {
        let mut equal = None;
        for (device, arguments) in (0..).zip(&mut devices) {
            let argument = match equal.take() {
                Some(argument) => argument,
                None => source.argument_on(device, number, shape)?,
            };
            if *source.rule(number) != Argument::Random {
                equal = Some(argument.clone());
            }
            arguments.push(argument);
        }
    }
    Ok(devices)
}
