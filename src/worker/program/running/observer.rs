//! Observes a run on one device: counts executions, follows the course of values, reports progress, and ends the run at a
//! wanted value.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::rc::Rc;

use super::counts::Counts;
use crate::hlo::eval::meter::{Frame, Observer, Position};
use crate::hlo::{InstructionId, Module};
use crate::inspect::values::NumericsObserver;
use crate::ops::Data;
use crate::worker::evaluation::run::PROGRESS_INTERVAL_MS;
use crate::worker::program::environment::Environment;
use crate::worker::program::events::EventExecutions;
use crate::worker::program::wire::{InstructionKey, RunProgress};

/// The progress of a run on all its devices.
pub(super) struct Progress {
    clock: fn() -> f64,
    report: Rc<dyn Fn(RunProgress)>,
    reported_ms: Cell<f64>,
    /// The steps of all devices.
    steps: Cell<u64>,
}

impl Progress {
    /// The progress of a run that starts.
    pub fn new(environment: &Environment<'_>) -> Rc<Self> {
        Rc::new(Self {
            clock: environment.clock,
            report: environment.report.clone(),
            reported_ms: Cell::new((environment.clock)()),
            steps: Cell::default(),
        })
    }
}

/// The observer.
pub(super) struct RunObserver<'m> {
    module: &'m Module,
    position: Option<Position>,
    progress: Rc<Progress>,
    /// The steps of this device that `progress` counts.
    steps: u64,
    /// What was executed; counted in the first run only.
    pub counts: Counts,
    pub numerics: Option<NumericsObserver<'m>>,
    pub event_executions: EventExecutions,
    /// The instruction whose value is wanted, and its executions before the wanted one.
    wanted: Option<(InstructionKey, u64)>,
    /// The wanted value, once it was computed.
    pub found: Option<Data>,
    wants_all: bool,
}

impl<'m> RunObserver<'m> {
    /// Observes a whole run.
    pub fn of_run(module: &'m Module, progress: Rc<Progress>, counts: Counts) -> Self {
        Self {
            module,
            position: None,
            progress,
            steps: 0,
            counts,
            numerics: Some(NumericsObserver::new(module)),
            event_executions: EventExecutions::default(),
            wanted: None,
            found: None,
            wants_all: false,
        }
    }

    /// Ends a run when an instruction has been executed this many times more, and keeps its value.
    pub fn until(
        module: &'m Module,
        progress: Rc<Progress>,
        wanted: (InstructionKey, u64),
        wants_all: bool,
    ) -> Self {
        let run = Self::of_run(module, progress, Counts::default());
        Self { numerics: None, wanted: Some(wanted), wants_all, ..run }
    }
}

impl Observer for RunObserver<'_> {
    fn value(&mut self, frame: Frame, id: InstructionId, value: &Data) -> ControlFlow<()> {
        let at = (frame.computation.0 as usize, id.index());
        let count = self.counts.executions.get_mut(at.0).and_then(|counts| counts.get_mut(at.1));
        if let Some(count) = count {
            *count += 1;
            if let Some(numerics) = &mut self.numerics {
                numerics.record(frame, id, value);
                self.event_executions.record(numerics, frame, id, *count - 1);
            }
        }
        if let Some((wanted, remaining)) = &mut self.wanted
            && (wanted.computation, wanted.instruction) == (frame.computation.0, id.0)
        {
            if *remaining == 0 {
                self.found = Some(value.clone());
                return ControlFlow::Break(());
            }
            *remaining -= 1;
        }
        ControlFlow::Continue(())
    }

    fn enters(&mut self, frame: Frame, stack: &[(InstructionId, u64)]) {
        if self.numerics.is_some() {
            self.counts.calls.record(frame, stack);
        }
    }

    fn reached(&mut self, position: Position) {
        self.position = Some(position);
    }

    fn progress(&mut self, steps: u64) -> ControlFlow<()> {
        let progress = &self.progress;
        progress.steps.set(progress.steps.get().saturating_add(steps.saturating_sub(self.steps)));
        self.steps = steps;
        let now = (progress.clock)();
        if now - progress.reported_ms.get() >= PROGRESS_INTERVAL_MS {
            progress.reported_ms.set(now);
            let id = self.position.map(|position| position.instruction).unwrap_or_default();
            let entry = self.module.entry_computation();
            let instruction = entry.and_then(|entry| entry.get(id));
            (progress.report)(RunProgress {
                steps: progress.steps.get(),
                instruction: id.0,
                name: instruction.map(|instruction| instruction.unique_name(id)).unwrap_or_default(),
            });
        }
        ControlFlow::Continue(())
    }

    fn wants_all(&self) -> bool {
        self.wants_all
    }
}
