//! Converts an experiment to a job, and back.
//!
//! Invariant: the text and the edition alone determine the instruction ids, so that page and worker agree on them.

use super::wire::{AllowedKernels, Job, ParameterValues};
use crate::array::Edition;
use crate::hlo::{InstructionId, Limits};
use crate::i18n::Language;
use crate::state::document::ValueRule;
use crate::state::experiment::Experiment;

/// The limits of a job: the steps of ten 1024 x 1024 matrix products, and 1 GiB. A job can be cancelled at any time.
pub const LIMITS: Limits = Limits { steps: 20_000_000_000, bytes: 1 << 30 };

/// Maximum cells, of all values together, that are transferred to the page: 64 MiB of `f32`.
const MAX_TRANSFERRED_CELLS: i64 = 1 << 24;

/// The job that runs an experiment.
pub fn job(experiment: &Experiment, focus: InstructionId, language: Language) -> Job {
    let values = experiment.values.iter().map(|values| match values {
        ValueRule::Letters | ValueRule::Iota => ParameterValues::Iota,
        ValueRule::Random(seed) => ParameterValues::Random(*seed),
        ValueRule::Text(text) => ParameterValues::Text(text.clone()),
    });
    Job {
        text: experiment.text.clone(),
        values: values.collect(),
        is_2017: experiment.edition == Edition::V2017,
        seed: experiment.seed,
        focus: focus.index(),
        language: language.tag().to_owned(),
        kernels: AllowedKernels::default(),
        compares_with_reference: false,
        max_steps: LIMITS.steps,
        max_bytes: LIMITS.bytes,
        max_transferred_cells: MAX_TRANSFERRED_CELLS,
    }
}

/// The experiment of a job.
pub(super) fn experiment(job: &Job) -> Experiment {
    let values = job.values.iter().map(|values| match values {
        ParameterValues::Iota => ValueRule::Iota,
        ParameterValues::Random(seed) => ValueRule::Random(*seed),
        ParameterValues::Text(text) => ValueRule::Text(text.clone()),
    });
    Experiment {
        values: values.collect(),
        edition: if job.is_2017 { Edition::V2017 } else { Edition::Current },
        seed: job.seed,
        ..Experiment::from_text(job.text.as_str())
    }
}

/// The observed instruction.
pub(super) fn focus(job: &Job) -> InstructionId {
    // An id that no module has selects nothing.
    InstructionId(u32::try_from(job.focus).unwrap_or(u32::MAX))
}
