//! The values of a program's parameters.

use super::wire::{Argument, Job};
use crate::array::values::{Unreadable, ValueRule};
use crate::array::{Literal, Shape};
use crate::hlo::{Computation, Module};
use crate::i18n::{Language, Message};
use crate::state::experiment::arguments::{ArgumentError, argument};
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

/// A failure of one parameter.
fn failure(number: usize, language: Language, rule: &str, problem: Message) -> Failure {
    let message = Message::program("program-argument").with("number", number).with("problem", problem);
    Failure { message: message.localize(language), rule: rule.to_owned(), hints: Vec::new(), at: None }
}

fn unreadable(number: usize, language: Language, unreadable: &Unreadable) -> Failure {
    let (rule, message) = match unreadable.first() {
        Some(diagnostic) => (diagnostic.rule, diagnostic.message.clone()),
        None => ("literal-count", Message::program("program-argument-unreadable")),
    };
    failure(number, language, rule, message)
}

/// The argument of a parameter of this shape.
///
/// # Errors
///
/// The argument is not a value of the shape.
pub fn argument_of(job: &Job, number: usize, shape: &Shape, language: Language) -> Result<Literal, Failure> {
    let rule = match job.arguments.get(number).unwrap_or(&Argument::Random) {
        Argument::Random => ValueRule::Random(parameter_seed(job.seed, number)),
        Argument::Iota => ValueRule::Iota,
        Argument::Typed(text) => ValueRule::Text(text.clone()),
    };
    argument(shape, &rule).map_err(|error| match error {
        ArgumentError::Unreadable(why) => unreadable(number, language, &why),
        ArgumentError::Memory => {
            failure(number, language, "budget-bytes", Message::program("program-argument-memory"))
        }
    })
}

/// The arguments of a job.
///
/// # Errors
///
/// The first argument that is not a value of the shape of its parameter.
pub fn arguments(job: &Job, module: &Module, language: Language) -> Result<Vec<Literal>, Failure> {
    let shapes = parameter_shapes(module);
    shapes.iter().enumerate().map(|(number, shape)| argument_of(job, number, shape, language)).collect()
}
