//! Time: how long a command has worked, when it has to stop, and how Ctrl+C stops it.
//!
//! Invariant: time spent waiting for input or for a reader of the output does not count as work. A command that does
//! not notice that it has to stop is ended by [`supervise`]; read [`super::watch`] for how a run notices.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::i18n::Message;

/// How often Ctrl+C was pressed.
static INTERRUPTS: AtomicU32 = AtomicU32::new(0);
/// The exit code of a command that Ctrl+C ended, as shells have it.
pub(super) const INTERRUPTED: u8 = 130;
/// How long a command may take to notice that it has to stop.
const GRACE: Duration = Duration::from_millis(500);
/// How often [`supervise`] looks at the time.
const TICK: Duration = Duration::from_millis(20);
/// Marks that the command does not wait.
const WORKING: u64 = u64::MAX;

/// Why a command has to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// It worked for so long as it may.
    Time(Duration),
    /// Ctrl+C was pressed.
    Interrupted,
}

impl Stop {
    /// The rule that an error names.
    pub fn rule(self) -> &'static str {
        match self {
            Self::Time(_) => "time-limit",
            Self::Interrupted => "interrupted",
        }
    }

    /// It in words.
    pub fn message(self) -> Message {
        match self {
            Self::Time(limit) => Message::terminal("cli-time-limit").with("seconds", seconds(limit)),
            Self::Interrupted => Message::terminal("cli-interrupted"),
        }
    }

    /// What to do about it.
    pub fn hint(self) -> Option<Message> {
        matches!(self, Self::Time(_)).then(|| Message::terminal("cli-hint-time"))
    }
}

/// Seconds as text, with as many decimals as they need, at most one for long times.
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
    /// Microseconds that were spent waiting.
    waited: AtomicU64,
    /// When the present wait began, in microseconds since the start.
    waits_since: AtomicU64,
    /// Whether nothing is left but to say how it ended.
    is_over: AtomicBool,
}

/// Measures the work of a command, or of a case of a batch; clones are one clock.
#[derive(Clone, Debug)]
pub(super) struct Clock(Arc<State>);

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX - 1)
}

impl Clock {
    /// A clock that starts now.
    pub fn start(limit: Option<Duration>) -> Self {
        Self(Arc::new(State {
            start: Instant::now(),
            limit,
            waited: AtomicU64::new(0),
            waits_since: AtomicU64::new(WORKING),
            is_over: AtomicBool::new(false),
        }))
    }

    /// How long it has worked.
    pub fn worked(&self) -> Duration {
        let now = micros(self.0.start.elapsed());
        let since = self.0.waits_since.load(Ordering::Relaxed);
        let until = if since == WORKING { now } else { since.min(now) };
        Duration::from_micros(until.saturating_sub(self.0.waited.load(Ordering::Relaxed)))
    }

    /// Whether it has to stop, and why.
    pub fn stop(&self) -> Option<Stop> {
        if self.0.is_over.load(Ordering::Relaxed) {
            return None;
        }
        if is_interrupted() {
            return Some(Stop::Interrupted);
        }
        let limit = self.0.limit?;
        (self.worked() >= limit).then_some(Stop::Time(limit))
    }

    /// Has nothing stop any more: what is left is to say how it ended.
    pub fn finish(&self) {
        self.0.is_over.store(true, Ordering::Relaxed);
    }

    /// Does what may have to wait for another program.
    pub fn waiting<T>(&self, wait: impl FnOnce() -> T) -> T {
        let since = micros(self.0.start.elapsed());
        self.0.waits_since.store(since, Ordering::Relaxed);
        let done = wait();
        let waited = micros(self.0.start.elapsed()).saturating_sub(since);
        self.0.waited.fetch_add(waited, Ordering::Relaxed);
        self.0.waits_since.store(WORKING, Ordering::Relaxed);
        done
    }
}

/// Output that may have to wait for its reader, within the time of a clock.
pub(super) struct Timed<T> {
    pub inner: T,
    pub clock: Clock,
}

impl<W: Write> Write for Timed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Self { inner, clock } = self;
        if let Some(stop) = clock.stop() {
            return Err(io::Error::new(io::ErrorKind::TimedOut, stop.message().to_string()));
        }
        clock.waiting(|| inner.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        let Self { inner, clock } = self;
        clock.waiting(|| inner.flush())
    }
}

/// Whether Ctrl+C was pressed.
pub(super) fn is_interrupted() -> bool {
    INTERRUPTS.load(Ordering::Relaxed) > 0
}

/// Has the first Ctrl+C ask the command to stop, and the second end the program.
pub(super) fn catch_interrupts() {
    // Where there is no such signal the program ends by its default.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTS.fetch_add(1, Ordering::Relaxed) > 0 {
            std::process::exit(INTERRUPTED.into());
        }
    });
}

/// Waits for the result of a command, which is sent when it ends; `Err` where it did not stop in time, or where it
/// ended without a result (`None`).
pub(super) fn supervise<T>(done: &Receiver<T>, clock: &Clock) -> Result<T, Option<Stop>> {
    let mut asked: Option<Instant> = None;
    loop {
        match done.recv_timeout(TICK) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Disconnected) => return Err(None),
            Err(RecvTimeoutError::Timeout) => {}
        }
        let Some(stop) = clock.stop() else {
            asked = None;
            continue;
        };
        if asked.get_or_insert_with(Instant::now).elapsed() >= GRACE {
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
    fn waiting_is_no_work() {
        let clock = Clock::start(Some(Duration::from_millis(300)));
        clock.waiting(|| sleep(Duration::from_millis(400)));
        assert_eq!(clock.stop(), None);
        let waiting = clock.clone();
        let (send, receive) = mpsc::channel::<()>();
        std::thread::spawn(move || waiting.waiting(|| receive.recv().is_err()));
        sleep(Duration::from_millis(400));
        assert_eq!(clock.stop(), None);
        drop(send);
    }

    #[test]
    fn work_that_does_not_stop_is_given_up() {
        let limit = Duration::from_millis(10);
        let (sender, receiver) = mpsc::channel::<()>();
        let clock = Clock::start(Some(limit));
        assert_eq!(supervise(&receiver, &clock), Err(Some(Stop::Time(limit))));
        drop(sender);
        assert_eq!(supervise(&receiver, &Clock::start(None)), Err(None));
    }

    #[test]
    fn seconds_read_as_they_were_written() {
        for (millis, text) in [(10_000, "10"), (1500, "1.5"), (50, "0.05"), (200, "0.2")] {
            assert_eq!(seconds(Duration::from_millis(millis)), text);
        }
    }
}
