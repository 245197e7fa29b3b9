//! The page's side of counting: starts a worker for a job, ends it when the job is dropped.

use std::cell::RefCell;
use std::rc::Rc;

use super::messages::{CountMoves, Counted};
use super::service::NAME;
use super::start::{Heard, Started};
use crate::array::ArrayShape;
use crate::cause::Cause;

/// Milliseconds after which a worker that starts others is taken to be stuck: it is ended, and one that starts none does its job.
///
/// Firefox of which a debugger listens (its developer tools, an automated test) lets a worker wait in `new Worker` until the debugger
/// knows of the new one; on a busy machine the word that it does now and then wakes the new one instead, and the first waits for ever.
pub(super) const STUCK: u32 = 4_000;

/// A job under way; dropping it ends the worker.
pub struct Counting {
    _started: Rc<RefCell<Option<Started>>>,
}

/// Counts the elements and bytes that going from one layout to the other moves, and reports them when all are counted, or why
/// they are not.
pub fn count_moves(
    from: &ArrayShape,
    to: &ArrayShape,
    report: impl Fn(Result<(i64, i64), Cause>) + 'static,
) -> Counting {
    let job = CountMoves { from: from.to_string(), to: to.to_string() }.to_text();
    let report = Rc::new(report);
    let slot = Rc::<RefCell<Option<Started>>>::default();
    let hear = {
        let (slot, report) = (Rc::downgrade(&slot), report.clone());
        move |heard| match heard {
            Heard::Ready => {
                let slot = slot.upgrade();
                let sent = slot.and_then(|slot| slot.borrow().as_ref().map(|started| started.send(&job)));
                if let Some(Err(cause)) = sent {
                    report(Err(cause));
                }
            }
            Heard::Message(data) => match Counted::of_text(&data.as_string().unwrap_or_default()) {
                Some(Counted::Moved { elements, bytes }) => report(Ok((elements, bytes))),
                Some(Counted::Refused) | None => report(Err(Cause::OtherRelease)),
            },
            Heard::Late(cause) | Heard::Ended(cause) => report(Err(cause)),
        }
    };
    match Started::new(NAME, hear) {
        Ok(started) => *slot.borrow_mut() = Some(started),
        Err(cause) => report(Err(cause)),
    }
    Counting { _started: slot }
}
