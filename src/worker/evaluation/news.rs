//! What the page hears of a job.

use std::sync::Arc;

use super::wire::{Done, Failure, Progress};
use crate::array::ArrayLiteral;
use crate::array::literal::LiteralError;
use crate::cause::Cause;

/// What a job comes to.
pub enum News {
    /// It is under way.
    Progress(Progress),
    /// It has ended with values; the arrays have arrived.
    Done(Box<Done>, Vec<Arc<ArrayLiteral>>),
    /// It has ended without.
    Failed(Failure),
    /// Its values do not fit in the page.
    TooLarge(LiteralError),
    /// The worker has not started yet, and still may.
    Late(Cause),
    /// The worker has ended, or could not be started; the next job starts another.
    Ended(Cause),
}
