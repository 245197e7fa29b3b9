//! The values of a program's parameters.

use super::argument_files::{ArgumentFiles, Rejection, read};
use super::wire::{Argument, FileArgument, Job, Parameter};
use crate::array::value::text::Exactness;
use crate::array::values::{ValueRule, ValuesError};
use crate::array::{ArrayShape, Literal, Shape};
use crate::files::ArgumentReader;
use crate::hlo::eval::budget::too_many_bytes;
use crate::hlo::eval::values::RUN;
use crate::hlo::{Computation, EvalError, Module};
use crate::i18n::{Language, Message};
use crate::inspect::flow::value_bytes;
use crate::inspect::start_indices::{Bound, StartIndices};
use crate::state::experiment::arguments::{ArgumentError, MAX_WRITTEN_ELEMENTS, argument};
use crate::worker::evaluation::job::LIMITS;
use crate::worker::evaluation::run::failure as run_failure;
use crate::worker::evaluation::wire::Failure;

/// The number of elements of a shape, with those of all elements of a tuple.
fn elements(shape: &Shape) -> i64 {
    match shape {
        Shape::Array(array) => array.elements().unwrap_or(i64::MAX),
        Shape::Buffer(array) => array.elements().unwrap_or(i64::MAX),
        Shape::Tuple(parts) => parts.iter().map(elements).fold(0, i64::saturating_add),
        Shape::Token | Shape::Opaque => 0,
    }
}

/// The parameters of the entry computation as the page has them.
pub(super) fn parameters(module: &Module) -> Vec<Parameter> {
    let Some(entry) = module.entry_computation() else { return Vec::new() };
    let start_indices = StartIndices::of(module);
    let numbered = entry.parameters.iter().enumerate();
    let described = numbered.filter_map(|(number, id)| {
        let instruction = entry.get(*id)?;
        Some(Parameter {
            name: instruction.unique_name(*id),
            shape: instruction.shape.to_string(),
            elements: elements(&instruction.shape),
            max_start_index: start_indices.bound(number).map(Bound::max),
        })
    });
    described.collect()
}

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

/// A random value of a parameter; start indices of slices are in bounds.
fn random(
    start_indices: &StartIndices,
    number: usize,
    shape: &Shape,
    seed: u32,
) -> Result<Literal, Rejection> {
    let seed = parameter_seed(seed, number);
    match start_indices.random(number, shape, seed) {
        Some(drawn) => drawn
            .map(Literal::Array)
            .map_err(|_| ("budget-bytes", Message::program("program-argument-memory"))),
        None => by_rule(shape, &ValueRule::Random(seed)),
    }
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
    match argument {
        Argument::Random | Argument::Iota => {}
        Argument::Text(text) => return text.clone(),
        Argument::File(_) => return String::new(),
    }
    let shapes = parameter_shapes(module);
    let is_short = |array: &ArrayShape| array.elements().is_some_and(|count| count <= MAX_WRITTEN_ELEMENTS);
    let shape = shapes.get(number).filter(|shape| shape.as_array().is_some_and(is_short));
    let value = shape.and_then(|shape| match argument {
        Argument::Random => random(&StartIndices::of(module), number, shape, seed).ok(),
        _ => by_rule(shape, &ValueRule::Iota).ok(),
    });
    value.map(|value| value.text(Exactness::RoundTrip)).unwrap_or_default()
}

/// Makes the arguments of a job on one device, one after another.
pub struct ArgumentSource<'a> {
    job: &'a Job,
    files: &'a dyn ArgumentFiles,
    language: Language,
    reader: ArgumentReader<'a>,
    start_indices: StartIndices,
}

impl<'a> ArgumentSource<'a> {
    /// The arguments of a job, whose random start indices are in the bounds of a module.
    pub fn new(job: &'a Job, module: &Module, files: &'a dyn ArgumentFiles, language: Language) -> Self {
        let reader = ArgumentReader::new(LIMITS.bytes, &|| false);
        Self { job, files, language, reader, start_indices: StartIndices::of(module) }
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
                random(&self.start_indices, number, shape, seed)
            }
            Argument::Iota => by_rule(shape, &ValueRule::Iota),
            Argument::Text(text) => by_rule(shape, &ValueRule::Text(text.clone())),
            Argument::File(file) => by_file(file, shape, self.files, &mut self.reader),
        };
        value.map_err(|rejection| failure(number, self.language, rejection))
    }
}

/// The arguments of a job on one device for a module. Random start indices are in the bounds of another module, so that both run
/// with the same arguments if they are compared.
///
/// # Errors
///
/// The first argument that is not a value of the shape of its parameter.
pub fn arguments(
    job: &Job,
    (module, bounds_of): (&Module, &Module),
    files: &dyn ArgumentFiles,
    language: Language,
) -> Result<Vec<Literal>, Failure> {
    let shapes = parameter_shapes(module);
    let mut source = ArgumentSource::new(job, bounds_of, files, language);
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
    let mut source = ArgumentSource::new(job, module, files, language);
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

#[cfg(test)]
mod tests {
    use super::super::argument_files::OpenFile;
    use super::*;
    use crate::array::Value;

    struct NoFiles;

    impl ArgumentFiles for NoFiles {
        fn open(&self, _: u32) -> Option<OpenFile> {
            None
        }
    }

    fn random_arguments(text: &str) -> Vec<Literal> {
        let module = crate::hlo::parse(text).into_module().unwrap();
        let job = Job {
            text: text.to_owned(),
            arguments: Vec::new(),
            seed: 3,
            devices: 1,
            files: Vec::new(),
            language: "en".to_owned(),
        };
        arguments(&job, (&module, &module), &NoFiles, Language::ENGLISH).unwrap()
    }

    #[test]
    fn random_start_indices_are_in_bounds_and_all_other_values_stay() {
        let program = |use_of_i: &str| {
            format!(
                "HloModule m ENTRY e {{ x = f32[10,2] parameter(0) i = s32[40,1] parameter(1) ROOT r = {use_of_i} }}"
            )
        };
        let gather = program(
            "f32[40,2] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,2}",
        );
        let (starts, others) = (random_arguments(&gather), random_arguments(&program("s32[40,1] negate(i)")));
        let values = |literal: &Literal| literal.as_array().unwrap().values().collect::<Vec<_>>();
        let starts_of = values(&starts[1]);
        assert!(starts_of.iter().all(|value| matches!(value, Value::Int(0..=9))), "{starts_of:?}");
        assert!(starts_of.contains(&Value::Int(9)) && starts_of.contains(&Value::Int(0)), "{starts_of:?}");
        // Links with a seed keep their values where nothing is a start index.
        for (number, literal) in others.iter().enumerate() {
            let rule = ValueRule::Random(parameter_seed(3, number));
            let expected =
                by_rule(&parameter_shapes(&crate::hlo::parse(&gather).module)[number], &rule).unwrap();
            assert_eq!(values(literal), values(&expected));
        }
        assert_eq!(values(&starts[0]), values(&others[0]));
        // Typing starts from the values of the run.
        let module = crate::hlo::parse(&gather).into_module().unwrap();
        assert_eq!(written_out(&module, 1, &Argument::Random, 3), starts[1].text(Exactness::RoundTrip));
        let bounds: Vec<_> =
            parameters(&module).into_iter().map(|parameter| parameter.max_start_index).collect();
        assert_eq!(bounds, [None, Some(9)]);
    }
}
