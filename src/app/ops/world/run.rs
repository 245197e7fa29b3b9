//! Runs an experiment in its world while the page goes on, and again whenever it changes.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Poll, Waker};

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::sandbox;
use crate::app::context::Context;
use crate::hlo::Limits;
use crate::ops::{self, OpDef};
use crate::state::experiment::Experiment;
use crate::state::experiment::outside_run::{OutsideRun, Stuck, run};
use crate::state::experiment::session::Session;
use crate::state::experiment::world::Needs;

/// How a run in the world outside stands.
pub enum State {
    /// A function waits for the visitor's word.
    Held,
    /// It runs.
    Running,
    /// It came to its end.
    Ran(Rc<OutsideRun>),
    /// It did not.
    Stuck(Stuck),
}

/// A run and what it is of; compared by identity.
#[derive(Clone)]
pub struct WorldRun {
    of: Rc<Experiment>,
    /// How it stands.
    pub state: Rc<State>,
}

impl PartialEq for WorldRun {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.state, &other.state)
    }
}

/// Texts of functions that the visitor let run.
pub type Approved = Rc<BTreeSet<String>>;

/// Whether a function may run: the visitor said so, or it is one of the examples'.
fn may_run(code: &str, approved: &Approved) -> bool {
    approved.contains(code)
        || ops::all().flat_map(OpDef::staged).any(|s| s.functions.iter().any(|(_, own)| *own == code))
}

/// Ends its task when it is dropped.
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

/// The run of an experiment that needs a world outside; `None` for those that do not.
#[hook]
pub fn use_world(
    session: &Session,
    context: &Context,
    needs: &Needs,
    approved: &Approved,
    limits: Limits,
) -> Option<WorldRun> {
    let found = use_state(|| None::<WorldRun>);
    let experiment = session.experiment();
    let is_outside = needs.are_outside(&experiment.world);
    // What is looked at changes nothing that is run.
    let mut of = Experiment { cursor: 0, leaf: 0, focus: String::new(), ..experiment.clone() };
    of.world.device = 0;
    let held = needs.functions.iter().filter_map(|name| of.world.functions.get(name));
    let is_held = held.into_iter().any(|code| !may_run(code, approved));
    {
        let (found, module, language) = (found.setter(), session.module().clone(), context.language);
        use_effect_with(
            (of.clone(), is_outside, is_held, language),
            move |(of, is_outside, is_held, language)| {
                let (of, language) = (Rc::new(of.clone()), *language);
                let tell = move |of: &Rc<Experiment>, state| {
                    found.set(Some(WorldRun { of: of.clone(), state: Rc::new(state) }));
                };
                let mut task = None;
                if *is_outside && *is_held {
                    tell(&of, State::Held);
                } else if *is_outside {
                    task = Some(Task::spawn(async move {
                        let under_way = Rc::new(Cell::new(0));
                        let host = || sandbox::host(language, of.world.functions.iter(), &under_way);
                        let result = run(&of, &module, limits, host, || under_way.get() > 0).await;
                        tell(
                            &of,
                            match result {
                                Ok(run) => State::Ran(Rc::new(run)),
                                Err(stuck) => State::Stuck(stuck),
                            },
                        );
                    }));
                }
                move || drop(task)
            },
        );
    }
    let running = use_memo((), |()| WorldRun { of: Rc::default(), state: Rc::new(State::Running) });
    is_outside.then(|| {
        // The last result stays until the next is there, but not beside another text.
        let known = (*found).clone().filter(|known| known.of.text == of.text);
        let known = known.filter(|known| is_held || !matches!(*known.state, State::Held));
        known.unwrap_or_else(|| (*running).clone())
    })
}
