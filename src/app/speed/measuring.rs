//! The page's state of measurements: their status, and the results of each view.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use crate::cause::Cause;
use crate::state::speed::measurement::Observation;
use crate::state::speed::report::{Machine, browser};
use crate::state::speed::results::Results;
use crate::state::speed::{Setup, View, link};
use crate::worker::channel::client::Client;
use crate::worker::speed::client::{MeasurementEvent, measure};
use crate::worker::speed::wire::{Job, Measurement};

/// Milliseconds between two redraws while measuring: drawing disturbs the measurement.
const REDRAW_INTERVAL_MS: u32 = 250;

/// The status of a measurement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum MeasurementStatus {
    /// None was started.
    #[default]
    Idle,
    /// Samples are being taken.
    Running,
    /// All samples are taken.
    Done,
    /// The user stopped it.
    Stopped,
    /// The worker has not started yet, but still may.
    StartDelayed(Cause),
    /// The worker has ended, or could not be started.
    Ended(Cause),
}

/// The displayed measurements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeasurementState {
    /// The status of the newest one.
    pub status: MeasurementStatus,
    /// The newest results of each view.
    pub results: Vec<Rc<Results>>,
}

impl MeasurementState {
    /// The results of a view.
    pub fn results_of(&self, view: View) -> Option<&Rc<Results>> {
        self.results.iter().find(|results| results.setup.view == view)
    }
}

/// A change of the displayed measurements.
pub enum MeasurementAction {
    /// Sets the status.
    SetStatus(MeasurementStatus),
    /// Replaces the results of a view.
    SetResults(Rc<Results>),
}

impl Reducible for MeasurementState {
    type Action = MeasurementAction;

    fn reduce(self: Rc<Self>, action: MeasurementAction) -> Rc<Self> {
        let mut next = (*self).clone();
        match action {
            MeasurementAction::SetStatus(status) => next.status = status,
            MeasurementAction::SetResults(results) => {
                next.results.retain(|old| old.setup.view != results.setup.view);
                next.results.push(results);
            }
        }
        Rc::new(next)
    }
}

/// A running measurement and its results so far.
struct Running {
    /// Dropping it terminates the worker.
    _worker: Client<Measurement>,
    results: RefCell<Results>,
    /// Whether a redraw is scheduled.
    has_pending_redraw: Cell<bool>,
}

/// The displayed measurements, and callbacks that start and stop one.
#[derive(Clone)]
pub struct Measurements {
    /// The displayed measurements.
    pub state: UseReducerHandle<MeasurementState>,
    /// Starts a measurement and cancels a running one.
    pub start: Callback<Setup>,
    /// Stops the measurement.
    pub stop: Callback<()>,
}

/// The browser and its number of logical processors.
pub fn machine() -> Machine {
    let navigator = gloo::utils::window().navigator();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
    let cores = navigator.hardware_concurrency().clamp(1.0, 1024.0) as u32;
    Machine { cores, browser: browser(&navigator.user_agent().unwrap_or_default()) }
}

/// The measurements of this page.
#[hook]
pub fn use_measurements() -> Measurements {
    let state = use_reducer(MeasurementState::default);
    let running_slot = use_mut_ref(|| None::<Rc<Running>>);
    let start = {
        let (dispatcher, running_slot) = (state.dispatcher(), running_slot.clone());
        use_callback((), move |setup: Setup, ()| {
            running_slot.borrow_mut().take();
            dispatcher.dispatch(MeasurementAction::SetStatus(MeasurementStatus::Running));
            dispatcher.dispatch(MeasurementAction::SetResults(Rc::new(Results::new(setup.clone()))));
            let job = Job { setup: link::write(&setup), cores: machine().cores };
            let running = Rc::new_cyclic(|this: &std::rc::Weak<Running>| {
                let (this, dispatcher) = (this.clone(), dispatcher.clone());
                let on_event = move |event| {
                    let Some(running) = this.upgrade() else { return };
                    let show_results = || {
                        dispatcher.dispatch(MeasurementAction::SetResults(Rc::new(
                            running.results.borrow().clone(),
                        )));
                    };
                    match event {
                        MeasurementEvent::Done => {
                            show_results();
                            dispatcher.dispatch(MeasurementAction::SetStatus(MeasurementStatus::Done));
                        }
                        MeasurementEvent::Observed(observation) => {
                            // A worker whose start was delayed has started.
                            if matches!(observation, Observation::CaseCount(_)) {
                                dispatcher.dispatch(MeasurementAction::SetStatus(MeasurementStatus::Running));
                            }
                            running.results.borrow_mut().observe(observation);
                            if !running.has_pending_redraw.replace(true) {
                                let (this, dispatcher) = (this.clone(), dispatcher.clone());
                                let redraw = move || {
                                    let Some(running) = this.upgrade() else { return };
                                    running.has_pending_redraw.set(false);
                                    dispatcher.dispatch(MeasurementAction::SetResults(Rc::new(
                                        running.results.borrow().clone(),
                                    )));
                                };
                                Timeout::new(REDRAW_INTERVAL_MS, redraw).forget();
                            }
                        }
                        MeasurementEvent::StartDelayed(cause) => {
                            dispatcher.dispatch(MeasurementAction::SetStatus(
                                MeasurementStatus::StartDelayed(cause),
                            ));
                        }
                        MeasurementEvent::Ended(cause) => {
                            dispatcher
                                .dispatch(MeasurementAction::SetStatus(MeasurementStatus::Ended(cause)));
                        }
                    }
                };
                let results = RefCell::new(Results::new(setup));
                Running { _worker: measure(&job, on_event), results, has_pending_redraw: Cell::default() }
            });
            *running_slot.borrow_mut() = Some(running);
        })
    };
    let stop = {
        let (dispatcher, running_slot) = (state.dispatcher(), running_slot);
        use_callback((), move |(), ()| {
            if let Some(running) = running_slot.borrow_mut().take() {
                dispatcher.dispatch(MeasurementAction::SetResults(Rc::new(running.results.borrow().clone())));
            }
            dispatcher.dispatch(MeasurementAction::SetStatus(MeasurementStatus::Stopped));
        })
    };
    Measurements { state, start, stop }
}
