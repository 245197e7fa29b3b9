//! A program with its values as a file: a page of its own, or a folder for JAX.

use std::rc::Rc;

use super::environment::{Environment, Input, general_failure};
use super::recording::run_with_values;
use crate::experiment::Experiment;
use crate::experiment::run::FinishedRun;
use crate::files::zip_writer::ZipWriter;
use crate::i18n::Message;
use crate::jax_export::{JaxProgram, Refusal};
use crate::snapshot::page::page;
use crate::snapshot::record::{Bounds, Recorder};
use crate::worker::evaluation::run::failure;
use crate::worker::evaluation::wire::Failure;
use crate::worker::program::wire::{ExportFormat, ExportTask};

/// Cells that are recorded at once.
const CELLS_PER_STEP: usize = 1_024;

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
    let language = environment.language;
    let refused = |message: Message| general_failure(language, "export", &message);
    let Input { module, arguments, seed } = Input::read(&task.job, &task.job.text, environment)?;
    let jax = match &task.format {
        ExportFormat::Jax => Some(JaxProgram::new(&module).map_err(|why| refused(refusal(why)))?),
        ExportFormat::Page { .. } => None,
    };
    let module = Rc::new(module);
    let outcome = run_with_values(&module, arguments.clone(), seed, environment).await;
    let outcome = outcome.map_err(|error| failure(&error, &module, language))?;
    let name = file_name(&module.name);
    match (&task.format, jax) {
        (ExportFormat::Page { template, link, selected }, _) => {
            let experiment = Experiment::from_text("");
            let finished =
                FinishedRun::from_values(&experiment, module.clone(), outcome.values, outcome.steps);
            let selected = selected.filter(|at| module.entry.is_some_and(|entry| entry.0 == at.computation));
            let selected = selected.map(|at| crate::hlo::InstructionId(at.instruction));
            let mut recorder = Recorder::new(&finished, &module.name, (selected, 0), language, Bounds::PAGE);
            while recorder.step(CELLS_PER_STEP) {}
            let mut snapshot = recorder.finish();
            snapshot.link.clone_from(link);
            let page = page(template, &snapshot);
            let page = page.ok_or_else(|| refused(Message::program("program-export-template")))?;
            Ok(ExportedFile { name: format!("{name}.html"), content: page.into_bytes(), is_complete: true })
        }
        (ExportFormat::Jax, Some(jax)) => {
            let entry = module.entry_computation().ok_or_else(|| refused(refusal(Refusal::NoArray)))?;
            let files = jax.files(entry, &[arguments], &[outcome]).map_err(|why| refused(refusal(why)))?;
            let mut archive = ZipWriter::default();
            let added = files
                .files
                .iter()
                .try_for_each(|(file, content)| archive.add(&format!("{name}/{file}"), content));
            let content = added.and_then(|()| archive.finish());
            let content = content.ok_or_else(|| refused(refusal(Refusal::TooLarge)))?;
            Ok(ExportedFile { name: format!("{name}-jax.zip"), content, is_complete: files.is_complete })
        }
        (ExportFormat::Jax, None) => Err(refused(refusal(Refusal::NoArray))),
    }
}

/// Why a program cannot be exported to JAX.
fn refusal(why: Refusal) -> Message {
    match why {
        Refusal::NeedsHost => Message::program("program-export-host"),
        Refusal::NoArray => Message::program("program-export-nothing"),
        Refusal::Unsupported(message) => message,
        Refusal::TooLarge => Message::program("program-export-large"),
    }
}

/// The name of a module as that of a file.
fn file_name(module: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = module.chars().take(80).map(safe).collect();
    if name.is_empty() { "program".to_owned() } else { name }
}
