//! The iterations of the selected loop, and the player's current iteration.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use js_sys::Date;
use yew::prelude::*;

use super::attributes::SharedModule;
use crate::hlo::{InstructionId, Limits};
use crate::state::experiment::Experiment;
use crate::state::experiment::run::iterations::{LoopRecord, LoopTrace, is_loop, iterations};
use crate::state::experiment::run::summary::element_summaries;

/// The limits of the run on the page that observes the loop: a few milliseconds.
const OBSERVATION_LIMITS: Limits = Limits { steps: 400_000, bytes: 16 << 20 };

/// The time limit of that run. The iterations observed so far are displayed until the experiment's run has finished.
const PAGE_RUN_MS: f64 = 20.0;

/// Converts a count to the player's type.
pub fn as_cell(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// The iterations of a loop.
#[derive(Clone, PartialEq)]
pub struct LoopPlay {
    /// The loop-carried values; `None` if observing them would call a user's function again.
    pub iterations: Option<Rc<LoopRecord>>,
    /// The index of the current iteration.
    pub current: usize,
    /// Moves to an iteration.
    pub move_to: Callback<i64>,
    /// Whether the iterations are those of the previous loop, until this one has been observed.
    pub is_busy: bool,
}

impl LoopPlay {
    /// The values that the player steps through, and the current one; `None` if there is a single one.
    pub fn cells(&self) -> Option<(i64, i64)> {
        let count =
            self.iterations.as_ref().map(|iterations| iterations.states.len()).filter(|count| *count > 1)?;
        Some((as_cell(count), as_cell(self.current)))
    }
}

/// The iterations of the selected instruction; `None` if it is not a loop. `recorded` are those recorded by the experiment's
/// run, once that has finished.
#[hook]
pub fn use_loop(
    experiment: &Rc<Experiment>,
    module: SharedModule,
    focus: InstructionId,
    recorded: Option<Rc<LoopRecord>>,
) -> Option<LoopPlay> {
    let run = experiment.without_view();
    let key = (module, focus);
    let is_loop = use_memo(key.clone(), |(module, focus)| is_loop(&module.0, *focus));
    let found = use_state(|| None::<((SharedModule, InstructionId), Option<Rc<LoopRecord>>)>);
    {
        let (found, observes) = (found.setter(), *is_loop && recorded.is_none());
        use_effect_with((run, key.clone(), observes), move |(experiment, key, observes)| {
            let (experiment, key) = (experiment.clone(), key.clone());
            // In a separate task, since the experiment has just run in this one.
            let timer = observes.then(|| {
                Timeout::new(0, move || {
                    let deadline = Date::now() + PAGE_RUN_MS;
                    let is_over = || Date::now() >= deadline;
                    let trace = iterations(
                        &experiment,
                        &key.0.0,
                        key.1,
                        (OBSERVATION_LIMITS, &is_over),
                        element_summaries,
                    );
                    found.set(trace.map(|trace| match trace {
                        LoopTrace::Recorded(found) => (key, Some(Rc::new(found))),
                        LoopTrace::NeedsHostCall => (key, None),
                    }));
                })
            });
            move || drop(timer)
        });
    }
    let current = use_state_eq(|| 0_usize);
    {
        // Another loop starts at its first iteration.
        let current = current.setter();
        use_effect_with(key.clone(), move |_| current.set(0));
    }
    let move_to = {
        let current = current.setter();
        use_callback((), move |iteration: i64, ()| current.set(usize::try_from(iteration).unwrap_or(0)))
    };
    let observed = (*found).as_ref().filter(|_| *is_loop);
    let is_busy = recorded.is_none() && observed.is_some_and(|(observed_loop, _)| *observed_loop != key);
    let iterations = match (recorded.filter(|_| *is_loop), observed) {
        (Some(recorded), _) => Some(recorded),
        (None, Some((_, found))) => found.clone(),
        (None, None) => return None,
    };
    let current = (*current).min(iterations.as_ref().map_or(0, |iterations| iterations.count()));
    Some(LoopPlay { iterations, current, move_to, is_busy })
}
