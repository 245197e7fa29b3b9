//! The page's side of a channel: a worker that is reused from request to request, terminated when a request is
//! cancelled, and restarted when it is needed again.
//!
//! Invariant: every request yields an event, at the latest after [`START_TIMEOUT_SECONDS`] without a worker:
//! progress, the reply, that the worker is late, or why it ended. Only the newest request yields events, and only
//! after [`Client::send`] has returned.

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use wasm_bindgen_futures::spawn_local;

use super::connection::{Connection, Signal};
use super::frame::{Body, Frame, Kind};
use super::{Buffers, Service};
use crate::cause::{Cause, Part};
use crate::worker::site::fetch::{self, Method};
use crate::worker::site::files;

/// Seconds after which a worker that has not answered the handshake is reported.
pub const START_TIMEOUT_SECONDS: u32 = 10;

/// Milliseconds after which a worker that starts others counts as stuck: it is terminated, and its request is sent to
/// a new one that must not start any. Starting workers takes milliseconds.
///
/// A Firefox under a debugger (developer tools, an automated test) blocks a worker in `new Worker` until the debugger
/// knows the new one; on a busy machine that signal sometimes resumes the new worker instead, and the first blocks
/// forever.
const SPAWN_TIMEOUT_MS: u32 = 4_000;

/// The files that a worker is loaded from, in load order.
const FILES: [&str; 3] = [files::LOADER, "worker.js", "worker_bg.wasm"];

thread_local! {
    /// Workers that did not start in time. Firefox queues a request after an earlier one of the same address, even
    /// one of a terminated worker; a query makes the address unique.
    static LATE_STARTS: Cell<u32> = const { Cell::new(0) };
}

/// The address of the worker's script, with a cache-busting query after a late start.
fn address() -> String {
    let address = files::address(files::LOADER);
    match LATE_STARTS.get() {
        0 => address,
        late => format!("{address}?again={late}"),
    }
}

/// An event of a request.
pub enum Event<S: Service> {
    /// Progress on the request.
    Progress(S::Progress),
    /// The reply and its transferred buffers.
    Reply(S::Reply, Buffers),
    /// The worker has not started yet, but still may.
    StartDelayed(Cause),
    /// The worker has ended, or could not be started; the next request starts another.
    Ended(Cause),
}

/// An event whose body is not parsed yet.
enum RawEvent<'a> {
    Progress(&'a str),
    Reply(&'a str, Buffers),
    StartDelayed(Cause),
    Ended(Cause),
}

/// A client of a service: at most one request at a time. Dropping it terminates its worker.
pub struct Client<S: Service> {
    inner: Rc<Inner>,
    service: PhantomData<S>,
}

impl<S: Service> Clone for Client<S> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), service: PhantomData }
    }
}

/// The part of a client that does not depend on the service.
struct Inner {
    name: &'static str,
    /// Handles an event of the newest request, given its id; returns whether the body could be parsed.
    on_event: Box<dyn Fn(u64, RawEvent) -> bool>,
    worker: RefCell<Option<Running>>,
    /// The id of the newest request; 0 if there is none.
    newest: Cell<u64>,
    /// That request, kept for a retry as long as its worker may become stuck.
    retry: RefCell<Option<Request>>,
    /// Whether workers must not start others, because one became stuck.
    spawn_disabled: Cell<bool>,
}

/// Makes the buffers of a request whenever it is sent: transferred buffers cannot be sent again.
pub type MakeBuffers = Rc<dyn Fn() -> Buffers>;

/// A request whose body is serialized.
struct Request {
    body: String,
    buffers: MakeBuffers,
}

/// A worker and the state of its request.
struct Running {
    connection: Connection,
    /// The frame to send after the handshake, and its buffers; `None` once it was sent.
    queued_frame: Option<(String, MakeBuffers)>,
    is_busy: bool,
    /// Whether it has been reported as delayed.
    is_start_delayed: bool,
    /// Fires unless the handshake completes in time.
    start_timer: Option<Timeout>,
    /// Fires unless the worker finishes starting others in time.
    spawn_timer: Option<Timeout>,
    /// Alive as long as this worker is the client's.
    alive: Rc<()>,
}

impl<S: Service> Client<S> {
    /// A client without a worker yet. `on_event` receives the events of the newest request, with its id.
    pub fn new(on_event: impl Fn(u64, Event<S>) + 'static) -> Self {
        let on_event = move |id, raw: RawEvent| {
            let event = match raw {
                RawEvent::Progress(body) => S::Progress::from_text(body).map(Event::Progress),
                RawEvent::Reply(body, buffers) => {
                    S::Reply::from_text(body).map(|reply| Event::Reply(reply, buffers))
                }
                RawEvent::StartDelayed(cause) => Some(Event::StartDelayed(cause)),
                RawEvent::Ended(cause) => Some(Event::Ended(cause)),
            };
            event.map(|event| on_event(id, event)).is_some()
        };
        let inner = Inner {
            name: S::NAME,
            on_event: Box::new(on_event),
            worker: RefCell::default(),
            newest: Cell::default(),
            retry: RefCell::default(),
            spawn_disabled: Cell::default(),
        };
        Self { inner: Rc::new(inner), service: PhantomData }
    }

    /// Sends a request and cancels the previous one. The id must be new, and not 0.
    pub fn send(&self, id: u64, request: &S::Request) {
        self.send_with(id, request, Rc::new(Buffers::default));
    }

    /// Like [`Self::send`], with buffers: a text as long as a program takes a second as JSON, and a millisecond as bytes.
    pub fn send_with(&self, id: u64, request: &S::Request, buffers: MakeBuffers) {
        self.cancel();
        let inner = &self.inner;
        inner.newest.set(id);
        match request.to_text() {
            Some(body) => Inner::send(inner, id, Request { body, buffers }),
            None => Inner::end_in_task(inner, Cause::ReleaseMismatch),
        }
    }

    /// Starts the worker before the first request, if there is none.
    pub fn start(&self) {
        if self.inner.worker.borrow().is_none() {
            // If it cannot be started, the first request reports why.
            drop(Inner::spawn(&self.inner));
        }
    }

    /// Cancels the current request, wherever it is; it yields no more events.
    pub fn cancel(&self) {
        self.inner.newest.set(0);
        self.inner.retry.take();
        let mut slot = self.inner.worker.borrow_mut();
        let Some(running) = slot.as_mut().filter(|running| running.is_busy) else { return };
        running.is_busy = false;
        // A worker that is still loading has not received the request: it can be kept.
        if running.queued_frame.take().is_none() {
            slot.take();
        }
    }
}

impl Inner {
    fn send(this: &Rc<Self>, id: u64, request: Request) {
        let spawn_disabled = this.spawn_disabled.get();
        // A late worker may never start: another attempt needs another worker.
        this.worker
            .borrow_mut()
            .take_if(|running| running.is_start_delayed && !running.connection.is_ready());
        let has_one = this.worker.borrow().is_some();
        let frame = Frame::new(Kind::Request { id, spawn_disabled }, &request.body).to_text();
        let buffers = request.buffers.clone();
        this.retry.replace((!spawn_disabled).then_some(request));
        let sent = if has_one { Ok(()) } else { Self::spawn(this) }.and_then(|()| {
            let mut slot = this.worker.borrow_mut();
            let running = slot.as_mut().ok_or(Cause::Unknown)?;
            running.is_busy = true;
            if running.connection.is_ready() {
                return running.connection.post(&frame, &buffers());
            }
            running.queued_frame = Some((frame, buffers));
            Ok(())
        });
        if let Err(cause) = sent {
            Self::end_in_task(this, cause);
        }
    }

    fn spawn(this: &Rc<Self>) -> Result<(), Cause> {
        let weak = Rc::downgrade(this);
        let connection = Connection::start(this.name, &address(), move |signal| {
            if let Some(this) = weak.upgrade() {
                Self::on_signal(&this, signal);
            }
        })?;
        let start_timer = {
            let this = Rc::downgrade(this);
            Timeout::new(START_TIMEOUT_SECONDS * 1_000, move || {
                this.upgrade().iter().for_each(|this| this.on_start_timeout());
            })
        };
        let running = Running {
            connection,
            queued_frame: None,
            is_busy: false,
            is_start_delayed: false,
            start_timer: Some(start_timer),
            spawn_timer: None,
            alive: Rc::default(),
        };
        this.worker.replace(Some(running));
        Ok(())
    }

    /// Drops the worker and reports why to the newest request, in a separate task: a closure of the worker may have
    /// called this.
    fn end_in_task(this: &Rc<Self>, cause: Cause) {
        let this = Rc::downgrade(this);
        spawn_local(async move {
            if let Some(this) = this.upgrade() {
                this.end(cause);
            }
        });
    }

    fn end(&self, cause: Cause) {
        self.worker.take();
        self.on_event(self.newest.get(), RawEvent::Ended(cause));
    }

    /// Forwards an event of the newest request; returns whether it could be parsed. Events of older requests are
    /// ignored.
    fn on_event(&self, id: u64, raw: RawEvent) -> bool {
        id == 0 || id != self.newest.get() || (self.on_event)(id, raw)
    }

    /// Called if the handshake did not complete in time.
    fn on_start_timeout(&self) {
        LATE_STARTS.set(LATE_STARTS.get().wrapping_add(1));
        let is_awaited = self.worker.borrow_mut().as_mut().is_some_and(|running| {
            running.is_start_delayed = true;
            running.is_busy
        });
        if is_awaited {
            self.on_event(self.newest.get(), RawEvent::StartDelayed(Cause::TimedOut(START_TIMEOUT_SECONDS)));
        }
    }

    fn on_signal(this: &Rc<Self>, signal: Signal) {
        match signal {
            Signal::Ready => {
                let sent = this.worker.borrow_mut().as_mut().map(|running| {
                    running.start_timer.take();
                    let frame = running.queued_frame.take();
                    frame.map_or(Ok(()), |(frame, buffers)| running.connection.post(&frame, &buffers()))
                });
                if let Some(Err(cause)) = sent {
                    Self::end_in_task(this, cause);
                }
            }
            Signal::Frame(frame, buffers) => {
                if !Self::receive(this, &frame, buffers) {
                    Self::end_in_task(this, Cause::ReleaseMismatch);
                }
            }
            Signal::Incompatible => this.end(Cause::ReleaseMismatch),
            Signal::Failed(text) => Self::on_error(this, text),
        }
    }

    /// Called if the worker raised an error with this text, or could not be loaded.
    fn on_error(this: &Rc<Self>, text: String) {
        let starting = this.worker.borrow_mut().as_mut().and_then(|running| {
            running.start_timer.take();
            (!running.connection.was_ready()).then(|| Rc::downgrade(&running.alive))
        });
        let Some(alive) = starting else { return this.end(Cause::of_error(Part::Worker, &text)) };
        let this = Rc::downgrade(this);
        spawn_local(async move {
            let cause = not_started(&text).await;
            if let (Some(this), Some(_)) = (this.upgrade(), alive.upgrade()) {
                this.end(cause);
            }
        });
    }

    /// Handles a frame; `false` if it is malformed.
    fn receive(this: &Rc<Self>, frame: &str, buffers: Buffers) -> bool {
        let Ok(frame) = Frame::from_text(frame) else { return false };
        match frame.kind {
            Kind::StartingWorkers => {
                let timer = {
                    let this = Rc::downgrade(this);
                    Timeout::new(SPAWN_TIMEOUT_MS, move || {
                        this.upgrade().iter().for_each(Self::on_spawn_timeout);
                    })
                };
                this.set_spawn_timer(Some(timer))
            }
            Kind::StartedWorkers => this.set_spawn_timer(None),
            Kind::Progress(id) => this.on_event(id, RawEvent::Progress(frame.body)),
            Kind::Reply(id) => {
                this.retry.take();
                if let Some(running) = this.worker.borrow_mut().as_mut() {
                    running.is_busy = false;
                }
                this.on_event(id, RawEvent::Reply(frame.body, buffers))
            }
            Kind::Request { .. } | Kind::Rejected => false,
        }
    }

    fn set_spawn_timer(&self, timer: Option<Timeout>) -> bool {
        if let Some(running) = self.worker.borrow_mut().as_mut() {
            running.spawn_timer = timer;
        }
        true
    }

    /// Called if the worker did not finish starting others in time: a new worker, which must not start any, gets its
    /// request.
    fn on_spawn_timeout(this: &Rc<Self>) {
        this.spawn_disabled.set(true);
        let this = Rc::downgrade(this);
        // A separate task: dropping the worker drops this timer, which must not happen while it runs.
        spawn_local(async move {
            let Some(this) = this.upgrade() else { return };
            if let Some(request) = this.retry.take() {
                this.worker.take();
                Self::send(&this, this.newest.get(), request);
            }
        });
    }
}

/// Why a worker could not be loaded. The browser reports at most this text, so its files are requested to find the
/// cause.
async fn not_started(text: &str) -> Cause {
    for name in FILES {
        if let Err(cause) = fetch::response(&files::address(name), Method::Head).await {
            return cause;
        }
    }
    match Cause::of_error(Part::Worker, text) {
        Cause::Unknown => Cause::Corrupt,
        cause => cause,
    }
}
