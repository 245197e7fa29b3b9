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

/// The status of a run with a simulated host or several devices.
pub enum State {
    /// A parameter value is malformed: nothing runs.
    InvalidArguments,
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

/// A run and its controls; compared by the identity of its state.
#[derive(Clone)]
pub struct HostRun {
    /// The current status.
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

/// The limits of a run for all replicas together: it runs on the main thread.
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
struct Task(Rc<RefCell<TaskState>>);

/// The state that a task shares with its future.
#[derive(Default)]
struct TaskState {
    is_cancelled: bool,
    waker: Option<Waker>,
}

impl Task {
    fn spawn(future: impl Future<Output = ()> + 'static) -> Self {
        let state = Rc::new(RefCell::new(TaskState::default()));
        let shared = state.clone();
        let mut future: Option<Pin<Box<dyn Future<Output = ()>>>> = Some(Box::pin(future));
        spawn_local(poll_fn(move |context| {
            {
                let mut state = shared.borrow_mut();
                state.waker = Some(context.waker().clone());
                if state.is_cancelled {
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
            state.is_cancelled = true;
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// The inputs of a run: the experiment, the language of its errors, and the number of reruns.
type Job = (Rc<Experiment>, Language, u64);

/// The run of an experiment that needs a simulated host or several devices; `None` for others. A run without user functions
/// finishes before this returns; any other continues in the background.
#[hook]
pub fn use_host_run(
    session: &Session,
    context: &Context,
    needs: &Needs,
    approved: &Approved,
) -> Option<HostRun> {
    let background_state = use_state(|| None::<(Job, Rc<State>)>);
    let rerun_count = use_state_eq(|| 0_u64);
    let task = use_mut_ref(|| None::<Task>);
    // View settings do not affect the run.
    let mut experiment = session.experiment().without_view();
    experiment.environment.selected_replica = 0;
    let experiment = use_memo(experiment, Clone::clone);
    let needs_simulation = needs.requires_simulation();
    let can_run = session.can_run();
    let (has_functions, module) = (!needs.functions.is_empty(), session.module().clone());
    let immediate = {
        let module = module.clone();
        use_memo(
            (experiment.clone(), needs_simulation && !has_functions && can_run),
            move |(experiment, should_run)| {
                should_run.then(|| Rc::new(to_state(run_without_functions(experiment, &module, LIMITS))))
            },
        )
    };
    let mut functions = needs.functions.iter().filter_map(|name| experiment.environment.functions.get(name));
    let needs_approval = functions.any(|code| !may_run(code, approved));
    let job: Job = (experiment.clone(), context.language, *rerun_count);
    {
        let (background_state, task) = (background_state.setter(), task.clone());
        use_effect_with(
            (job.clone(), needs_simulation && has_functions && !needs_approval && can_run),
            move |(job, should_run)| {
                *task.borrow_mut() = should_run.then(|| {
                    let job = job.clone();
                    Task::spawn(async move {
                        let progress_timer = {
                            let (background_state, job) = (background_state.clone(), job.clone());
                            Timeout::new(PROGRESS_DELAY_MS, move || {
                                background_state
                                    .set(Some((job, Rc::new(State::Running { shows_progress: true }))));
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
                        background_state.set(Some((job, Rc::new(state))));
                    })
                });
                move || drop(task.borrow_mut().take())
            },
        );
    }
    let awaiting_approval = use_memo((), |()| State::AwaitingApproval);
    let invalid_arguments = use_memo((), |()| State::InvalidArguments);
    let running = use_memo((), |()| State::Running { shows_progress: false });
    let cancel = {
        let (background_state, job) = (background_state.setter(), job.clone());
        Callback::from(move |()| {
            drop(task.borrow_mut().take());
            background_state.set(Some((job.clone(), Rc::new(State::Cancelled))));
        })
    };
    let rerun = Callback::from(move |()| rerun_count.set(*rerun_count + 1));
    // An experiment that needs no simulation after all runs in the worker if it exceeds the limits of the main thread.
    let exceeds_budget = |state: &Rc<State>| matches!(&**state, State::Unfinished(unfinished) if unfinished.error().error.rule.starts_with("budget"));
    let exceeds_page_limits = needs.can_run_on_single_device(&session.experiment().environment)
        && (*immediate).as_ref().is_some_and(exceeds_budget);
    (needs_simulation && !exceeds_page_limits).then(|| {
        let background =
            (*background_state).as_ref().filter(|(of_job, _)| *of_job == job).map(|(_, state)| state.clone());
        let state = match (&*immediate, background) {
            _ if !can_run => invalid_arguments,
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
