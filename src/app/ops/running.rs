//! Runs the experiment whenever it changes: at once where that takes some milliseconds, else in the worker.
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
use crate::cause::Cause;
use crate::hlo::{EvalError, Frame, InstructionId, Limits, Module, Observer};
use crate::ops::Data;
use crate::state::experiment::Experiment;
use crate::state::experiment::run::FinishedRun;
use crate::state::experiment::run::iterations::{Iterations, LoopRecorder, is_loop};
use crate::state::experiment::run::summary::parts;
use crate::state::experiment::session::Session;
use crate::worker::evaluation::client::{Evaluations, News};
use crate::worker::evaluation::handover;
use crate::worker::evaluation::job::job;
use crate::worker::evaluation::run::failure;
use crate::worker::evaluation::wire::{AllowedKernels, Difference, Failure, Job, Progress};

/// What is run on the page itself: some milliseconds. More goes to the worker.
const AT_ONCE: Limits = Limits { steps: 100_000, bytes: 4 << 20 };

/// Milliseconds after which a run on the page is given up: steps are not all as quick as one another. The first one is waited for
/// longer, since all code is compiled meanwhile, and nothing is there yet that could be slow to answer.
const PATIENCE: [f64; 2] = [60.0, 5.0];

/// Milliseconds until a run is worth talking about.
const LATE: u32 = 200;

/// Values on the screen.
#[derive(Clone, PartialEq)]
pub struct Values {
    /// The run they come from.
    pub ran: FinishedRun,
    /// The instruction of its module that is looked at.
    pub focus: InstructionId,
}

/// How the run of what is set now stands.
#[derive(Clone, PartialEq)]
pub enum Standing {
    /// Its values are there.
    Done,
    /// It is under way; `None` before it is worth talking about.
    Running(Option<Progress>),
    /// Text of its values cannot be read: nothing runs.
    Unreadable,
    /// It waits for the visitor's word.
    Held,
    /// It ended without values.
    Failed(Failure),
    /// The visitor ended it.
    Stopped,
    /// The worker ended, or did not start.
    Ended(Cause),
    /// The worker has not started yet, and still may.
    Late(Cause),
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
    /// Kernels held against the definitions.
    pub check: Check,
    /// What the loop that is looked at carried, once it was run.
    pub carried: Option<Rc<Iterations>>,
}

/// Kernels held against the definitions.
#[derive(Clone, PartialEq)]
pub struct Check {
    /// Whether that is asked for.
    pub is_on: bool,
    /// Asks for it, or no longer.
    pub ask: Callback<bool>,
    /// What came of it.
    pub found: Option<Difference>,
}

/// What came of the attempt to run at once.
enum Attempt {
    /// The values, and what the loop that is looked at carried.
    Ran(FinishedRun, Option<Rc<Iterations>>),
    Failed(EvalError),
    /// It is the worker's: the epoch of the job.
    Heavy(u64),
    /// It is its world's, and has not ended; or it does not run.
    Outside(Standing),
}

/// Values between two looks at the clock: many steps of a loop of scalars take as long as few of a large array.
const VALUES: u32 = 32;

/// Gives a run up at a time, and keeps what a loop carries.
struct Patience<'m> {
    end: f64,
    /// Values since the last look at the clock.
    values: u32,
    carried: Option<LoopRecorder<'m>>,
}

impl Observer for Patience<'_> {
    fn value(&mut self, frame: Frame, id: InstructionId, value: &Data) -> ControlFlow<()> {
        if let Some(carried) = &mut self.carried {
            carried.value(frame, id, value);
        }
        self.values += 1;
        if self.values < VALUES {
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
    fn new(experiment: &Experiment, module: &Rc<Module>, focus: InstructionId, epoch: u64) -> Self {
        let [first, later] = PATIENCE;
        let end = Date::now() + if epoch == 1 { first } else { later };
        let mut patience = Patience { end, values: 0, carried: LoopRecorder::new(module, focus, parts) };
        match FinishedRun::observed(experiment, module, AT_ONCE, &mut patience) {
            Ok(ran) => Self::Ran(ran, patience.carried.and_then(LoopRecorder::seen).map(Rc::new)),
            Err(error) if matches!(error.error.rule, "budget-steps" | "budget-bytes" | "cancelled") => {
                Self::Heavy(epoch)
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

    fn epoch(&self) -> Option<u64> {
        if let Self::Heavy(epoch) = self { Some(*epoch) } else { None }
    }
}

/// Runs the experiment whenever it changes; one with a world outside is run by [`super::world::run`].
#[hook]
pub fn use_run(session: &Session, context: &Context, world: Option<&WorldRun>) -> Run {
    let map = context.preferences.map.colours();
    let focus = session.focus().map(|(id, _)| id).unwrap_or_default();
    // How it is looked at changes nothing that is run.
    let run = Experiment { cursor: 0, leaf: 0, focus: String::new(), ..session.experiment().clone() };
    let kernels = match context.preferences.kernels {
        KernelChoice::Off => AllowedKernels::Off,
        KernelChoice::Strict => AllowedKernels::Strict,
        KernelChoice::Fast => AllowedKernels::Fast,
    };
    let compares = use_state_eq(|| false);
    let times = use_state_eq(|| 0_u64);
    let epochs = use_mut_ref(|| 0_u64);
    let experiment = use_memo(run.clone(), Clone::clone);
    let attempt = {
        let (module, epochs) = (session.module().clone(), epochs.clone());
        let is_readable = session.unreadable().is_empty();
        // Another loop that is looked at is seen in a run of its own.
        let looked_at = is_loop(&module, focus).then_some(focus);
        let key = (run, *times, kernels, *compares, looked_at, world.cloned(), is_readable);
        use_memo(key, move |(experiment, .., world, _)| {
            *epochs.borrow_mut() += 1;
            match world {
                _ if !is_readable => Attempt::Outside(Standing::Unreadable),
                Some(world) => Attempt::outside(experiment, &module, world),
                None => Attempt::new(experiment, &module, focus, *epochs.borrow()),
            }
        })
    };
    let heard = use_state(|| None::<(u64, Rc<News>)>);
    let late = use_state_eq(|| 0_u64);
    let stopped = use_state_eq(|| 0_u64);
    let evaluations = {
        let heard = heard.setter();
        use_memo((), move |()| Evaluations::new(move |epoch, news| heard.set(Some((epoch, Rc::new(news))))))
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
        let (language, compares) = (context.language, *compares);
        use_effect_with(attempt.epoch(), move |epoch| {
            let timers = epoch.map(|epoch| {
                // In a task of its own: to start a worker takes as long as to draw the page.
                let start = {
                    let evaluations = evaluations.clone();
                    let job = move || Job { kernels, compares, ..job(&experiment, focus, language) };
                    Timeout::new(0, move || evaluations.start(epoch, &job()))
                };
                (start, Timeout::new(LATE, move || late.set(epoch)))
            });
            move || {
                drop(timers);
                evaluations.stop();
            }
        });
    }
    let epoch = attempt.epoch();
    let news = heard.as_ref();
    let news = news.filter(|(of, _)| Some(*of) == epoch).map(|(_, news)| news.clone());
    let arrived = {
        let (module, news) = (session.module().clone(), news.clone());
        let is_done = matches!(news.as_deref(), Some(News::Done(..)));
        use_memo((epoch, is_done), move |_| match news.as_deref() {
            Some(News::Done(done, arrays)) => handover::ran(done, arrays, &experiment, &module),
            _ => None,
        })
    };
    let carried = {
        let news = news.clone();
        let is_done = matches!(news.as_deref(), Some(News::Done(..)));
        use_memo((epoch, focus, is_done), move |_| match news.as_deref() {
            Some(News::Done(done, _)) => handover::carried(done, focus).map(Rc::new),
            _ => None,
        })
    };
    let current = match &*attempt {
        Attempt::Ran(ran, _) => Some(ran.clone()),
        _ => (*arrived).clone(),
    };
    let standing = match (&*attempt, news.as_deref()) {
        (Attempt::Ran(..), _) => Standing::Done,
        (Attempt::Outside(standing), _) => standing.clone(),
        (Attempt::Failed(error), _) => Standing::Failed(failure(error, session.module(), context.language)),
        (_, Some(News::Done(..))) if current.is_some() => Standing::Done,
        (_, Some(News::Done(..))) => Standing::Ended(Cause::OtherRelease),
        (_, Some(News::Failed(failure))) => Standing::Failed(failure.clone()),
        (_, Some(News::TooLarge(error))) => Standing::Failed(Failure {
            message: error.message.say(context.language),
            rule: error.rule.to_owned(),
            hints: Vec::new(),
            place: None,
        }),
        (_, Some(News::Ended(cause))) => Standing::Ended(cause.clone()),
        _ if epoch == Some(*stopped) => Standing::Stopped,
        (_, Some(News::Late(cause))) => Standing::Late(cause.clone()),
        (_, Some(News::Progress(progress))) if epoch == Some(*late) => {
            Standing::Running(Some(progress.clone()))
        }
        _ if epoch == Some(*late) => Standing::Running(Some(Progress::default())),
        _ => Standing::Running(None),
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
    let stop = {
        let stopped = stopped.setter();
        Callback::from(move |()| {
            evaluations.stop();
            stopped.set(epoch.unwrap_or_default());
        })
    };
    let again = Callback::from(move |()| times.set(*times + 1));
    let (stop, again) = world.map_or((stop, again), |world| (world.stop.clone(), world.again.clone()));
    let found = match news.as_deref() {
        Some(News::Done(done, _)) if *compares => done.difference.clone(),
        _ => None,
    };
    let check = Check { is_on: *compares, ask: Callback::from(move |on| compares.set(on)), found };
    let carried = match &*attempt {
        Attempt::Ran(_, carried) => carried.clone(),
        _ => (*carried).clone(),
    };
    Run { values, shown, standing, stop, again, check, carried }
}

/// The values of now, else the last ones, as long as the instruction that is looked at is of the same kind.
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

/// Once it is wanted, asks where the cells of the operands went, some at a time, and shows the page anew.
#[hook]
pub fn use_counted(values: Option<&Values>, wanted: bool) {
    let rounds = use_state(|| 0_u32);
    let key = values.filter(|_| wanted).cloned();
    let round = *rounds;
    use_effect_with((key, round), move |(key, round)| {
        let round = *round;
        let timer = key.clone().filter(|of| of.ran.count_uses(of.focus, 0)).map(|of| {
            Timeout::new(0, move || {
                of.ran.count_uses(of.focus, COUNTED);
                rounds.set(round.wrapping_add(1));
            })
        });
        move || drop(timer)
    });
}

/// Cells asked at a time: some milliseconds.
const COUNTED: usize = 1 << 12;
