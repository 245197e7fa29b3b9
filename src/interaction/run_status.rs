//! What is shown of a run: from what the worker reported of it, and what the visitor did.

use crate::cause::Cause;
use crate::i18n::Language;
use crate::worker::evaluation::event::JobEvent;
use crate::worker::evaluation::wire::{Failure, Progress};

/// The status of the run of what is set now.
#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// Its values are there.
    Done,
    /// It is under way; `None` before it has taken long enough to be reported.
    Running(Option<Progress>),
    /// Text of its values cannot be read: nothing runs.
    Unreadable,
    /// It waits for the visitor's approval.
    Held,
    /// It ended without values.
    Failed(Failure),
    /// The visitor cancelled it.
    Stopped,
    /// The worker ended, or did not start.
    Ended(Cause),
    /// The worker has not started yet, and still may.
    Late(Cause),
}

/// A run in the worker.
#[derive(Clone, Copy)]
pub struct WorkerRun<'a> {
    /// The newest news of it.
    pub event: Option<&'a JobEvent>,
    /// Whether its values could be taken over.
    pub has_values: bool,
    /// Whether the visitor cancelled it.
    pub is_stopped: bool,
    /// Whether it has taken long enough to be reported.
    pub is_late: bool,
}

impl WorkerRun<'_> {
    /// Its status. What the worker ended with counts more than that it was cancelled, and that more than progress.
    pub fn standing(self, language: Language) -> Standing {
        match self.event {
            Some(JobEvent::Done(..)) if self.has_values => Standing::Done,
            // Its values are none of this module.
            Some(JobEvent::Done(..)) => Standing::Ended(Cause::OtherRelease),
            Some(JobEvent::Failed(failure)) => Standing::Failed(failure.clone()),
            Some(JobEvent::TooLarge(error)) => Standing::Failed(Failure {
                message: error.message.say(language),
                rule: error.rule.to_owned(),
                hints: Vec::new(),
                place: None,
            }),
            Some(JobEvent::Ended(cause)) => Standing::Ended(cause.clone()),
            _ if self.is_stopped => Standing::Stopped,
            Some(JobEvent::Late(cause)) => Standing::Late(cause.clone()),
            Some(JobEvent::Progress(progress)) if self.is_late => Standing::Running(Some(progress.clone())),
            // Nothing has been reported yet: it runs, and that is all.
            None if self.is_late => Standing::Running(Some(Progress::default())),
            Some(JobEvent::Progress(_)) | None => Standing::Running(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(event: Option<&JobEvent>, is_stopped: bool, is_late: bool) -> Standing {
        WorkerRun { event, has_values: false, is_stopped, is_late }.standing(Language::ENGLISH)
    }

    #[test]
    fn a_run_is_reported_once_it_takes_long() {
        let progress = Progress { steps: 7, ..Progress::default() };
        let event = JobEvent::Progress(progress.clone());
        assert_eq!(standing(None, false, false), Standing::Running(None));
        assert_eq!(standing(None, false, true), Standing::Running(Some(Progress::default())));
        assert_eq!(standing(Some(&event), false, false), Standing::Running(None));
        assert_eq!(standing(Some(&event), false, true), Standing::Running(Some(progress)));
    }

    #[test]
    fn a_cancelled_run_is_stopped_unless_it_has_ended() {
        let late = JobEvent::Late(Cause::TimedOut(10));
        assert_eq!(standing(None, true, true), Standing::Stopped);
        assert_eq!(standing(Some(&late), true, true), Standing::Stopped);
        assert_eq!(standing(Some(&late), false, false), Standing::Late(Cause::TimedOut(10)));
        let ended = JobEvent::Ended(Cause::Ended);
        assert_eq!(standing(Some(&ended), true, true), Standing::Ended(Cause::Ended));
    }

    #[test]
    fn an_error_of_the_run_is_a_failure() {
        let failure =
            Failure { message: "m".to_owned(), rule: "r".to_owned(), hints: Vec::new(), place: None };
        let event = JobEvent::Failed(failure.clone());
        assert_eq!(standing(Some(&event), false, true), Standing::Failed(failure));
    }
}
