//! The page's side: starts a worker for a job, ends it when the job is dropped.

use gloo::worker::{Spawnable, WorkerBridge};

use super::files;
use super::messages::{CountMoves, Moved};
use super::service::Service;
use crate::array::ArrayShape;

/// Milliseconds after which a worker that starts others is taken to be stuck: it is ended, and one that starts none does its job.
///
/// Firefox of which a debugger listens (its developer tools, an automated test) lets a worker wait in `new Worker` until the debugger
/// knows of the new one; on a busy machine the word that it does now and then wakes the new one instead, and the first waits for ever.
pub(super) const STUCK: u32 = 4_000;

/// A job under way; dropping it ends the worker.
pub struct Job {
    _bridge: WorkerBridge<Service>,
}

/// Counts the elements and bytes that going from one layout to the other moves, and tells them when all are
/// counted.
pub fn count_moves(from: &ArrayShape, to: &ArrayShape, tell: impl Fn((i64, i64)) + 'static) -> Option<Job> {
    let bridge = Service::spawner()
        .callback(move |moved: Moved| {
            if moved.done {
                tell((moved.elements, moved.bytes));
            }
        })
        .with_loader(true)
        .as_module(true)
        .spawn(&files::address(files::LOADER));
    bridge.send(CountMoves { from: from.to_string(), to: to.to_string() });
    Some(Job { _bridge: bridge })
}
