//! The page's side of measuring.

use super::wire::{Job, Measurement};
use crate::cause::Cause;
use crate::state::speed::measurement::Observation;
use crate::worker::channel::client::{Client, Event};

/// What is heard of a measurement.
pub enum News {
    /// A step of it.
    Observed(Observation),
    /// All is measured.
    Done,
    /// The worker has not started yet, and still may.
    Late(Cause),
    /// The worker has ended, or could not be started.
    Ended(Cause),
}

/// Starts a measurement. Dropping the client cancels it, in the middle of whatever it does.
pub fn measure(job: &Job, hear: impl Fn(News) + 'static) -> Client<Measurement> {
    let client = Client::<Measurement>::new(move |_, event| {
        hear(match event {
            Event::Progress(observation) => {
                observation.into_state().map_or(News::Ended(Cause::OtherRelease), News::Observed)
            }
            Event::Reply(..) => News::Done,
            Event::Late(cause) => News::Late(cause),
            Event::Ended(cause) => News::Ended(cause),
        });
    });
    client.ask(1, job);
    client
}
