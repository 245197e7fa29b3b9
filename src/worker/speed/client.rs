//! The page's side of measuring.

use super::wire::{Job, Measurement};
use crate::cause::Cause;
use crate::state::speed::measurement::Observation;
use crate::worker::channel::client::{Client, Event};

/// An event of a measurement.
pub enum MeasurementEvent {
    /// A progress report.
    Observed(Observation),
    /// The measurement is complete.
    Done,
    /// The worker has not started yet, but still may.
    StartDelayed(Cause),
    /// The worker has ended, or could not be started.
    Ended(Cause),
}

/// Starts a measurement. Dropping the client cancels it at once.
pub fn measure(job: &Job, on_event: impl Fn(MeasurementEvent) + 'static) -> Client<Measurement> {
    let client = Client::<Measurement>::new(move |_, event| {
        on_event(match event {
            Event::Progress(observation) => observation
                .into_state()
                .map_or(MeasurementEvent::Ended(Cause::ReleaseMismatch), MeasurementEvent::Observed),
            Event::Reply(..) => MeasurementEvent::Done,
            Event::StartDelayed(cause) => MeasurementEvent::StartDelayed(cause),
            Event::Ended(cause) => MeasurementEvent::Ended(cause),
        });
    });
    client.send(1, job);
    client
}
