//! Time limits of commands, and Ctrl+C.
//!
//! Invariant: waiting for input or for a reader of the output does not count against the limit. If a command does not
//! stop in time, [`supervise`] returns an error, upon which the process exits; see [`super::observer`] for how a run stops.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::i18n::Message;

/// The number of times that Ctrl+C was pressed.
static INTERRUPTS: AtomicU32 = AtomicU32::new(0);
/// The exit code of a command interrupted by Ctrl+C: 128 + SIGINT.
pub(super) const INTERRUPTED_EXIT_CODE: u8 = 130;
/// Time that a command has to stop by itself before the process exits.
const STOP_GRACE: Duration = Duration::from_millis(500);
/// The interval at which [`supervise`] checks the clock.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// The value of `wait_start` while the command does not wait. No time has this value ([`micros`]).
const NOT_WAITING: u64 = u64::MAX;

/// Why a command must stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StopReason {
    /// It reached this time limit.
    TimeLimit(Duration),
    /// Ctrl+C was pressed.
    Interrupted,
}

impl StopReason {
    /// The identifier of the diagnostic, as in [`Diagnostic::rule`](crate::diagnostic::Diagnostic::rule).
    pub fn rule(self) -> &'static str {
        match self {
            Self::TimeLimit(_) => "time-limit",
            Self::Interrupted => "interrupted",
        }
    }

    /// The message about why the command stopped.
    pub fn message(self) -> Message {
        match self {
            Self::TimeLimit(limit) => Message::terminal("cli-time-limit").with("seconds", seconds(limit)),
            Self::Interrupted => Message::terminal("cli-interrupted"),
        }
    }

    /// How to raise the time limit, if that was exceeded.
    pub fn hint(self) -> Option<Message> {
        matches!(self, Self::TimeLimit(_)).then(|| Message::terminal("cli-hint-time"))
    }
}

/// Seconds as text without trailing zeros: rounded to one decimal at 1 s and above, exact below.
pub(super) fn seconds(time: Duration) -> String {
    let text = format!("{:.1}", time.as_secs_f64());
    if time.as_millis() < 1000 && !time.as_millis().is_multiple_of(100) {
        return time.as_secs_f64().to_string();
    }
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

#[derive(Debug)]
struct State {
    start: Instant,
    limit: Option<Duration>,
    /// Total time of the finished waits, in microseconds.
    waited: AtomicU64,
    /// The start of the current wait, in microseconds since `start`.
    wait_start: AtomicU64,
    /// Whether the command has finished and may no longer be stopped: its result is being reported.
    is_finished: AtomicBool,
}

/// Measures the working time of a command, or of one test case in a batch run; clones share one clock.
#[derive(Clone, Debug)]
pub(super) struct Clock(Arc<State>);

/// Whole microseconds, always less than [`NOT_WAITING`].
fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX).min(NOT_WAITING - 1)
}

impl Clock {
    /// A clock that starts now.
    pub fn start(limit: Option<Duration>) -> Self {
        Self(Arc::new(State {
            start: Instant::now(),
            limit,
            waited: AtomicU64::new(0),
            wait_start: AtomicU64::new(NOT_WAITING),
            is_finished: AtomicBool::new(false),
        }))
    }

    /// The working time so far.
    pub fn working_time(&self) -> Duration {
        let now = micros(self.0.start.elapsed());
        let wait_start = self.0.wait_start.load(Ordering::Relaxed);
        let until = if wait_start == NOT_WAITING { now } else { wait_start.min(now) };
        Duration::from_micros(until.saturating_sub(self.0.waited.load(Ordering::Relaxed)))
    }

    /// Why the command must stop, if it must.
    pub fn stop_reason(&self) -> Option<StopReason> {
        if self.0.is_finished.load(Ordering::Relaxed) {
            return None;
        }
        if is_interrupted() {
            return Some(StopReason::Interrupted);
        }
        let limit = self.0.limit?;
        (self.working_time() >= limit).then_some(StopReason::TimeLimit(limit))
    }

    /// The limit of the working time; `None` if there is none.
    pub fn limit(&self) -> Option<Duration> {
        self.0.limit
    }

    /// The remaining working time; `None` without a limit.
    pub fn remaining(&self) -> Option<Duration> {
        self.0.limit.map(|limit| limit.saturating_sub(self.working_time()))
    }

    /// Disables the limit and interrupts, before the result is reported.
    pub fn finish(&self) {
        self.0.is_finished.store(true, Ordering::Relaxed);
    }

    /// Calls a function that waits, without counting its time. At most one thread waits at a time.
    pub fn exclude_wait<T>(&self, wait: impl FnOnce() -> T) -> T {
        let wait_start = micros(self.0.start.elapsed());
        self.0.wait_start.store(wait_start, Ordering::Relaxed);
        let result = wait();
        let waited = micros(self.0.start.elapsed()).saturating_sub(wait_start);
        self.0.waited.fetch_add(waited, Ordering::Relaxed);
        self.0.wait_start.store(NOT_WAITING, Ordering::Relaxed);
        result
    }
}

/// A writer that excludes the time blocked on its reader, and fails once the command must stop.
pub(super) struct ClockedOutput<T> {
    pub inner: T,
    pub clock: Clock,
}

impl<W: Write> Write for ClockedOutput<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Self { inner, clock } = self;
        if let Some(stop) = clock.stop_reason() {
            // Not `ErrorKind::Interrupted` for Ctrl+C: `write_all` would retry.
            return Err(io::Error::other(stop.message().to_string()));
        }
        clock.exclude_wait(|| inner.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        let Self { inner, clock } = self;
        clock.exclude_wait(|| inner.flush())
    }
}

/// A reader that excludes the time blocked on its source.
pub(super) struct ClockedInput<'a, T> {
    pub inner: T,
    pub clock: &'a Clock,
}

impl<R: Read> Read for ClockedInput<'_, R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let Self { inner, clock } = self;
        clock.exclude_wait(|| inner.read(bytes))
    }
}

impl<S: Seek> Seek for ClockedInput<'_, S> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.inner.seek(position)
    }
}

/// Whether Ctrl+C was pressed.
pub(super) fn is_interrupted() -> bool {
    INTERRUPTS.load(Ordering::Relaxed) > 0
}

/// The first Ctrl+C asks the command to stop, the second terminates the process.
pub(super) fn catch_interrupts() {
    // Without a handler, Ctrl+C terminates the process immediately.
    #[cfg(not(target_family = "wasm"))]
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTS.fetch_add(1, Ordering::Relaxed) > 0 {
            std::process::exit(INTERRUPTED_EXIT_CODE.into());
        }
    });
}

/// Waits for the result of a command. `Err` if it did not stop in time, or (`None`) ended without a result.
pub(super) fn supervise<T>(done: &Receiver<T>, clock: &Clock) -> Result<T, Option<StopReason>> {
    let mut stop_requested: Option<Instant> = None;
    loop {
        match done.recv_timeout(POLL_INTERVAL) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Disconnected) => return Err(None),
            Err(RecvTimeoutError::Timeout) => {}
        }
        let Some(stop) = clock.stop_reason() else {
            stop_requested = None;
            continue;
        };
        if stop_requested.get_or_insert_with(Instant::now).elapsed() >= STOP_GRACE {
            return Err(Some(stop));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread::sleep;

    use super::*;

    #[test]
    fn waiting_does_not_count_as_work() {
        let clock = Clock::start(Some(Duration::from_millis(300)));
        clock.exclude_wait(|| sleep(Duration::from_millis(400)));
        assert_eq!(clock.stop_reason(), None);
        let shared = clock.clone();
        let (send, receive) = mpsc::channel::<()>();
        std::thread::spawn(move || shared.exclude_wait(|| receive.recv().is_err()));
        sleep(Duration::from_millis(400));
        assert_eq!(clock.stop_reason(), None);
        drop(send);
    }

    #[test]
    fn supervise_gives_up_on_a_command_that_does_not_stop() {
        let limit = Duration::from_millis(10);
        let (sender, receiver) = mpsc::channel::<()>();
        let clock = Clock::start(Some(limit));
        assert_eq!(supervise(&receiver, &clock), Err(Some(StopReason::TimeLimit(limit))));
        drop(sender);
        assert_eq!(supervise(&receiver, &Clock::start(None)), Err(None));
    }

    #[test]
    fn seconds_are_printed_without_trailing_zeros() {
        for (millis, text) in [(10_000, "10"), (1500, "1.5"), (50, "0.05"), (200, "0.2")] {
            assert_eq!(seconds(Duration::from_millis(millis)), text);
        }
    }
}
