//! The displayed status of a run, from the worker's events and the user's actions.

use crate::cause::Cause;
use crate::i18n::Language;
use crate::worker::evaluation::event::JobEvent;
use crate::worker::evaluation::wire::{Failure, Progress};

/// The status of the current run.
#[derive(Clone, Debug, PartialEq)]
pub enum RunStatus {
    /// Its values are available.
    Done,
    /// It is running; `None` until it has taken long enough to be displayed.
    Running(Option<Progress>),
    /// A parameter value is malformed: nothing runs.
    InvalidArguments,
    /// It waits for the user's approval of its code.
    AwaitingApproval,
    /// The run failed with an error.
    Failed(Failure),
    /// The user cancelled it.
    Cancelled,
    /// The worker has ended, or could not be started.
    Ended(Cause),
    /// The worker has not started yet, but still may.
    StartDelayed(Cause),
}

/// A run in the worker.
#[derive(Clone, Copy)]
pub struct WorkerRun<'a> {
    /// The newest event of the job.
    pub event: Option<&'a JobEvent>,
    /// Whether its values fit the module.
    pub has_values: bool,
    /// Whether the user cancelled it.
    pub is_cancelled: bool,
    /// Whether it has taken long enough to be displayed.
    pub shows_progress: bool,
}

impl WorkerRun<'_> {
    /// The status. The worker's final event takes precedence over the cancellation, and that over progress.
    pub fn status(self, language: Language) -> RunStatus {
        match self.event {
            Some(JobEvent::Done(..)) if self.has_values => RunStatus::Done,
            // Its values do not fit the module.
            Some(JobEvent::Done(..)) => RunStatus::Ended(Cause::ReleaseMismatch),
            Some(JobEvent::Failed(failure)) => RunStatus::Failed(failure.clone()),
            Some(JobEvent::TooLarge(error)) => RunStatus::Failed(Failure {
                message: error.message.localize(language),
                rule: error.rule.to_owned(),
                ..Failure::default()
            }),
            Some(JobEvent::Ended(cause)) => RunStatus::Ended(cause.clone()),
            _ if self.is_cancelled => RunStatus::Cancelled,
            Some(JobEvent::StartDelayed(cause)) => RunStatus::StartDelayed(cause.clone()),
            Some(JobEvent::Progress(progress)) if self.shows_progress => {
                RunStatus::Running(Some(progress.clone()))
            }
            // No progress report has arrived yet.
            None if self.shows_progress => RunStatus::Running(Some(Progress::default())),
            Some(JobEvent::Progress(_)) | None => RunStatus::Running(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(event: Option<&JobEvent>, is_cancelled: bool, shows_progress: bool) -> RunStatus {
        WorkerRun { event, has_values: false, is_cancelled, shows_progress }.status(Language::ENGLISH)
    }

    #[test]
    fn a_run_is_reported_once_it_takes_long() {
        let progress = Progress { steps: 7, ..Progress::default() };
        let event = JobEvent::Progress(progress.clone());
        assert_eq!(status(None, false, false), RunStatus::Running(None));
        assert_eq!(status(None, false, true), RunStatus::Running(Some(Progress::default())));
        assert_eq!(status(Some(&event), false, false), RunStatus::Running(None));
        assert_eq!(status(Some(&event), false, true), RunStatus::Running(Some(progress)));
    }

    #[test]
    fn cancellation_does_not_hide_the_end_of_the_worker() {
        let late = JobEvent::StartDelayed(Cause::TimedOut(10));
        assert_eq!(status(None, true, true), RunStatus::Cancelled);
        assert_eq!(status(Some(&late), true, true), RunStatus::Cancelled);
        assert_eq!(status(Some(&late), false, false), RunStatus::StartDelayed(Cause::TimedOut(10)));
        let ended = JobEvent::Ended(Cause::Unknown);
        assert_eq!(status(Some(&ended), true, true), RunStatus::Ended(Cause::Unknown));
    }

    #[test]
    fn an_error_of_the_run_is_a_failure() {
        let failure = Failure { message: "m".to_owned(), rule: "r".to_owned(), ..Failure::default() };
        let event = JobEvent::Failed(failure.clone());
        assert_eq!(status(Some(&event), false, true), RunStatus::Failed(failure));
    }
}
