//! Runs the experiment whenever it changes: on the page if that takes some milliseconds, otherwise in the worker.
//!
//! Invariant: values displayed as current were computed from exactly the current experiment; older ones are marked.

use std::ops::ControlFlow;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use js_sys::Date;
use yew::prelude::*;

use super::host::run::{HostRun, State};
use super::stage::{Shown, arrays, inputs};
use crate::app::context::Context;
use crate::app::link;
use crate::app::prefs::KernelChoice;
use crate::hlo::{EvalError, Frame, InstructionId, Limits, Module, Observer};
use crate::i18n::Language;
pub use crate::interaction::run_status::RunStatus;
use crate::interaction::run_status::WorkerRun;
use crate::ops::Data;
use crate::state::experiment::Experiment;
use crate::state::experiment::run::FinishedRun;
use crate::state::experiment::run::iterations::{Iterations, LoopRecorder, is_loop};
use crate::state::experiment::run::summary::element_summaries;
use crate::state::experiment::session::Session;
use crate::worker::evaluation::client::Evaluations;
use crate::worker::evaluation::event::JobEvent;
use crate::worker::evaluation::job::job;
use crate::worker::evaluation::run::failure;
use crate::worker::evaluation::transfer;
use crate::worker::evaluation::wire::{AllowedKernels, Difference, Job, Progress};

/// The limits of a run on the page: some milliseconds. Larger runs go to the worker.
const PAGE_LIMITS: Limits = Limits { steps: 100_000, bytes: 4 << 20 };

/// Milliseconds after which a run on the page is handed to the worker, because steps differ in duration. The first
/// run may take longer: the code is compiled meanwhile, and there is no interaction yet that it could delay.
const PAGE_RUN_MS: [f64; 2] = [60.0, 5.0];

/// Milliseconds after which a run is displayed as running.
const LATE_MS: u32 = 200;

/// Displayed values.
#[derive(Clone, PartialEq)]
pub struct Values {
    /// Their run.
    pub finished: FinishedRun,
    /// The selected instruction of its module.
    pub focus: InstructionId,
}

/// A run and what can be displayed.
pub struct Run {
    /// The newest available values.
    pub values: Option<Values>,
    /// The arrays to display: those of the values, or the parameters.
    pub shown: Rc<Vec<Shown>>,
    /// The status of the current run.
    pub status: RunStatus,
    /// Cancels the run.
    pub stop: Callback<()>,
    /// Runs it again.
    pub again: Callback<()>,
    /// Comparison of kernels with the reference evaluator.
    pub check: Check,
    /// The iterations of the selected loop, after the run.
    pub carried: Option<Rc<Iterations>>,
}

/// Comparison of kernels with the reference evaluator.
#[derive(Clone, PartialEq)]
pub struct Check {
    /// Whether it is enabled.
    pub is_on: bool,
    /// Enables or disables it.
    pub ask: Callback<bool>,
    /// Its result.
    pub found: Option<Difference>,
}

/// The result of the attempt to run on the page.
enum Attempt {
    /// The values, and the iterations of the selected loop.
    Ran(FinishedRun, Option<Rc<Iterations>>),
    Failed(EvalError),
    /// The worker must run it: the id of the job.
    Heavy(u64),
    /// It runs with its host and has not ended, or it does not run.
    Outside(RunStatus),
}

/// Values between two checks of the clock.
const CLOCK_INTERVAL_VALUES: u32 = 32;

/// Ends a run at a deadline, and records the iterations of a loop.
struct Patience<'m> {
    end: f64,
    /// Values since the last check of the clock.
    values: u32,
    carried: Option<LoopRecorder<'m>>,
}

impl Observer for Patience<'_> {
    fn value(&mut self, frame: Frame, id: InstructionId, value: &Data) -> ControlFlow<()> {
        if let Some(carried) = &mut self.carried {
            carried.observe(frame, id, value);
        }
        self.values += 1;
        if self.values < CLOCK_INTERVAL_VALUES {
            return ControlFlow::Continue(());
        }
        self.values = 0;
        self.progress(0)
    }

    fn progress(&mut self, _: u64) -> ControlFlow<()> {
        if Date::now() < self.end { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn wants_all(&self) -> bool {
        false
    }
}

impl Attempt {
    fn new(experiment: &Experiment, module: &Rc<Module>, focus: InstructionId, number: u64) -> Self {
        let [first, later] = PAGE_RUN_MS;
        let end = Date::now() + if number == 1 { first } else { later };
        let mut patience =
            Patience { end, values: 0, carried: LoopRecorder::new(module, focus, element_summaries) };
        match FinishedRun::observed(experiment, module, PAGE_LIMITS, &mut patience) {
            Ok(finished) => Self::Ran(finished, patience.carried.and_then(LoopRecorder::finish).map(Rc::new)),
            Err(error) if matches!(error.error.rule, "budget-steps" | "budget-bytes" | "cancelled") => {
                Self::Heavy(number)
            }
            Err(error) => Self::Failed(error),
        }
    }

    fn outside(experiment: &Experiment, module: &Rc<Module>, host: &HostRun) -> Self {
        let under_way = |progress| Self::Outside(RunStatus::Running(progress));
        match &*host.state {
            State::Unreadable => Self::Outside(RunStatus::Unreadable),
            State::AwaitingApproval => Self::Outside(RunStatus::AwaitingApproval),
            State::Running { shows_progress } => under_way(shows_progress.then(Progress::default)),
            State::Stopped => Self::Outside(RunStatus::Stopped),
            State::Stuck(stuck) => {
                let mut error = stuck.error().clone();
                if stuck.is_waiting() {
                    // These hints are for embedders: here the page provides the host.
                    error.error.hints.clear();
                }
                Self::Failed(error)
            }
            State::Ran(run) => {
                let device = experiment.environment.selected_replica.min(run.replicas().saturating_sub(1));
                let finished = FinishedRun::from_replica(experiment, module, run.clone(), device);
                finished.map_or_else(|| under_way(None), |finished| Self::Ran(finished, None))
            }
        }
    }

    /// The id of the worker's job.
    fn number(&self) -> Option<u64> {
        if let Self::Heavy(number) = self { Some(*number) } else { None }
    }
}

/// The worker's part of a run.
struct InWorker {
    /// The newest event of the job.
    event: Option<Rc<JobEvent>>,
    is_stopped: bool,
    shows_progress: bool,
    /// Cancels the job.
    stop: Callback<()>,
}

/// Runs a job in the worker, if there is one.
#[hook]
fn use_worker(
    number: Option<u64>,
    experiment: &Rc<Experiment>,
    focus: InstructionId,
    language: Language,
    kernels: AllowedKernels,
    compares: bool,
) -> InWorker {
    let heard = use_state(|| None::<(u64, Rc<JobEvent>)>);
    let late = use_state_eq(|| 0_u64);
    let stopped = use_state_eq(|| 0_u64);
    let evaluations = {
        let heard = heard.setter();
        use_memo((), move |()| {
            Evaluations::new(move |number, event| heard.set(Some((number, Rc::new(event)))))
        })
    };
    {
        let (evaluations, wanted) =
            (evaluations.clone(), kernels != AllowedKernels::Off && !link::is_embed());
        use_effect_with(wanted, move |wanted| {
            let idle = wanted.then(|| evaluations.warm_when_idle());
            move || drop(idle)
        });
    }
    {
        let (evaluations, experiment, late) = (evaluations.clone(), experiment.clone(), late.setter());
        use_effect_with(number, move |number| {
            let timers = number.map(|number| {
                // In a separate task: starting a worker takes as long as rendering the page.
                let start = {
                    let evaluations = evaluations.clone();
                    let job = move || Job {
                        kernels,
                        compares_with_reference: compares,
                        ..job(&experiment, focus, language)
                    };
                    Timeout::new(0, move || evaluations.start(number, &job()))
                };
                (start, Timeout::new(LATE_MS, move || late.set(number)))
            });
            move || {
                drop(timers);
                evaluations.stop();
            }
        });
    }
    let stop = {
        let stopped = stopped.setter();
        Callback::from(move |()| {
            evaluations.stop();
            if let Some(number) = number {
                stopped.set(number);
            }
        })
    };
    let event = heard.as_ref().filter(|(of, _)| Some(*of) == number).map(|(_, event)| event.clone());
    InWorker { event, is_stopped: number == Some(*stopped), shows_progress: number == Some(*late), stop }
}

/// The limits of a run with these kernels.
fn allowed(kernels: KernelChoice) -> AllowedKernels {
    match kernels {
        KernelChoice::Off => AllowedKernels::Off,
        KernelChoice::Strict => AllowedKernels::Strict,
        KernelChoice::Fast => AllowedKernels::Fast,
    }
}

/// Runs the experiment whenever it changes; [`super::host::run`] runs one that needs a host.
#[hook]
pub fn use_run(session: &Session, context: &Context, host: Option<&HostRun>) -> Run {
    let map = context.preferences.map.colours();
    // A text without a selected instruction displays nothing.
    let focus = session.focus().map(|(id, _)| id).unwrap_or_default();
    // View settings do not affect the run.
    let run = Experiment { cursor: 0, leaf: 0, focus: String::new(), ..session.experiment().clone() };
    let kernels = allowed(context.preferences.kernels);
    let compares = use_state_eq(|| false);
    let times = use_state_eq(|| 0_u64);
    let numbers = use_mut_ref(|| 0_u64);
    let experiment = use_memo(run.clone(), Clone::clone);
    let attempt = {
        let module = session.module().clone();
        let is_readable = session.is_readable();
        // Selecting another loop needs a new run.
        let observed = is_loop(&module, focus).then_some(focus);
        let key = (run, *times, kernels, *compares, observed, host.cloned(), is_readable);
        use_memo(key, move |(experiment, .., host, _)| {
            *numbers.borrow_mut() += 1;
            match host {
                _ if !is_readable => Attempt::Outside(RunStatus::Unreadable),
                Some(host) => Attempt::outside(experiment, &module, host),
                None => Attempt::new(experiment, &module, focus, *numbers.borrow()),
            }
        })
    };
    let number = attempt.number();
    let worker = use_worker(number, &experiment, focus, context.language, kernels, *compares);
    let done = match worker.event.as_deref() {
        Some(JobEvent::Done(done, arrays)) => Some((done, arrays)),
        _ => None,
    };
    let arrived = {
        let module = session.module().clone();
        use_memo((number, done.is_some()), |_| {
            done.and_then(|(done, arrays)| transfer::finished_run(done, arrays, &experiment, &module))
        })
    };
    let carried = use_memo((number, focus, done.is_some()), |_| {
        done.and_then(|(done, _)| transfer::loop_iterations(done, focus)).map(Rc::new)
    });
    let (current, carried) = match &*attempt {
        Attempt::Ran(finished, carried) => (Some(finished.clone()), carried.clone()),
        _ => ((*arrived).clone(), (*carried).clone()),
    };
    let status = match &*attempt {
        Attempt::Ran(..) => RunStatus::Done,
        Attempt::Outside(status) => status.clone(),
        Attempt::Failed(error) => RunStatus::Failed(failure(error, session.module(), context.language)),
        Attempt::Heavy(_) => WorkerRun {
            event: worker.event.as_deref(),
            has_values: current.is_some(),
            is_stopped: worker.is_stopped,
            shows_progress: worker.shows_progress,
        }
        .status(context.language),
    };
    let values = use_newest(session, current.map(|finished| Values { finished, focus }));
    let shown = {
        let session = session.clone();
        let set = values.is_none().then(|| session.experiment().values.clone());
        let module = Rc::as_ptr(session.module());
        use_memo((values.clone(), focus, map, set, module), move |(values, ..)| match values {
            Some(values) => arrays(&values.finished, values.focus, map),
            None => inputs(&session, map),
        })
    };
    let again = Callback::from(move |()| times.set(*times + 1));
    let (stop, again) =
        host.map_or((worker.stop.clone(), again), |host| (host.stop.clone(), host.again.clone()));
    let found = done.filter(|_| *compares).and_then(|(done, _)| done.difference.clone());
    let check = Check { is_on: *compares, ask: Callback::from(move |on| compares.set(on)), found };
    Run { values, shown, status, stop, again, check, carried }
}

/// The current values, or the previous ones as long as the selected instruction is of the same kind.
#[hook]
fn use_newest(session: &Session, current: Option<Values>) -> Option<Values> {
    let kept = use_mut_ref(|| None::<Values>);
    if let Some(current) = current {
        *kept.borrow_mut() = Some(current.clone());
        return Some(current);
    }
    let (_, now) = session.focus()?;
    let last = kept.borrow().clone()?;
    let before = last.finished.module().entry_computation()?.get(last.focus)?.clone();
    let is_alike = before.opcode == now.opcode && before.operands.len() == now.operands.len();
    is_alike.then_some(last)
}

/// On request, finds the uses of the operands' cells in chunks, and updates the page.
#[hook]
pub fn use_counted(values: Option<&Values>, wanted: bool) {
    let rounds = use_state(|| 0_u32);
    let key = values.filter(|_| wanted).cloned();
    let round = *rounds;
    use_effect_with((key, round), move |(key, round)| {
        let round = *round;
        let timer = key.clone().filter(|of| of.finished.start_tracing_uses(of.focus)).map(|of| {
            Timeout::new(0, move || {
                of.finished.trace_uses(of.focus, CELLS_PER_STEP);
                rounds.set(round.wrapping_add(1));
            })
        });
        move || drop(timer)
    });
}

/// Cells traced per chunk: some milliseconds.
const CELLS_PER_STEP: usize = 1 << 12;
