//! Runs the experiment whenever it changes: on the page if that takes a few milliseconds, otherwise in the worker.
//!
//! Invariant: values displayed as current were computed from exactly the current experiment; older ones are marked.

use std::ops::ControlFlow;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use js_sys::Date;
use yew::prelude::*;

use super::host::run::{HostRun, State};
use super::stage::{DisplayedArray, arrays, inputs};
use crate::app::context::Context;
use crate::app::link;
use crate::app::prefs::KernelChoice;
use crate::hlo::{EvalError, Frame, InstructionId, Limits, Module, Observer};
use crate::i18n::Language;
pub use crate::interaction::run_status::RunStatus;
use crate::interaction::run_status::WorkerRun;
use crate::ops::Data;
use crate::state::experiment::Experiment;
use crate::state::experiment::run::iterations::{LoopRecord, LoopRecorder, is_loop};
use crate::state::experiment::run::summary::element_summaries;
use crate::state::experiment::run::{FinishedRun, UsedArrays};
use crate::state::experiment::session::Session;
use crate::worker::evaluation::client::Evaluations;
use crate::worker::evaluation::event::JobEvent;
use crate::worker::evaluation::job::job;
use crate::worker::evaluation::run::failure;
use crate::worker::evaluation::transfer;
use crate::worker::evaluation::wire::{AllowedKernels, Difference, Job, Progress};

/// The limits of a run on the page: a few milliseconds. Larger runs are sent to the worker.
const PAGE_LIMITS: Limits = Limits { steps: 100_000, bytes: 4 << 20 };

/// Milliseconds after which a run on the page is handed to the worker, because steps differ in duration. The first
/// run may take longer: the code is compiled meanwhile, and there is no interaction yet that it could delay.
const PAGE_RUN_MS: [f64; 2] = [60.0, 5.0];

/// Milliseconds after which a run is displayed as running.
const PROGRESS_DELAY_MS: u32 = 200;

/// The values that are displayed.
#[derive(Clone, PartialEq)]
pub struct RunValues {
    /// The run that computed them.
    pub finished: FinishedRun,
    /// The selected instruction of its module.
    pub focus: InstructionId,
}

/// A run and what can be displayed.
pub struct Run {
    /// The newest available values.
    pub values: Option<RunValues>,
    /// The arrays to display: those of the values, or the parameters.
    pub displayed: Rc<Vec<DisplayedArray>>,
    /// The status of the current run.
    pub status: RunStatus,
    /// Cancels the run.
    pub cancel: Callback<()>,
    /// Runs it again.
    pub rerun: Callback<()>,
    /// Comparison of kernels with the reference evaluator.
    pub kernel_comparison: KernelComparison,
    /// The iterations of the selected loop, after the run.
    pub carried: Option<Rc<LoopRecord>>,
}

/// Comparison of kernels with the reference evaluator.
#[derive(Clone, PartialEq)]
pub struct KernelComparison {
    /// Whether it is enabled.
    pub is_enabled: bool,
    /// Enables or disables it.
    pub set_enabled: Callback<bool>,
    /// The result of the comparison, once there is one.
    pub difference: Option<Difference>,
}

/// The result of the attempt to run on the page.
enum Attempt {
    /// The values, and the iterations of the selected loop.
    Finished(FinishedRun, Option<Rc<LoopRecord>>),
    Failed(EvalError),
    /// It exceeded the page's limits: the id of the worker's job.
    InWorker(u64),
    /// There are no values: it does not run, or has not finished on its host and devices.
    NoValues(RunStatus),
}

/// Values between two checks of the clock.
const CLOCK_INTERVAL_VALUES: u32 = 32;

/// Cancels a run at a deadline, and records the iterations of a loop.
struct DeadlineObserver<'m> {
    /// In milliseconds, as `Date::now`.
    deadline: f64,
    /// Values since the last check of the clock.
    values: u32,
    carried: Option<LoopRecorder<'m>>,
}

impl Observer for DeadlineObserver<'_> {
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
        if Date::now() < self.deadline { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn wants_all(&self) -> bool {
        false
    }
}

impl Attempt {
    fn new(experiment: &Experiment, module: &Rc<Module>, focus: InstructionId, job_id: u64) -> Self {
        let [first, later] = PAGE_RUN_MS;
        let deadline = Date::now() + if job_id == 1 { first } else { later };
        let mut observer = DeadlineObserver {
            deadline,
            values: 0,
            carried: LoopRecorder::new(module, focus, element_summaries),
        };
        match FinishedRun::run_observed(experiment, module, PAGE_LIMITS, &mut observer) {
            Ok(finished) => {
                Self::Finished(finished, observer.carried.and_then(LoopRecorder::finish).map(Rc::new))
            }
            Err(error) if matches!(error.error.rule, "budget-steps" | "budget-bytes" | "cancelled") => {
                Self::InWorker(job_id)
            }
            Err(error) => Self::Failed(error),
        }
    }

    fn from_host(experiment: &Experiment, module: &Rc<Module>, host: &HostRun) -> Self {
        let running = |progress| Self::NoValues(RunStatus::Running(progress));
        match &*host.state {
            State::InvalidArguments => Self::NoValues(RunStatus::InvalidArguments),
            State::AwaitingApproval => Self::NoValues(RunStatus::AwaitingApproval),
            State::Running { shows_progress } => running(shows_progress.then(Progress::default)),
            State::Cancelled => Self::NoValues(RunStatus::Cancelled),
            State::Unfinished(stuck) => {
                let mut error = stuck.error().clone();
                if stuck.is_waiting() {
                    // These hints address embedders of the library; here the page provides the host.
                    error.error.hints.clear();
                }
                Self::Failed(error)
            }
            State::Finished(run) => {
                let device = experiment.environment.selected_replica.min(run.replicas().saturating_sub(1));
                let finished = FinishedRun::from_replica(experiment, module, run.clone(), device);
                finished.map_or_else(|| running(None), |finished| Self::Finished(finished, None))
            }
        }
    }

    /// The id of the worker's job.
    fn job_id(&self) -> Option<u64> {
        if let Self::InWorker(job_id) = self { Some(*job_id) } else { None }
    }
}

/// The worker's part of a run.
struct WorkerState {
    /// The newest event of the job.
    event: Option<Rc<JobEvent>>,
    is_cancelled: bool,
    shows_progress: bool,
    /// Cancels the job.
    cancel: Callback<()>,
}

/// Runs a job in the worker, if there is one.
#[hook]
fn use_worker(
    job_id: Option<u64>,
    experiment: &Rc<Experiment>,
    focus: InstructionId,
    language: Language,
    kernels: AllowedKernels,
    compares_with_reference: bool,
) -> WorkerState {
    let last_event = use_state(|| None::<(u64, Rc<JobEvent>)>);
    let overdue_job = use_state_eq(|| 0_u64);
    let cancelled = use_state_eq(|| 0_u64);
    let evaluations = {
        let last_event = last_event.setter();
        use_memo((), move |()| {
            Evaluations::new(move |job_id, event| last_event.set(Some((job_id, Rc::new(event)))))
        })
    };
    {
        let (evaluations, warms_up) =
            (evaluations.clone(), kernels != AllowedKernels::Off && !link::is_embed());
        use_effect_with(warms_up, move |warms_up| {
            let idle = warms_up.then(|| evaluations.warm_when_idle());
            move || drop(idle)
        });
    }
    {
        let (evaluations, experiment, overdue_job) =
            (evaluations.clone(), experiment.clone(), overdue_job.setter());
        use_effect_with(job_id, move |job_id| {
            let timers = job_id.map(|job_id| {
                // In a separate task, because starting a worker takes as long as rendering the page.
                let start = {
                    let evaluations = evaluations.clone();
                    let job =
                        move || Job { kernels, compares_with_reference, ..job(&experiment, focus, language) };
                    Timeout::new(0, move || evaluations.start(job_id, &job()))
                };
                (start, Timeout::new(PROGRESS_DELAY_MS, move || overdue_job.set(job_id)))
            });
            move || {
                drop(timers);
                evaluations.stop();
            }
        });
    }
    let cancel = {
        let cancelled = cancelled.setter();
        Callback::from(move |()| {
            evaluations.stop();
            if let Some(job_id) = job_id {
                cancelled.set(job_id);
            }
        })
    };
    let event = last_event.as_ref().filter(|(id, _)| Some(*id) == job_id).map(|(_, event)| event.clone());
    WorkerState {
        event,
        is_cancelled: job_id == Some(*cancelled),
        shows_progress: job_id == Some(*overdue_job),
        cancel,
    }
}

/// The worker's name of a choice of kernels.
fn allowed_kernels(kernels: KernelChoice) -> AllowedKernels {
    match kernels {
        KernelChoice::Off => AllowedKernels::Off,
        KernelChoice::Strict => AllowedKernels::Strict,
        KernelChoice::Fast => AllowedKernels::Fast,
    }
}

/// Runs the experiment whenever it changes; [`super::host::run`] runs one that needs a host.
#[hook]
pub fn use_run(session: &Session, context: &Context, host: Option<&HostRun>) -> Run {
    let map = context.preferences.colour_map.colours();
    // Text without a selected instruction displays nothing.
    let focus = session.focus().map(|(id, _)| id).unwrap_or_default();
    // View settings do not affect the run.
    let run = session.experiment().without_view();
    let kernels = allowed_kernels(context.preferences.kernels);
    let compares_with_reference = use_state_eq(|| false);
    let rerun_count = use_state_eq(|| 0_u64);
    let last_job_id = use_mut_ref(|| 0_u64);
    let experiment = use_memo(run.clone(), Clone::clone);
    let attempt = {
        let module = session.module().clone();
        let can_run = session.can_run();
        // Selecting another loop needs a new run.
        let observed = is_loop(&module, focus).then_some(focus);
        let key = (run, *rerun_count, kernels, *compares_with_reference, observed, host.cloned(), can_run);
        use_memo(key, move |(experiment, .., host, _)| {
            *last_job_id.borrow_mut() += 1;
            match host {
                _ if !can_run => Attempt::NoValues(RunStatus::InvalidArguments),
                Some(host) => Attempt::from_host(experiment, &module, host),
                None => Attempt::new(experiment, &module, focus, *last_job_id.borrow()),
            }
        })
    };
    let job_id = attempt.job_id();
    let worker = use_worker(job_id, &experiment, focus, context.language, kernels, *compares_with_reference);
    let done = match worker.event.as_deref() {
        Some(JobEvent::Done(done, arrays)) => Some((done, arrays)),
        _ => None,
    };
    let arrived = {
        let module = session.module().clone();
        use_memo((job_id, done.is_some()), |_| {
            done.and_then(|(done, arrays)| transfer::finished_run(done, arrays, &experiment, &module))
        })
    };
    let carried = use_memo((job_id, focus, done.is_some()), |_| {
        done.and_then(|(done, _)| transfer::loop_iterations(done, focus)).map(Rc::new)
    });
    let (current, carried) = match &*attempt {
        Attempt::Finished(finished, carried) => (Some(finished.clone()), carried.clone()),
        _ => ((*arrived).clone(), (*carried).clone()),
    };
    let status = match &*attempt {
        Attempt::Finished(..) => RunStatus::Done,
        Attempt::NoValues(status) => status.clone(),
        Attempt::Failed(error) => RunStatus::Failed(failure(error, session.module(), context.language)),
        Attempt::InWorker(_) => WorkerRun {
            event: worker.event.as_deref(),
            has_values: current.is_some(),
            is_cancelled: worker.is_cancelled,
            shows_progress: worker.shows_progress,
        }
        .status(context.language),
    };
    let values = use_latest_values(session, current.map(|finished| RunValues { finished, focus }));
    let displayed = {
        let session = session.clone();
        let set = values.is_none().then(|| session.experiment().values.clone());
        let module = Rc::as_ptr(session.module());
        use_memo((values.clone(), focus, map, set, module), move |(values, ..)| match values {
            Some(values) => arrays(&values.finished, values.focus, map),
            None => inputs(&session, map),
        })
    };
    let rerun = Callback::from(move |()| rerun_count.set(*rerun_count + 1));
    let (cancel, rerun) =
        host.map_or((worker.cancel.clone(), rerun), |host| (host.cancel.clone(), host.rerun.clone()));
    let difference = done.filter(|_| *compares_with_reference).and_then(|(done, _)| done.difference.clone());
    let is_enabled = *compares_with_reference;
    let set_enabled = Callback::from(move |on| compares_with_reference.set(on));
    let kernel_comparison = KernelComparison { is_enabled, set_enabled, difference };
    Run { values, displayed, status, cancel, rerun, kernel_comparison, carried }
}

/// The current values; without any, the previous ones while the selected instruction has the same opcode and number of
/// operands.
#[hook]
fn use_latest_values(session: &Session, current: Option<RunValues>) -> Option<RunValues> {
    let latest = use_mut_ref(|| None::<RunValues>);
    if let Some(current) = current {
        *latest.borrow_mut() = Some(current.clone());
        return Some(current);
    }
    let (_, now) = session.focus()?;
    let last = latest.borrow().clone()?;
    let before = last.finished.module().entry_computation()?.get(last.focus)?.clone();
    let is_same_kind = before.opcode == now.opcode && before.operands.len() == now.operands.len();
    is_same_kind.then_some(last)
}

/// Finds the uses of the cells of requested arrays in chunks, and re-renders after each.
#[hook]
pub fn use_traced_uses(values: Option<&RunValues>, requested: Option<UsedArrays>) {
    let chunk_count = use_state(|| 0_u32);
    let key = values.cloned().zip(requested);
    let chunk = *chunk_count;
    use_effect_with((key, chunk), move |(key, chunk)| {
        let chunk = *chunk;
        let timer = key
            .clone()
            .filter(|(values, arrays)| values.finished.start_tracing_uses(values.focus, *arrays))
            .map(|(values, arrays)| {
                Timeout::new(0, move || {
                    values.finished.trace_uses(values.focus, arrays, CELLS_PER_CHUNK);
                    chunk_count.set(chunk.wrapping_add(1));
                })
            });
        move || drop(timer)
    });
}

/// Cells traced per chunk: a few milliseconds.
const CELLS_PER_CHUNK: usize = 1 << 12;
