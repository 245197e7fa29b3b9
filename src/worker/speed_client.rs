//! The page's side of measuring: a worker a measurement, ended with it, in the middle of whatever it does.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Event, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::client::STUCK;
use super::files;
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
    _inner: Rc<Inner>,
}

struct Inner {
    job: Job,
    tell: Box<dyn Fn(News)>,
    running: RefCell<Option<Running>>,
}

/// A worker and what it listens with.
struct Running {
    worker: Worker,
    /// Runs while it starts others.
    stuck: Option<Timeout>,
    _message: Closure<dyn FnMut(MessageEvent)>,
    _error: Closure<dyn FnMut(Event)>,
}

impl Drop for Running {
    fn drop(&mut self) {
        // What it still sends reaches nobody. Workers that it started end with it.
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

/// Starts a measurement; `None` where there are no workers, as in a frame without an origin.
pub fn measure(job: Job, tell: impl Fn(News) + 'static) -> Option<Measuring> {
    let inner = Rc::new(Inner { job, tell: Box::new(tell), running: RefCell::default() });
    let is_alone = inner.job.is_alone;
    Inner::start(&inner, is_alone).then_some(Measuring { _inner: inner })
}

impl Inner {
    /// Starts a worker in place of the one that may be there; says whether there is one.
    fn start(this: &Rc<Self>, is_alone: bool) -> bool {
        let running = Self::spawn(this, is_alone);
        let is_there = running.is_some();
        *this.running.borrow_mut() = running;
        is_there
    }

    fn spawn(this: &Rc<Self>, is_alone: bool) -> Option<Running> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        options.set_name(NAME);
        let worker = Worker::new_with_options(&files::address(files::LOADER), &options).ok()?;
        let message = {
            let this = Rc::downgrade(this);
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                if let Some(this) = this.upgrade() {
                    Self::heard(&this, read(&event.data().as_string().unwrap_or_default()), is_alone);
                }
            })
        };
        let error = {
            let this = Rc::downgrade(this);
            Closure::<dyn FnMut(Event)>::new(move |event: Event| {
                // The page tells of it; the console need not.
                event.prevent_default();
                if let Some(this) = this.upgrade() {
                    (this.tell)(News::Died);
                }
            })
        };
        worker.set_onmessage(Some(message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(error.as_ref().unchecked_ref()));
        Some(Running { worker, stuck: None, _message: message, _error: error })
    }

    fn heard(this: &Rc<Self>, reply: Option<Reply>, is_alone: bool) {
        match reply {
            Some(Reply::Ready) => {
                let job = header(Job { is_alone, ..this.job.clone() });
                let sent =
                    this.running.borrow().as_ref().map(|running| running.worker.post_message(&job.into()));
                if !matches!(sent, Some(Ok(()))) {
                    (this.tell)(News::Died);
                }
            }
            Some(Reply::Starts(is_ahead)) => {
                let watch = || {
                    let this = Rc::downgrade(this);
                    // The timer is dropped with the worker: not while it runs.
                    Timeout::new(STUCK, move || spawn_local(async move { Self::is_stuck(this.upgrade()) }))
                };
                if let Some(running) = this.running.borrow_mut().as_mut() {
                    running.stuck = is_ahead.then(watch);
                }
            }
            Some(Reply::Refused) | None => (this.tell)(News::OtherVersion),
            Some(reply) => (this.tell)(News::Reply(reply)),
        }
    }

    /// The worker waits for ever for others to start: another one, which starts none, measures all.
    fn is_stuck(this: Option<Rc<Self>>) {
        if let Some(this) = this
            && !Self::start(&this, true)
        {
            (this.tell)(News::Died);
        }
    }
}
