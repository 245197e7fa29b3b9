//! An experiment as a job, and the experiment of a job.
//!
//! Invariant: the text and the edition alone decide the numbers of instructions, so that page and worker mean the same ones.

use super::wire::{AllowedKernels, Job, ParameterValues};
use crate::array::Edition;
use crate::hlo::{InstructionId, Limits};
use crate::i18n::Language;
use crate::state::document::Values;
use crate::state::experiment::Experiment;

/// What a job may take: the products of ten matrices of 1024 by 1024, and a gigabyte. It can be cancelled at any moment.
pub const LIMITS: Limits = Limits { steps: 20_000_000_000, bytes: 1 << 30 };

/// The most cells of all values together that are transferred to the page.
const MAX_TRANSFERRED_CELLS: i64 = 1 << 24;

/// The job that runs an experiment.
pub fn job(experiment: &Experiment, focus: InstructionId, language: Language) -> Job {
    let values = experiment.values.iter().map(|values| match values {
        Values::Letters | Values::Iota => ParameterValues::Iota,
        Values::Random(seed) => ParameterValues::Random(*seed),
        Values::Typed(text) => ParameterValues::Typed(text.clone()),
    });
    Job {
        text: experiment.text.clone(),
        values: values.collect(),
        is_2017: experiment.edition == Edition::V2017,
        seed: experiment.seed,
        focus: focus.index(),
        language: language.tag().to_owned(),
        kernels: AllowedKernels::default(),
        compares: false,
        max_steps: LIMITS.steps,
        max_bytes: LIMITS.bytes,
        max_transferred_cells: MAX_TRANSFERRED_CELLS,
    }
}

/// The experiment of a job.
pub(super) fn experiment(job: &Job) -> Experiment {
    let values = job.values.iter().map(|values| match values {
        ParameterValues::Iota => Values::Iota,
        ParameterValues::Random(seed) => Values::Random(*seed),
        ParameterValues::Typed(text) => Values::Typed(text.clone()),
    });
    Experiment {
        values: values.collect(),
        edition: if job.is_2017 { Edition::V2017 } else { Edition::Now },
        seed: job.seed,
        ..Experiment::of(job.text.as_str())
    }
}

/// The observed instruction.
pub(super) fn focus(job: &Job) -> InstructionId {
    // A number that no module has finds nothing.
    InstructionId(u32::try_from(job.focus).unwrap_or(u32::MAX))
}
