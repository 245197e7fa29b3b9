//! The environment of a task: the facilities of its worker; and its failures.

use std::rc::Rc;

use crate::hlo::eval::kernel::Kernels;
use crate::hlo::{Module, Parsed};
use crate::i18n::{Language, Message};
use crate::worker::evaluation::wire::Failure;
use crate::worker::program::argument_files::ArgumentFiles;
use crate::worker::program::arguments::arguments;
use crate::worker::program::parsing::parse;
use crate::worker::program::wire::{Job, TaskProgress};

/// The environment of a task.
pub struct Environment<'a> {
    /// The kernels that may compute large ops.
    pub kernels: Option<Rc<dyn Kernels>>,
    /// Returns the time in milliseconds.
    pub clock: &'a dyn Fn() -> f64,
    /// Receives progress about ten times a second.
    pub report: &'a mut dyn FnMut(TaskProgress),
    /// The files of arguments.
    pub files: &'a dyn ArgumentFiles,
    /// The language of messages.
    pub language: Language,
}

/// A failure that belongs to no instruction.
pub fn general_failure(language: Language, rule: &str, message: &Message) -> Failure {
    Failure { message: message.localize(language), rule: rule.to_owned(), ..Failure::default() }
}

/// A program with its arguments.
pub struct Input {
    /// The module, without errors.
    pub module: Module,
    /// A value for each parameter.
    pub arguments: Vec<crate::array::Literal>,
    /// The seed of the program's random number generators.
    pub seed: u32,
}

impl Input {
    /// Reads text, that of the job or another one, and makes the arguments of the job.
    ///
    /// # Errors
    ///
    /// The first error of the text, a missing entry computation, and an argument that is no value of its parameter.
    pub fn read(job: &Job, text: &str, environment: &Environment<'_>) -> Result<Self, Failure> {
        Self::read_like(job, text, None, environment)
    }

    /// Like [`Input::read`], with the same random arguments as another module.
    ///
    /// # Errors
    ///
    /// Those of [`Input::read`].
    pub fn read_like(
        job: &Job,
        text: &str,
        other: Option<&Module>,
        environment: &Environment<'_>,
    ) -> Result<Self, Failure> {
        let language = environment.language;
        let (_, parsed): (_, Parsed) = parse(text);
        let module =
            parsed.into_module().map_err(|error| general_failure(language, error.rule, &error.message))?;
        if module.entry_computation().is_none() {
            return Err(general_failure(language, "hlo-no-entry", &Message::program("program-no-entry")));
        }
        let arguments = arguments(job, (&module, other.unwrap_or(&module)), environment.files, language)?;
        Ok(Self { module, arguments, seed: job.seed })
    }
}
