//! Observes a run for the terminal: progress on standard error, time limit, Ctrl+C, `--trace`.

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::time::Duration;

use super::clock::{Clock, StopReason, seconds};
use super::trace::Tracer;
use crate::hlo::eval::meter::{Frame, Observer, Position};
use crate::hlo::eval::values::run_error;
use crate::hlo::{EvalError, Instruction, InstructionId, Module};
use crate::i18n::Message;
use crate::ops::{Data, OpError};

/// The working time before the first progress report: short runs print none.
const FIRST_REPORT: Duration = Duration::from_secs(1);
/// The interval at which the progress line is overwritten on a terminal.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);
/// The interval of progress lines elsewhere, e.g. in a log.
const LINE_INTERVAL: Duration = Duration::from_secs(1);

/// The style of progress reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProgressStyle {
    /// No progress is shown.
    Hidden,
    /// One line, overwritten.
    Line,
    /// A line per report.
    Lines,
}

impl ProgressStyle {
    /// The style for standard error: reports are shown on a terminal, or if they are requested.
    pub fn for_stderr(is_forced: bool) -> Self {
        match (io::stderr().is_terminal(), is_forced) {
            (true, _) => Self::Line,
            (false, true) => Self::Lines,
            (false, false) => Self::Hidden,
        }
    }
}

/// Observes a run.
pub(super) struct RunObserver<'a, W> {
    pub module: &'a Module,
    pub clock: Clock,
    pub style: ProgressStyle,
    /// Prints values, if requested.
    pub tracer: Option<Tracer<'a, W>>,
    position: Option<Position>,
    steps: u64,
    next_report: Duration,
    has_line: bool,
    stopped: Option<StopReason>,
}

impl<'a, W: Write> RunObserver<'a, W> {
    pub fn new(
        module: &'a Module,
        clock: Clock,
        style: ProgressStyle,
        tracer: Option<Tracer<'a, W>>,
    ) -> Self {
        let next_report = clock.working_time() + FIRST_REPORT;
        Self {
            module,
            clock,
            style,
            tracer,
            position: None,
            steps: 0,
            next_report,
            has_line: false,
            stopped: None,
        }
    }

    /// The current instruction, cells, steps and time.
    fn status(&self) -> Message {
        let entry = self.module.entry_computation();
        let instruction =
            self.position.zip(entry).and_then(|(position, entry)| entry.get(position.instruction));
        let name = instruction.map_or("", Instruction::display_name);
        let time = seconds(Duration::from_millis(
            u64::try_from(self.clock.working_time().as_millis()).unwrap_or(u64::MAX) / 100 * 100,
        ));
        let message = match self.position.and_then(|position| position.cells) {
            Some((done, total)) => Message::terminal("cli-at-cells").with("done", done).with("all", total),
            None => Message::terminal("cli-at"),
        };
        let steps = i64::try_from(self.steps).unwrap_or(i64::MAX);
        message.with("name", name).with("steps", steps).with("seconds", time)
    }

    fn show(&mut self) {
        let mut err = io::stderr().lock();
        // A failed write is ignored: progress is not a result.
        let _ = match self.style {
            ProgressStyle::Hidden => Ok(()),
            ProgressStyle::Line => write!(err, "\r\x1b[K{}", self.status()).and_then(|()| err.flush()),
            ProgressStyle::Lines => writeln!(err, "{}", self.status()),
        };
        self.has_line = self.style == ProgressStyle::Line;
    }

    /// Removes the progress line.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.has_line) {
            let mut err = io::stderr().lock();
            let _ = write!(err, "\r\x1b[K").and_then(|()| err.flush());
        }
    }

    /// Adds to the error of a cancelled run why and where it was stopped.
    pub fn with_stop_reason(&self, error: EvalError) -> EvalError {
        let Some(stop) = self.stopped.filter(|_| error.error.rule == "cancelled") else { return error };
        let message = Message::terminal("cli-stopped-at").with("why", stop.message());
        let cli_error = run_error(stop.rule(), message.with("where", self.status()));
        let cli_error = stop.hint().into_iter().fold(cli_error, OpError::with_hint);
        EvalError { at: error.at, error: Box::new(cli_error) }
    }
}

impl<W: Write> Observer for RunObserver<'_, W> {
    fn value(&mut self, frame: Frame, instruction: InstructionId, value: &Data) -> ControlFlow<()> {
        if self.tracer.is_some() {
            self.clear();
        }
        match &mut self.tracer {
            Some(tracer) => tracer.value(frame, instruction, value),
            None => ControlFlow::Continue(()),
        }
    }

    fn reached(&mut self, position: Position) {
        self.position = Some(position);
    }

    fn progress(&mut self, steps: u64) -> ControlFlow<()> {
        self.steps = steps;
        self.stopped = self.clock.stop_reason();
        if self.stopped.is_some() {
            return ControlFlow::Break(());
        }
        let now = self.clock.working_time();
        if self.style != ProgressStyle::Hidden && now >= self.next_report {
            self.next_report =
                now + if self.style == ProgressStyle::Line { UPDATE_INTERVAL } else { LINE_INTERVAL };
            self.show();
        }
        ControlFlow::Continue(())
    }

    fn wants_all(&self) -> bool {
        self.tracer.is_some()
    }
}
