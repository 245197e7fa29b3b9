//! The page's side of measuring: a worker a measurement, ended with it, in the middle of whatever it does.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Event, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::client::LOADER;
use super::speed_messages::{Job, Reply, header, read};
use super::speed_service::NAME;

/// What is heard of a measurement.
pub enum News {
    /// The worker tells something.
    Reply(Reply),
    /// It has ended, or could not be started.
    Died,
    /// Page and worker are of different ages.
    OtherVersion,
}

/// A measurement under way; dropping it ends it.
pub struct Measuring {
    worker: Worker,
    _message: Closure<dyn FnMut(MessageEvent)>,
    _error: Closure<dyn FnMut(Event)>,
}

impl Drop for Measuring {
    fn drop(&mut self) {
        // What it still sends reaches nobody. Workers that it started end with it.
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

/// Starts a measurement; `None` where there are no workers, as in a frame without an origin.
pub fn measure(job: Job, tell: impl Fn(News) + 'static) -> Option<Measuring> {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    options.set_name(NAME);
    let worker = Worker::new_with_options(LOADER, &options).ok()?;
    let tell = Rc::new(tell);
    let message = {
        let (tell, worker) = (tell.clone(), worker.clone());
        Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            match read::<Reply>(&event.data().as_string().unwrap_or_default()) {
                Some(Reply::Ready) => {
                    if worker.post_message(&header(&job).into()).is_err() {
                        tell(News::Died);
                    }
                }
                Some(Reply::Refused) | None => tell(News::OtherVersion),
                Some(reply) => tell(News::Reply(reply)),
            }
        })
    };
    let error = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
        // The page tells of it; the console need not.
        event.prevent_default();
        tell(News::Died);
    });
    worker.set_onmessage(Some(message.as_ref().unchecked_ref()));
    worker.set_onerror(Some(error.as_ref().unchecked_ref()));
    Some(Measuring { worker, _message: message, _error: error })
}
