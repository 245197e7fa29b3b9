//! Runs the experiment whenever it changes: on the page where that takes some milliseconds, else in the worker.
//!
//! Invariant: what is shown as current was computed from exactly what is set now; anything older says so.

use std::ops::ControlFlow;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use js_sys::Date;
use yew::prelude::*;

use super::stage::{Shown, arrays, inputs};
use super::world::run::{State, WorldRun};
use crate::app::context::Context;
use crate::app::link;
use crate::app::prefs::KernelChoice;
use crate::hlo::{EvalError, Frame, InstructionId, Limits, Module, Observer};
use crate::i18n::Language;
pub use crate::interaction::run_status::Standing;
use crate::interaction::run_status::WorkerRun;
use crate::ops::Data;
use crate::state::experiment::Experiment;
use crate::state::experiment::run::FinishedRun;
use crate::state::experiment::run::iterations::{Iterations, LoopRecorder, is_loop};
use crate::state::experiment::run::summary::parts;
use crate::state::experiment::session::Session;
use crate::worker::evaluation::client::Evaluations;
use crate::worker::evaluation::event::JobEvent;
use crate::worker::evaluation::handover;
use crate::worker::evaluation::job::job;
use crate::worker::evaluation::run::failure;
use crate::worker::evaluation::wire::{AllowedKernels, Difference, Job, Progress};

/// What runs on the page itself: some milliseconds. More goes to the worker.
const PAGE_LIMITS: Limits = Limits { steps: 100_000, bytes: 4 << 20 };

/// Milliseconds after which a run on the page is given up: steps are not all as quick as one another. The first one may take
/// longer, since all code is compiled meanwhile, and there is nothing yet that could be slow to respond.
const PAGE_RUN_MS: [f64; 2] = [60.0, 5.0];

/// Milliseconds until a run is reported as under way.
const LATE_MS: u32 = 200;

/// Values on the screen.
#[derive(Clone, PartialEq)]
pub struct Values {
    /// The run they come from.
    pub ran: FinishedRun,
    /// The observed instruction of its module.
    pub focus: InstructionId,
}

/// A run, and what is there to be shown.
pub struct Run {
    /// The newest values there are.
    pub values: Option<Values>,
    /// The arrays to show: those of the values, else those that are set.
    pub shown: Rc<Vec<Shown>>,
    /// How the run of what is set now stands.
    pub standing: Standing,
    /// Ends the run.
    pub stop: Callback<()>,
    /// Runs it again.
    pub again: Callback<()>,
    /// Comparison of kernels with the reference evaluator.
    pub check: Check,
    /// What the observed loop carried, once it was run.
    pub carried: Option<Rc<Iterations>>,
}

/// Comparison of kernels with the reference evaluator.
#[derive(Clone, PartialEq)]
pub struct Check {
    /// Whether that is asked for.
    pub is_on: bool,
    /// Turns it on or off.
    pub ask: Callback<bool>,
    /// What it found.
    pub found: Option<Difference>,
}

/// The result of the attempt to run on the page.
enum Attempt {
    /// The values, and what the observed loop carried.
    Ran(FinishedRun, Option<Rc<Iterations>>),
    Failed(EvalError),
    /// It is for the worker: the number of the job.
    Heavy(u64),
    /// Its host runs it, and it has not ended; or it does not run.
    Outside(Standing),
}

/// Values between two reads of the clock: many steps of a loop of scalars take as long as few of a large array.
const CLOCK_INTERVAL_VALUES: u32 = 32;

/// Gives a run up at a time, and keeps what a loop carries.
struct Patience<'m> {
    end: f64,
    /// Values since the clock was read.
    values: u32,
    carried: Option<LoopRecorder<'m>>,
}

impl Observer for Patience<'_> {
    fn value(&mut self, frame: Frame, id: InstructionId, value: &Data) -> ControlFlow<()> {
        if let Some(carried) = &mut self.carried {
            carried.value(frame, id, value);
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
        let mut patience = Patience { end, values: 0, carried: LoopRecorder::new(module, focus, parts) };
        match FinishedRun::observed(experiment, module, PAGE_LIMITS, &mut patience) {
            Ok(ran) => Self::Ran(ran, patience.carried.and_then(LoopRecorder::seen).map(Rc::new)),
            Err(error) if matches!(error.error.rule, "budget-steps" | "budget-bytes" | "cancelled") => {
                Self::Heavy(number)
            }
            Err(error) => Self::Failed(error),
        }
    }

    fn outside(experiment: &Experiment, module: &Rc<Module>, world: &WorldRun) -> Self {
        let under_way = |progress| Self::Outside(Standing::Running(progress));
        match &*world.state {
            State::Unreadable => Self::Outside(Standing::Unreadable),
            State::Held => Self::Outside(Standing::Held),
            State::Running { is_late } => under_way(is_late.then(Progress::default)),
            State::Stopped => Self::Outside(Standing::Stopped),
            State::Stuck(stuck) => {
                let mut error = stuck.error().clone();
                if stuck.is_waiting() {
                    // They are for whoever runs a module by a program; here the world is set beside it.
                    error.error.hints.clear();
                }
                Self::Failed(error)
            }
            State::Ran(run) => {
                let device = experiment.environment.device.min(run.devices().saturating_sub(1));
                let ran = FinishedRun::of_replica(experiment, module, run.clone(), device);
                ran.map_or_else(|| under_way(None), |ran| Self::Ran(ran, None))
            }
        }
    }

    /// The number of the worker's job.
    fn number(&self) -> Option<u64> {
        if let Self::Heavy(number) = self { Some(*number) } else { None }
    }
}

/// The worker's part of a run.
struct InWorker {
    /// The newest news of the job.
    event: Option<Rc<JobEvent>>,
    is_stopped: bool,
    is_late: bool,
    /// Cancels the job.
    stop: Callback<()>,
}

/// Runs the job of this number in the worker, if there is one.
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
                // In a task of its own: to start a worker takes as long as to draw the page.
                let start = {
                    let evaluations = evaluations.clone();
                    let job = move || Job { kernels, compares, ..job(&experiment, focus, language) };
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
    InWorker { event, is_stopped: number == Some(*stopped), is_late: number == Some(*late), stop }
}

/// What a run with these kernels may use.
fn allowed(kernels: KernelChoice) -> AllowedKernels {
    match kernels {
        KernelChoice::Off => AllowedKernels::Off,
        KernelChoice::Strict => AllowedKernels::Strict,
        KernelChoice::Fast => AllowedKernels::Fast,
    }
}

/// Runs the experiment whenever it changes; one with a host is run by [`super::world::run`].
#[hook]
pub fn use_run(session: &Session, context: &Context, world: Option<&WorldRun>) -> Run {
    let map = context.preferences.map.colours();
    // A text without an instruction to observe shows nothing.
    let focus = session.focus().map(|(id, _)| id).unwrap_or_default();
    // How it is viewed changes nothing that is run.
    let run = Experiment { cursor: 0, leaf: 0, focus: String::new(), ..session.experiment().clone() };
    let kernels = allowed(context.preferences.kernels);
    let compares = use_state_eq(|| false);
    let times = use_state_eq(|| 0_u64);
    let numbers = use_mut_ref(|| 0_u64);
    let experiment = use_memo(run.clone(), Clone::clone);
    let attempt = {
        let module = session.module().clone();
        let is_readable = session.unreadable().is_empty();
        // Another loop that is observed is a run of its own.
        let observed = is_loop(&module, focus).then_some(focus);
        let key = (run, *times, kernels, *compares, observed, world.cloned(), is_readable);
        use_memo(key, move |(experiment, .., world, _)| {
            *numbers.borrow_mut() += 1;
            match world {
                _ if !is_readable => Attempt::Outside(Standing::Unreadable),
                Some(world) => Attempt::outside(experiment, &module, world),
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
            done.and_then(|(done, arrays)| handover::finished_run(done, arrays, &experiment, &module))
        })
    };
    let carried = use_memo((number, focus, done.is_some()), |_| {
        done.and_then(|(done, _)| handover::carried(done, focus)).map(Rc::new)
    });
    let (current, carried) = match &*attempt {
        Attempt::Ran(ran, carried) => (Some(ran.clone()), carried.clone()),
        _ => ((*arrived).clone(), (*carried).clone()),
    };
    let standing = match &*attempt {
        Attempt::Ran(..) => Standing::Done,
        Attempt::Outside(standing) => standing.clone(),
        Attempt::Failed(error) => Standing::Failed(failure(error, session.module(), context.language)),
        Attempt::Heavy(_) => WorkerRun {
            event: worker.event.as_deref(),
            has_values: current.is_some(),
            is_stopped: worker.is_stopped,
            is_late: worker.is_late,
        }
        .standing(context.language),
    };
    let values = use_newest(session, current.map(|ran| Values { ran, focus }));
    let shown = {
        let session = session.clone();
        let set = values.is_none().then(|| session.experiment().values.clone());
        let module = Rc::as_ptr(session.module());
        use_memo((values.clone(), focus, map, set, module), move |(values, ..)| match values {
            Some(values) => arrays(&values.ran, values.focus, map),
            None => inputs(&session, map),
        })
    };
    let again = Callback::from(move |()| times.set(*times + 1));
    let (stop, again) =
        world.map_or((worker.stop.clone(), again), |world| (world.stop.clone(), world.again.clone()));
    let found = done.filter(|_| *compares).and_then(|(done, _)| done.difference.clone());
    let check = Check { is_on: *compares, ask: Callback::from(move |on| compares.set(on)), found };
    Run { values, shown, standing, stop, again, check, carried }
}

/// The values of now, else the last ones, as long as the observed instruction is of the same kind.
#[hook]
fn use_newest(session: &Session, current: Option<Values>) -> Option<Values> {
    let kept = use_mut_ref(|| None::<Values>);
    if let Some(current) = current {
        *kept.borrow_mut() = Some(current.clone());
        return Some(current);
    }
    let (_, now) = session.focus()?;
    let last = kept.borrow().clone()?;
    let before = last.ran.module().entry_computation()?.get(last.focus)?.clone();
    let is_alike = before.opcode == now.opcode && before.operands.len() == now.operands.len();
    is_alike.then_some(last)
}

/// Once it is wanted, finds the uses of the operands' cells, some at a time, and updates the page.
#[hook]
pub fn use_counted(values: Option<&Values>, wanted: bool) {
    let rounds = use_state(|| 0_u32);
    let key = values.filter(|_| wanted).cloned();
    let round = *rounds;
    use_effect_with((key, round), move |(key, round)| {
        let round = *round;
        let timer = key.clone().filter(|of| of.ran.count_uses(of.focus, 0)).map(|of| {
            Timeout::new(0, move || {
                of.ran.count_uses(of.focus, CELLS_PER_STEP);
                rounds.set(round.wrapping_add(1));
            })
        });
        move || drop(timer)
    });
}

/// Cells traced in one step: some milliseconds.
const CELLS_PER_STEP: usize = 1 << 12;
