//! Runs an experiment with its host and devices while the page stays responsive, and again whenever it changes.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Poll, Waker};

use gloo::timers::callback::Timeout;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::sandbox;
use crate::app::context::Context;
use crate::documents;
use crate::hlo::Limits;
use crate::i18n::Language;
use crate::ops::{self, OpDef};
use crate::state::experiment::Experiment;
use crate::state::experiment::needs::Needs;
use crate::state::experiment::run::devices::{ReplicaRun, UnfinishedRun, run, run_without_functions};
use crate::state::experiment::session::Session;

/// The status of a run with host and devices.
pub enum State {
    /// A parameter value is malformed: nothing runs.
    Unreadable,
    /// A function waits for the user's approval.
    AwaitingApproval,
    /// It runs.
    Running {
        /// Whether it has taken long enough to be displayed.
        shows_progress: bool,
    },
    /// The user cancelled it.
    Cancelled,
    /// It finished.
    Ran(Rc<ReplicaRun>),
    /// It failed.
    Stuck(UnfinishedRun),
}

/// A run; compared by the identity of its state.
#[derive(Clone)]
pub struct HostRun {
    /// Its status.
    pub state: Rc<State>,
    /// Cancels it.
    pub cancel: Callback<()>,
    /// Runs it again.
    pub again: Callback<()>,
}

impl PartialEq for HostRun {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.state, &other.state)
    }
}

/// The limits of a run for all replicas together: it runs on the page.
const LIMITS: Limits = Limits { steps: 400_000, bytes: 16 << 20 };

/// Milliseconds after which a run is displayed as running.
const LATE_MS: u32 = 200;

/// The code of functions that the user approved.
pub type Approved = Rc<BTreeSet<String>>;

/// Whether a function may run: the user approved it, or it belongs to an example.
pub(super) fn may_run(code: &str, approved: &Approved) -> bool {
    let of_ops = ops::all().flat_map(OpDef::host_examples).flat_map(|example| example.functions);
    let of_documents =
        documents::entries().flat_map(|entry| entry.examples).flat_map(|example| example.functions);
    approved.contains(code) || of_ops.chain(of_documents).any(|(_, own)| *own == code)
}

/// Cancels its task when it is dropped.
struct Task(Rc<RefCell<(bool, Option<Waker>)>>);

impl Task {
    fn spawn(future: impl Future<Output = ()> + 'static) -> Self {
        let state = Rc::new(RefCell::new((false, None::<Waker>)));
        let shared = state.clone();
        let mut future: Option<Pin<Box<dyn Future<Output = ()>>>> = Some(Box::pin(future));
        spawn_local(poll_fn(move |context| {
            {
                let mut state = shared.borrow_mut();
                state.1 = Some(context.waker().clone());
                if state.0 {
                    future = None;
                }
            }
            future.as_mut().map_or(Poll::Ready(()), |future| future.as_mut().poll(context))
        }));
        Self(state)
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        let waker = {
            let mut state = self.0.borrow_mut();
            state.0 = true;
            state.1.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// The inputs of a run: the experiment, the language of its errors, and a counter of requests.
type Job = (Rc<Experiment>, Language, u64);

/// The run of an experiment that needs host or devices; `None` for others. Without calls of the user's functions it
/// has ended on return, otherwise it continues in the background.
#[hook]
pub fn use_host(session: &Session, context: &Context, needs: &Needs, approved: &Approved) -> Option<HostRun> {
    let found = use_state(|| None::<(Job, Rc<State>)>);
    let times = use_state_eq(|| 0_u64);
    let task = use_mut_ref(|| None::<Task>);
    let experiment = session.experiment();
    // View settings do not affect the run.
    let mut of = Experiment { cursor: 0, leaf: 0, focus: String::new(), ..experiment.clone() };
    of.environment.selected_replica = 0;
    let of = use_memo(of, Clone::clone);
    let is_outside = needs.need_host_or_devices();
    let is_readable = session.is_readable();
    let (is_foreign, module) = (!needs.functions.is_empty(), session.module().clone());
    let at_once = {
        let module = module.clone();
        use_memo((of.clone(), is_outside && !is_foreign && is_readable), move |(of, is_wanted)| {
            is_wanted.then(|| Rc::new(ended(run_without_functions(of, &module, LIMITS))))
        })
    };
    let held = needs.functions.iter().filter_map(|name| of.environment.functions.get(name));
    let is_held = held.into_iter().any(|code| !may_run(code, approved));
    let job: Job = (of, context.language, *times);
    {
        let (found, task) = (found.setter(), task.clone());
        use_effect_with(
            (job.clone(), is_outside && is_foreign && !is_held && is_readable),
            move |(job, is_wanted)| {
                *task.borrow_mut() = is_wanted.then(|| {
                    let job = job.clone();
                    Task::spawn(async move {
                        let late = {
                            let (found, job) = (found.clone(), job.clone());
                            Timeout::new(LATE_MS, move || {
                                found.set(Some((job, Rc::new(State::Running { shows_progress: true }))));
                            })
                        };
                        let under_way = Rc::new(Cell::new(0));
                        let (of, language, _) = &job;
                        let host = || sandbox::host(*language, of.environment.functions.iter(), &under_way);
                        let state = ended(run(of, &module, LIMITS, host, || under_way.get() > 0).await);
                        drop(late);
                        found.set(Some((job, Rc::new(state))));
                    })
                });
                move || drop(task.borrow_mut().take())
            },
        );
    }
    let held = use_memo((), |()| State::AwaitingApproval);
    let unreadable = use_memo((), |()| State::Unreadable);
    let running = use_memo((), |()| State::Running { shows_progress: false });
    let cancel = {
        let (found, job) = (found.setter(), job.clone());
        Callback::from(move |()| {
            drop(task.borrow_mut().take());
            found.set(Some((job.clone(), Rc::new(State::Cancelled))));
        })
    };
    let again = Callback::from(move |()| times.set(*times + 1));
    // A single device without host goes to the worker if it exceeds the page's limits.
    let is_too_much = |state: &Rc<State>| matches!(&**state, State::Stuck(stuck) if stuck.error().error.rule.starts_with("budget"));
    let is_heavy = needs.can_run_on_single_device(&session.experiment().environment)
        && (*at_once).as_ref().is_some_and(is_too_much);
    (is_outside && !is_heavy).then(|| {
        let known = (*found).as_ref().filter(|(of, _)| *of == job).map(|(_, state)| state.clone());
        let state = match (&*at_once, known) {
            _ if !is_readable => unreadable,
            (Some(state), _) => state.clone(),
            _ if is_held => held,
            (None, known) => known.unwrap_or(running),
        };
        HostRun { state, cancel, again }
    })
}

fn ended(result: Result<ReplicaRun, UnfinishedRun>) -> State {
    match result {
        Ok(run) => State::Ran(Rc::new(run)),
        Err(stuck) => State::Stuck(stuck),
    }
}
