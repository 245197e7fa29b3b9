//! A run that is observed from the terminal: progress on standard error, the time limit, Ctrl+C, `--trace`.

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::time::Duration;

use super::clock::{Clock, Stop, seconds};
use super::trace::Tracer;
use crate::hlo::eval::meter::{Frame, Observer, Position};
use crate::hlo::{EvalError, InstructionId, Module};
use crate::i18n::Message;
use crate::ops::{Data, OpError};

/// When progress is shown first.
const FIRST: Duration = Duration::from_secs(1);
/// The time from one update to the next, on a terminal and elsewhere.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);
const LINE_INTERVAL: Duration = Duration::from_secs(1);

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// Not at all.
    Not,
    /// A line that is written over.
    Line,
    /// One line after the other.
    Lines,
}

impl Shown {
    /// On a terminal, or where it is asked for.
    pub fn of(is_forced: bool) -> Self {
        match (io::stderr().is_terminal(), is_forced) {
            (true, _) => Self::Line,
            (false, true) => Self::Lines,
            (false, false) => Self::Not,
        }
    }
}

/// Observes a run.
pub(super) struct Watch<'a, W> {
    pub module: &'a Module,
    pub clock: Clock,
    pub shown: Shown,
    /// Prints values, if that is asked for.
    pub tracer: Option<Tracer<'a, W>>,
    place: Option<Position>,
    steps: u64,
    next: Duration,
    has_line: bool,
    stopped: Option<Stop>,
}

impl<'a, W: Write> Watch<'a, W> {
    pub fn new(module: &'a Module, clock: Clock, shown: Shown, tracer: Option<Tracer<'a, W>>) -> Self {
        let next = clock.worked() + FIRST;
        Self { module, clock, shown, tracer, place: None, steps: 0, next, has_line: false, stopped: None }
    }

    /// Where the run is: instruction, cells, steps, time.
    fn position(&self) -> Message {
        let entry = self.module.entry_computation();
        let instruction = self.place.zip(entry).and_then(|(place, entry)| entry.get(place.instruction));
        let name = instruction.map_or("", |i| if i.name.is_empty() { &i.opcode } else { &i.name });
        let time = seconds(Duration::from_millis(
            u64::try_from(self.clock.worked().as_millis()).unwrap_or(u64::MAX) / 100 * 100,
        ));
        let message = match self.place.and_then(|place| place.cells) {
            Some((done, all)) => Message::terminal("cli-at-cells").with("done", done).with("all", all),
            None => Message::terminal("cli-at"),
        };
        let steps = i64::try_from(self.steps).unwrap_or(i64::MAX);
        message.with("name", name).with("steps", steps).with("seconds", time)
    }

    fn show(&mut self) {
        let mut err = io::stderr().lock();
        // Without a reader nobody misses it.
        let _ = match self.shown {
            Shown::Not => Ok(()),
            Shown::Line => write!(err, "\r\x1b[K{}", self.position()).and_then(|()| err.flush()),
            Shown::Lines => writeln!(err, "{}", self.position()),
        };
        self.has_line = self.shown == Shown::Line;
    }

    /// Takes the line of the progress away.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.has_line) {
            let mut err = io::stderr().lock();
            let _ = write!(err, "\r\x1b[K").and_then(|()| err.flush());
        }
    }

    /// An error of the run; one of a run that had to stop says why, and where it was.
    pub fn explained(&self, error: EvalError) -> EvalError {
        let Some(stop) = self.stopped.filter(|_| error.error.rule == "cancelled") else { return error };
        let message = Message::terminal("cli-stopped-at").with("why", stop.message());
        let told = OpError::new("call", stop.rule(), message.with("where", self.position()));
        let told = stop.hint().into_iter().fold(told, OpError::advise);
        EvalError { at: error.at, error: Box::new(told) }
    }
}

impl<W: Write> Observer for Watch<'_, W> {
    fn value(&mut self, frame: Frame, instruction: InstructionId, value: &Data) -> ControlFlow<()> {
        if self.tracer.is_some() {
            self.clear();
        }
        match &mut self.tracer {
            Some(tracer) => tracer.value(frame, instruction, value),
            None => ControlFlow::Continue(()),
        }
    }

    fn reached(&mut self, place: Position) {
        self.place = Some(place);
    }

    fn progress(&mut self, steps: u64) -> ControlFlow<()> {
        self.steps = steps;
        self.stopped = self.clock.stop();
        if self.stopped.is_some() {
            return ControlFlow::Break(());
        }
        let now = self.clock.worked();
        if self.shown != Shown::Not && now >= self.next {
            self.next = now + if self.shown == Shown::Line { UPDATE_INTERVAL } else { LINE_INTERVAL };
            self.show();
        }
        ControlFlow::Continue(())
    }

    fn wants_all(&self) -> bool {
        self.tracer.is_some()
    }
}
