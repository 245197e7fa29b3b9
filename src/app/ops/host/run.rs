//! Runs an experiment with its host and devices whenever it changes. The page stays responsive meanwhile.

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
    /// It is running.
    Running {
        /// Whether it has taken long enough to be displayed.
        shows_progress: bool,
    },
    /// The user cancelled it.
    Cancelled,
    /// All replicas finished.
    Finished(Rc<ReplicaRun>),
    /// It failed, or its replicas are in a deadlock.
    Unfinished(UnfinishedRun),
}

/// A run; compared by the identity of its state.
#[derive(Clone)]
pub struct HostRun {
    /// Its status.
    pub state: Rc<State>,
    /// Cancels the run.
    pub cancel: Callback<()>,
    /// Runs it again.
    pub rerun: Callback<()>,
}

impl PartialEq for HostRun {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.state, &other.state)
    }
}

/// The limits of a run for all replicas together: it runs on the page.
const LIMITS: Limits = Limits { steps: 400_000, bytes: 16 << 20 };

/// Milliseconds after which a run is displayed as running.
const PROGRESS_DELAY_MS: u32 = 200;

/// The code of functions that the user approved.
pub type Approved = Rc<BTreeSet<String>>;

/// Whether a function may run: the user approved it, or it belongs to an example.
pub(super) fn may_run(code: &str, approved: &Approved) -> bool {
    let of_ops = ops::all().flat_map(OpDef::host_examples).flat_map(|example| example.functions);
    let of_documents =
        documents::entries().flat_map(|entry| entry.examples).flat_map(|example| example.functions);
    approved.contains(code) || of_ops.chain(of_documents).any(|(_, example_code)| *example_code == code)
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

/// The inputs of a run: the experiment, the language of its errors, and the number of reruns.
type Job = (Rc<Experiment>, Language, u64);

/// The run of an experiment that needs host or devices; `None` for others. A run that calls no functions of the user has
/// ended on return, any other continues in the background.
#[hook]
pub fn use_host(session: &Session, context: &Context, needs: &Needs, approved: &Approved) -> Option<HostRun> {
    let found = use_state(|| None::<(Job, Rc<State>)>);
    let rerun_count = use_state_eq(|| 0_u64);
    let task = use_mut_ref(|| None::<Task>);
    // View settings do not affect the run.
    let mut experiment =
        Experiment { cursor: 0, leaf: 0, focus: String::new(), ..session.experiment().clone() };
    experiment.environment.selected_replica = 0;
    let experiment = use_memo(experiment, Clone::clone);
    let needs_host = needs.requires_simulation();
    let is_readable = session.is_readable();
    let (has_functions, module) = (!needs.functions.is_empty(), session.module().clone());
    let immediate = {
        let module = module.clone();
        use_memo(
            (experiment.clone(), needs_host && !has_functions && is_readable),
            move |(experiment, runs)| {
                runs.then(|| Rc::new(to_state(run_without_functions(experiment, &module, LIMITS))))
            },
        )
    };
    let mut functions = needs.functions.iter().filter_map(|name| experiment.environment.functions.get(name));
    let needs_approval = functions.any(|code| !may_run(code, approved));
    let job: Job = (experiment.clone(), context.language, *rerun_count);
    {
        let (found, task) = (found.setter(), task.clone());
        use_effect_with(
            (job.clone(), needs_host && has_functions && !needs_approval && is_readable),
            move |(job, runs)| {
                *task.borrow_mut() = runs.then(|| {
                    let job = job.clone();
                    Task::spawn(async move {
                        let progress_timer = {
                            let (found, job) = (found.clone(), job.clone());
                            Timeout::new(PROGRESS_DELAY_MS, move || {
                                found.set(Some((job, Rc::new(State::Running { shows_progress: true }))));
                            })
                        };
                        let pending_calls = Rc::new(Cell::new(0));
                        let (experiment, language, _) = &job;
                        let host = || {
                            sandbox::host(*language, experiment.environment.functions.iter(), &pending_calls)
                        };
                        let state = to_state(
                            run(experiment, &module, LIMITS, host, || pending_calls.get() > 0).await,
                        );
                        drop(progress_timer);
                        found.set(Some((job, Rc::new(state))));
                    })
                });
                move || drop(task.borrow_mut().take())
            },
        );
    }
    let awaiting_approval = use_memo((), |()| State::AwaitingApproval);
    let unreadable = use_memo((), |()| State::Unreadable);
    let running = use_memo((), |()| State::Running { shows_progress: false });
    let cancel = {
        let (found, job) = (found.setter(), job.clone());
        Callback::from(move |()| {
            drop(task.borrow_mut().take());
            found.set(Some((job.clone(), Rc::new(State::Cancelled))));
        })
    };
    let rerun = Callback::from(move |()| rerun_count.set(*rerun_count + 1));
    // A single device without host goes to the worker if it exceeds the page's limits.
    let exceeds_budget = |state: &Rc<State>| matches!(&**state, State::Unfinished(unfinished) if unfinished.error().error.rule.starts_with("budget"));
    let exceeds_page_limits = needs.can_run_on_single_device(&session.experiment().environment)
        && (*immediate).as_ref().is_some_and(exceeds_budget);
    (needs_host && !exceeds_page_limits).then(|| {
        let background =
            (*found).as_ref().filter(|(of_job, _)| *of_job == job).map(|(_, state)| state.clone());
        let state = match (&*immediate, background) {
            _ if !is_readable => unreadable,
            (Some(state), _) => state.clone(),
            _ if needs_approval => awaiting_approval,
            (None, background) => background.unwrap_or(running),
        };
        HostRun { state, cancel, rerun }
    })
}

fn to_state(result: Result<ReplicaRun, UnfinishedRun>) -> State {
    match result {
        Ok(run) => State::Finished(Rc::new(run)),
        Err(unfinished) => State::Unfinished(unfinished),
    }
}
