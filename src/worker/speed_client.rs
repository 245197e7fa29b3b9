//! The page's side of measuring: a worker a measurement, ended with it, in the middle of whatever it does.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use wasm_bindgen_futures::spawn_local;

use super::client::STUCK;
use super::speed_messages::{Job, Reply, header, read};
use super::speed_service::NAME;
use super::start::{Heard, Started};
use crate::cause::Cause;

/// What is heard of a measurement.
pub enum News {
    /// The worker tells something.
    Reply(Reply),
    /// It has not started yet, and still may.
    Late(Cause),
    /// It has ended, or could not be started.
    Ended(Cause),
}

/// A measurement under way; dropping it ends it.
pub struct Measuring {
    _inner: Rc<Inner>,
}

struct Inner {
    job: Job,
    tell: Box<dyn Fn(News)>,
    is_alone: Cell<bool>,
    running: RefCell<Option<Started>>,
    /// Runs while the worker starts others.
    stuck: RefCell<Option<Timeout>>,
}

/// Starts a measurement. Errors: where there are no workers, as in a frame without an origin.
pub fn measure(job: Job, tell: impl Fn(News) + 'static) -> Result<Measuring, Cause> {
    let is_alone = Cell::new(job.is_alone);
    let inner = Rc::new(Inner {
        job,
        tell: Box::new(tell),
        is_alone,
        running: RefCell::default(),
        stuck: RefCell::default(),
    });
    Inner::start(&inner)?;
    Ok(Measuring { _inner: inner })
}

impl Inner {
    /// Starts a worker in place of the one that may be there.
    fn start(this: &Rc<Self>) -> Result<(), Cause> {
        this.stuck.take();
        this.running.take();
        let weak = Rc::downgrade(this);
        let started = Started::new(NAME, move |heard| {
            if let Some(this) = weak.upgrade() {
                Self::heard(&this, heard);
            }
        })?;
        this.running.replace(Some(started));
        Ok(())
    }

    fn heard(this: &Rc<Self>, heard: Heard) {
        let data = match heard {
            Heard::Ready => {
                let job = header(Job { is_alone: this.is_alone.get(), ..this.job.clone() });
                let sent = this.running.borrow().as_ref().map(|running| running.send(&job));
                if let Some(Err(cause)) = sent {
                    (this.tell)(News::Ended(cause));
                }
                return;
            }
            Heard::Late(cause) => return (this.tell)(News::Late(cause)),
            Heard::Ended(cause) => {
                this.stuck.take();
                this.running.take();
                return (this.tell)(News::Ended(cause));
            }
            Heard::Message(data) => data,
        };
        match read(&data.as_string().unwrap_or_default()) {
            Some(Reply::Starts(is_ahead)) => {
                let watch = || {
                    let this = Rc::downgrade(this);
                    // The timer is dropped with the worker: not while it runs.
                    Timeout::new(STUCK, move || spawn_local(async move { Self::is_stuck(this.upgrade()) }))
                };
                this.stuck.replace(is_ahead.then(watch));
            }
            Some(Reply::Refused) | None => (this.tell)(News::Ended(Cause::OtherRelease)),
            Some(reply) => (this.tell)(News::Reply(reply)),
        }
    }

    /// The worker waits for ever for others to start: another one, which starts none, measures all.
    fn is_stuck(this: Option<Rc<Self>>) {
        if let Some(this) = this {
            this.is_alone.set(true);
            if let Err(cause) = Self::start(&this) {
                (this.tell)(News::Ended(cause));
            }
        }
    }
}
