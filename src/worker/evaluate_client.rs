//! The page's side of evaluation: one worker that is kept from job to job, ended where a job is to stop at once, and
//! started again when it is needed.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use js_sys::{Array, Reflect, Uint8Array};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;

use super::client::STUCK;
use super::evaluate_service::NAME;
use super::evaluation::expected;
use super::messages::{Done, Failure, Job, Progress, Reply, Request, header, read};
use super::start::{Heard, Started};
use crate::array::ArrayLiteral;
use crate::array::literal::LiteralError;
use crate::array::literal::raw::Filling;
use crate::cause::Cause;

/// What a job comes to.
pub enum News {
    /// It is under way.
    Progress(Progress),
    /// It has ended with values; the arrays have arrived.
    Done(Box<Done>, Vec<std::sync::Arc<ArrayLiteral>>),
    /// It has ended without.
    Failed(Failure),
    /// Its values do not fit in the page.
    TooLarge(LiteralError),
    /// The worker has not started yet, and still may.
    Late(Cause),
    /// The worker has ended, or could not be started; the next job starts another.
    Ended(Cause),
}

/// The most bytes of an array that are taken over before the page does something else.
const PART: usize = 1 << 21;

type Tell = Rc<dyn Fn(u64, News)>;

/// The evaluator: at most one job at a time.
#[derive(Clone)]
pub struct Evaluations(Rc<Inner>);

struct Inner {
    tell: Tell,
    running: RefCell<Option<Running>>,
    /// The newest job; news of others is dropped.
    epoch: Cell<u64>,
    /// That job, as long as its worker may become stuck.
    job: RefCell<Option<Job>>,
    /// Whether workers start no others, since one became stuck.
    is_alone: Cell<bool>,
}

/// A worker, and what it does.
struct Running {
    worker: Started,
    /// What it is asked once it says that it is there; `None` after that.
    waiting: Option<String>,
    is_busy: bool,
    /// Whether it has been reported as late.
    is_late: bool,
    /// Runs while it starts others.
    stuck: Option<Timeout>,
}

impl Evaluations {
    /// Without a worker yet. `tell` hears of the newest job, by its epoch.
    pub fn new(tell: impl Fn(u64, News) + 'static) -> Self {
        Self(Rc::new(Inner {
            tell: Rc::new(tell),
            running: RefCell::default(),
            epoch: Cell::default(),
            job: RefCell::default(),
            is_alone: Cell::default(),
        }))
    }

    /// Runs a job in place of the one that may be running. The epoch must be a new one.
    pub fn start(&self, mut job: Job) {
        self.stop();
        let inner = &self.0;
        job.is_alone = inner.is_alone.get();
        inner.epoch.set(job.epoch);
        *inner.job.borrow_mut() = (!job.is_alone).then(|| job.clone());
        // One that was late may never come: another attempt is another worker.
        inner.running.borrow_mut().take_if(|running| running.is_late && !running.worker.is_ready());
        let has_one = inner.running.borrow().is_some();
        let request = header(&Request::Run(job));
        let sent = if has_one { Ok(()) } else { Inner::spawn(inner) }.and_then(|()| {
            let mut slot = inner.running.borrow_mut();
            let running = slot.as_mut().ok_or(Cause::Ended)?;
            running.is_busy = true;
            if running.worker.is_ready() {
                return running.worker.send(&request);
            }
            running.waiting = Some(request);
            Ok(())
        });
        if let Err(cause) = sent {
            Inner::ended(inner, cause);
        }
    }

    /// Starts the worker once the browser has nothing else to do, so that its code and the kernels are there, and have
    /// run, before the first job. Dropping what it answers gives that up.
    pub fn warm_when_idle(&self) -> Idle {
        let inner = Rc::downgrade(&self.0);
        Idle::wait(move || {
            if let Some(inner) = inner.upgrade()
                && inner.running.borrow().is_none()
            {
                // Where it does not start the first job hears why.
                drop(Inner::spawn(&inner));
            }
        })
    }

    /// Ends the job that may be running, wherever it is; nothing more is heard of it.
    pub fn stop(&self) {
        self.0.epoch.set(0);
        self.0.job.take();
        let mut slot = self.0.running.borrow_mut();
        let Some(running) = slot.as_mut().filter(|running| running.is_busy) else { return };
        running.is_busy = false;
        // One that is still loading has not begun.
        if running.waiting.take().is_none() {
            slot.take();
        }
    }
}

/// Milliseconds until the page is taken to be idle, where the browser does not say.
const SETTLED: u32 = 3_000;

/// What is done when the browser is idle; not at all where it is dropped before.
pub struct Idle {
    /// The browser's number of it.
    number: Option<u32>,
    _timer: Option<Timeout>,
    _then: Closure<dyn FnMut()>,
}

impl Idle {
    fn wait(then: impl FnOnce() + 'static) -> Self {
        let then = Rc::new(Cell::new(Some(then)));
        let once = {
            let then = then.clone();
            move || then.take().into_iter().for_each(|then| then())
        };
        let closure = Closure::<dyn FnMut()>::new(once.clone());
        let window = web_sys::window();
        let number = window
            .filter(|window| Reflect::has(window, &"requestIdleCallback".into()) == Ok(true))
            .and_then(|window| window.request_idle_callback(closure.as_ref().unchecked_ref()).ok());
        let timer = number.is_none().then(|| Timeout::new(SETTLED, once));
        Self { number, _timer: timer, _then: closure }
    }
}

impl Drop for Idle {
    fn drop(&mut self) {
        if let Some((window, number)) = web_sys::window().zip(self.number) {
            window.cancel_idle_callback(number);
        }
    }
}

impl Inner {
    fn spawn(this: &Rc<Self>) -> Result<(), Cause> {
        let weak = Rc::downgrade(this);
        let worker = Started::new(NAME, move |heard| {
            if let Some(this) = weak.upgrade() {
                Self::heard(&this, heard);
            }
        })?;
        let running = Running { worker, waiting: None, is_busy: false, is_late: false, stuck: None };
        this.running.replace(Some(running));
        Ok(())
    }

    /// The worker goes, and the newest job hears why.
    fn ended(this: &Rc<Self>, cause: Cause) {
        this.running.take();
        this.news(this.epoch.get(), News::Ended(cause));
    }

    fn news(&self, epoch: u64, news: News) {
        if epoch != 0 && epoch == self.epoch.get() {
            (self.tell)(epoch, news);
        }
    }

    fn heard(this: &Rc<Self>, heard: Heard) {
        match heard {
            Heard::Ready => {
                let sent = this.running.borrow_mut().as_mut().map(|running| {
                    let request = running.waiting.take();
                    request.map_or(Ok(()), |request| running.worker.send(&request))
                });
                if let Some(Err(cause)) = sent {
                    let this = this.clone();
                    spawn_local(async move { Self::ended(&this, cause) });
                }
            }
            Heard::Message(data) => Self::told(this, &data),
            Heard::Late(cause) => {
                let waits = this.running.borrow_mut().as_mut().is_some_and(|running| {
                    running.is_late = true;
                    running.is_busy
                });
                if waits {
                    this.news(this.epoch.get(), News::Late(cause));
                }
            }
            Heard::Ended(cause) => Self::ended(this, cause),
        }
    }

    fn told(this: &Rc<Self>, data: &JsValue) {
        let parts = Array::from(data);
        let header = parts.get(0).as_string().unwrap_or_default();
        match read::<Reply>(&header) {
            Ok(Reply::Starts(is_ahead)) => {
                let watch = || {
                    let this = Rc::downgrade(this);
                    Timeout::new(STUCK, move || this.upgrade().iter().for_each(Self::is_stuck))
                };
                if let Some(running) = this.running.borrow_mut().as_mut() {
                    running.stuck = is_ahead.then(watch);
                }
            }
            Ok(Reply::Progress(progress)) => this.news(progress.epoch, News::Progress(progress)),
            Ok(Reply::Failed { epoch, failure }) => {
                this.rests();
                this.news(epoch, News::Failed(failure));
            }
            Ok(Reply::Done(done)) => {
                this.rests();
                let this = this.clone();
                spawn_local(async move {
                    let epoch = done.epoch;
                    match this.take_over(&done, &parts).await {
                        Some(Ok(arrays)) => this.news(epoch, News::Done(Box::new(done), arrays)),
                        Some(Err(error)) => this.news(epoch, News::TooLarge(error)),
                        None => this.news(epoch, News::Ended(Cause::OtherRelease)),
                    }
                });
            }
            Ok(Reply::Refused) | Err(_) => {
                let this = this.clone();
                spawn_local(async move { Self::ended(&this, Cause::OtherRelease) });
            }
        }
    }

    /// The worker waits for ever for others to start: another one, which starts none, does its job.
    fn is_stuck(this: &Rc<Self>) {
        this.is_alone.set(true);
        if let Some(job) = this.job.take() {
            let this = Evaluations(this.clone());
            // The timer is dropped with the worker: not while it runs.
            spawn_local(async move { this.start(job) });
        }
    }

    fn rests(&self) {
        self.job.take();
        if let Some(running) = self.running.borrow_mut().as_mut() {
            running.is_busy = false;
        }
    }

    /// The arrays beside a header, part by part; what nobody waits for any more is left. `None` where the answer
    /// makes no sense.
    async fn take_over(
        &self,
        done: &Done,
        parts: &Array,
    ) -> Option<Result<Vec<std::sync::Arc<ArrayLiteral>>, LiteralError>> {
        let mut arrays = Vec::new();
        let mut since_pause = 0;
        for (number, of) in (1..).zip(expected(done)?) {
            let bytes: Uint8Array = parts.get(number).dyn_into().ok()?;
            let mut filling = match Filling::new(of.shape) {
                Ok(filling) => filling,
                Err(error) => return Some(Err(error)),
            };
            let (mut at, length) = (0, usize::try_from(bytes.length()).ok()?);
            while at < length {
                let end = (at + PART).min(length);
                let part = bytes.subarray(u32::try_from(at).ok()?, u32::try_from(end).ok()?);
                filling.push(&part.to_vec());
                since_pause += end - at;
                at = end;
                if since_pause >= PART {
                    since_pause = 0;
                    gloo::timers::future::TimeoutFuture::new(0).await;
                    if self.epoch.get() != done.epoch {
                        return None;
                    }
                }
            }
            match filling.end() {
                Ok(array) => arrays.push(array),
                Err(error) => return Some(Err(error)),
            }
        }
        Some(Ok(arrays))
    }
}
