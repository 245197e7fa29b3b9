//! The events of a job, as the page receives them.

use std::sync::Arc;

use super::wire::{Done, Failure, Progress};
use crate::array::ArrayLiteral;
use crate::array::literal::LiteralError;
use crate::cause::Cause;

/// An event of a job.
pub enum JobEvent {
    /// The progress of a running job.
    Progress(Progress),
    /// It has finished, and the arrays have arrived.
    Done(Box<Done>, Vec<Arc<ArrayLiteral>>),
    /// It ended without values.
    Failed(Failure),
    /// Its values do not fit in the page's memory.
    TooLarge(LiteralError),
    /// The worker has not started yet, but still may.
    StartDelayed(Cause),
    /// The worker has ended, or could not be started; the next job starts another.
    Ended(Cause),
}
