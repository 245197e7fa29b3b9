//! The displayed status of a run, from the worker's events and the user's actions.

use crate::cause::Cause;
use crate::i18n::Language;
use crate::worker::evaluation::event::JobEvent;
use crate::worker::evaluation::wire::{Failure, Progress};

/// The status of the current run.
#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// Its values are available.
    Done,
    /// It is running; `None` until it has taken long enough to be displayed.
    Running(Option<Progress>),
    /// A parameter value is malformed: nothing runs.
    Unreadable,
    /// It waits for the user's approval of its code.
    Held,
    /// It failed.
    Failed(Failure),
    /// The user cancelled it.
    Stopped,
    /// The worker has ended, or could not be started.
    Ended(Cause),
    /// The worker has not started yet, but still may.
    Late(Cause),
}

/// A run in the worker.
#[derive(Clone, Copy)]
pub struct WorkerRun<'a> {
    /// The newest event of the job.
    pub event: Option<&'a JobEvent>,
    /// Whether its values fit the module.
    pub has_values: bool,
    /// Whether the user cancelled it.
    pub is_stopped: bool,
    /// Whether it has taken long enough to be displayed.
    pub is_late: bool,
}

impl WorkerRun<'_> {
    /// The status. The worker's final event takes precedence over the cancellation, and that over progress.
    pub fn standing(self, language: Language) -> Standing {
        match self.event {
            Some(JobEvent::Done(..)) if self.has_values => Standing::Done,
            // Its values do not fit the module.
            Some(JobEvent::Done(..)) => Standing::Ended(Cause::OtherRelease),
            Some(JobEvent::Failed(failure)) => Standing::Failed(failure.clone()),
            Some(JobEvent::TooLarge(error)) => Standing::Failed(Failure {
                message: error.message.localize(language),
                rule: error.rule.to_owned(),
                hints: Vec::new(),
                at: None,
            }),
            Some(JobEvent::Ended(cause)) => Standing::Ended(cause.clone()),
            _ if self.is_stopped => Standing::Stopped,
            Some(JobEvent::Late(cause)) => Standing::Late(cause.clone()),
            Some(JobEvent::Progress(progress)) if self.is_late => Standing::Running(Some(progress.clone())),
            // No progress report has arrived yet.
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
        let failure = Failure { message: "m".to_owned(), rule: "r".to_owned(), hints: Vec::new(), at: None };
        let event = JobEvent::Failed(failure.clone());
        assert_eq!(standing(Some(&event), false, true), Standing::Failed(failure));
    }
}
