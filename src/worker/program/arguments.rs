//! The values of a program's parameters.

use super::argument_files::{ArgumentFiles, Rejection, read};
use super::wire::{Argument, FileArgument, Job};
use crate::array::values::{ValueRule, ValuesError};
use crate::array::{Literal, Shape};
use crate::files::ArgumentReader;
use crate::hlo::{Computation, Module};
use crate::i18n::{Language, Message};
use crate::state::experiment::arguments::{ArgumentError, argument};
use crate::worker::evaluation::job::LIMITS;
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

    /// The argument of the parameter with this number and shape.
    ///
    /// # Errors
    ///
    /// The argument is not a value of the shape.
    pub fn argument(&mut self, number: usize, shape: &Shape) -> Result<Literal, Failure> {
        let value = match self.job.arguments.get(number).unwrap_or(&Argument::Random) {
            Argument::Random => by_rule(shape, &ValueRule::Random(parameter_seed(self.job.seed, number))),
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
