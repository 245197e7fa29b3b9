//! A program with its values as a file: a page of its own, or a folder for JAX.

use std::rc::Rc;

use super::environment::{Environment, Input, general_failure};
use super::recording::run_with_values;
use crate::array::Literal;
use crate::experiment::Experiment;
use crate::experiment::run::FinishedRun;
use crate::files::zip_writer::ZipWriter;
use crate::hlo::{InstructionId, Module, Outcome};
use crate::i18n::Message;
use crate::jax_export::{JaxProgram, too_large};
use crate::snapshot::page::page;
use crate::snapshot::record::{self, Bounds};
use crate::state::program::file_name;
use crate::state::program::references::InstructionKey;
use crate::worker::evaluation::run::failure;
use crate::worker::evaluation::wire::Failure;
use crate::worker::program::wire::{ExportFormat, ExportTask};

/// An exported file.
pub struct ExportedFile {
    /// Its name.
    pub name: String,
    /// Its content.
    pub content: Vec<u8>,
    /// Whether it has all values.
    pub is_complete: bool,
}

/// Runs a program and exports it with the values of its entry computation.
///
/// # Errors
///
/// Errors of the text, the arguments and the run; `export` for what the format cannot hold.
pub async fn export(task: &ExportTask, environment: &mut Environment<'_>) -> Result<ExportedFile, Failure> {
    let input = Input::read(&task.job, &task.job.text, environment)?;
    match &task.format {
        ExportFormat::Page { template, link, selected } => {
            export_page(input, (template, link), *selected, environment).await
        }
        ExportFormat::Jax => export_jax(input, environment).await,
    }
}

async fn export_page(
    input: Input,
    (template, link): (&str, &str),
    selected: Option<InstructionKey>,
    environment: &mut Environment<'_>,
) -> Result<ExportedFile, Failure> {
    let module = Rc::new(input.module);
    let Outcome { values, steps, .. } = values(&module, input.arguments, input.seed, environment).await?;
    let finished = FinishedRun::from_values(&Experiment::from_text(""), module.clone(), values, steps);
    let selected = selected.filter(|at| module.entry.is_some_and(|entry| entry.0 == at.computation));
    let selected = selected.map(|at| InstructionId(at.instruction));
    let mut snapshot = record::run(&finished, &module.name, selected, environment.language, Bounds::PAGE);
    link.clone_into(&mut snapshot.link);
    let page = page(template, &snapshot)
        .ok_or_else(|| rejection(&Message::program("program-export-template"), environment))?;
    let name = format!("{}.html", file_name(&module.name));
    Ok(ExportedFile { name, content: page.into_bytes(), is_complete: true })
}

async fn export_jax(input: Input, environment: &mut Environment<'_>) -> Result<ExportedFile, Failure> {
    let Input { module, arguments, seed } = input;
    let program = JaxProgram::new(&module).map_err(|message| rejection(&message, environment))?;
    let outcome = values(&module, arguments.clone(), seed, environment).await?;
    let exported = program.files(&module, &[arguments], &[outcome]);
    let exported = exported.map_err(|message| rejection(&message, environment))?;
    let folder = file_name(&module.name);
    let mut archive = ZipWriter::default();
    let mut files = exported.files.iter();
    let added = files.try_for_each(|(name, content)| archive.add(&format!("{folder}/{name}"), content));
    let content =
        added.and_then(|()| archive.finish()).ok_or_else(|| rejection(&too_large(), environment))?;
    Ok(ExportedFile { name: format!("{folder}-jax.zip"), content, is_complete: exported.is_complete })
}

/// The values of the entry computation.
async fn values(
    module: &Module,
    arguments: Vec<Literal>,
    seed: u32,
    environment: &mut Environment<'_>,
) -> Result<Outcome, Failure> {
    let language = environment.language;
    let outcome = run_with_values(module, arguments, seed, environment).await;
    outcome.map_err(|error| failure(&error, module, language))
}

/// Why a program cannot be exported.
fn rejection(message: &Message, environment: &Environment<'_>) -> Failure {
    general_failure(environment.language, "export", message)
}
