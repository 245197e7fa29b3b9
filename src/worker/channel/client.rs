//! The page's side of a channel: a worker that is kept from request to request, terminated where a request is cancelled, and
//! started again when it is needed.
//!
//! Invariant: for every request something is heard, at the latest after [`START_SECONDS`] seconds without a worker: progress, the
//! reply, that the worker is late, or why it ended. Nothing is heard of a request that is no longer the newest, and nothing
//! before [`Client::ask`] returns.

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use wasm_bindgen_futures::spawn_local;

use super::connection::{Connection, Signal};
use super::frame::{Body, Frame, Kind};
use super::{Parts, Service};
use crate::cause::{Cause, Part};
use crate::worker::site::fetch::{self, Method};
use crate::worker::site::files;

/// Seconds after which a worker that has not answered the handshake is reported.
pub const START_SECONDS: u32 = 10;

/// Milliseconds after which a worker that starts others is taken to be stuck: it is terminated, and one that starts none
/// serves its request.
///
/// A Firefox that is debugged (developer tools, an automated test) makes a worker wait in `new Worker` until the debugger
/// knows the new one; on a busy machine that signal now and then wakes the new worker instead, and the first waits for ever.
const STUCK_MILLISECONDS: u32 = 4_000;

/// The files a worker is loaded from, in their order.
const FILES: [&str; 3] = [files::LOADER, "worker.js", "worker_bg.wasm"];

thread_local! {
    /// Workers that did not start in time. Firefox lets a request wait for an earlier one of the same address, even of a worker that
    /// was terminated: the next worker is requested by another address.
    static LATE_STARTS: Cell<u32> = const { Cell::new(0) };
}

/// The address of the worker's script.
fn address() -> String {
    let address = files::address(files::LOADER);
    match LATE_STARTS.get() {
        0 => address,
        late => format!("{address}?again={late}"),
    }
}

/// What is heard of a request.
pub enum Event<S: Service> {
    /// It is under way.
    Progress(S::Progress),
    /// The reply, and the memory beside it.
    Reply(S::Reply, Parts),
    /// The worker has not started yet, and still may.
    Late(Cause),
    /// The worker has ended, or could not be started; the next request starts another.
    Ended(Cause),
}

/// What is heard of a request, its body not read yet.
enum Raw<'a> {
    Progress(&'a str),
    Reply(&'a str, Parts),
    Late(Cause),
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

/// All of a client that is the same for every service.
struct Inner {
    name: &'static str,
    /// Hears of the newest request, by its number. Answers whether it could read what it heard.
    hear: Box<dyn Fn(u64, Raw) -> bool>,
    worker: RefCell<Option<Running>>,
    /// The number of the newest request; 0 where there is none.
    newest: Cell<u64>,
    /// The body of that request, as long as its worker may become stuck.
    body: RefCell<Option<String>>,
    /// Whether workers start no others, since one became stuck.
    is_alone: Cell<bool>,
}

/// A worker, and what it does.
struct Running {
    connection: Connection,
    /// The frame that it gets once it is ready; `None` after that.
    waiting: Option<String>,
    is_busy: bool,
    /// Whether it has been reported as late.
    is_late: bool,
    /// Runs until it is ready.
    start: Option<Timeout>,
    /// Runs while it starts others.
    stuck: Option<Timeout>,
    /// Held as long as this worker is the client's.
    is_current: Rc<()>,
}

impl<S: Service> Client<S> {
    /// Without a worker yet. `hear` hears of the newest request, by its number.
    pub fn new(hear: impl Fn(u64, Event<S>) + 'static) -> Self {
        let hear = move |number, raw: Raw| {
            let event = match raw {
                Raw::Progress(body) => S::Progress::of_text(body).map(Event::Progress),
                Raw::Reply(body, parts) => S::Reply::of_text(body).map(|reply| Event::Reply(reply, parts)),
                Raw::Late(cause) => Some(Event::Late(cause)),
                Raw::Ended(cause) => Some(Event::Ended(cause)),
            };
            event.map(|event| hear(number, event)).is_some()
        };
        let inner = Inner {
            name: S::NAME,
            hear: Box::new(hear),
            worker: RefCell::default(),
            newest: Cell::default(),
            body: RefCell::default(),
            is_alone: Cell::default(),
        };
        Self { inner: Rc::new(inner), service: PhantomData }
    }

    /// Sends a request in place of the one that may be under way. The number must be new, and not 0.
    pub fn ask(&self, number: u64, request: &S::Request) {
        self.cancel();
        let inner = &self.inner;
        inner.newest.set(number);
        match request.to_text() {
            Some(body) => Inner::ask(inner, number, body),
            None => Inner::end_later(inner, Cause::OtherRelease),
        }
    }

    /// Starts the worker before the first request, if there is none.
    pub fn start(&self) {
        if self.inner.worker.borrow().is_none() {
            // Where it does not start the first request hears why.
            drop(Inner::spawn(&self.inner));
        }
    }

    /// Cancels the request that may be under way, wherever it is; nothing more is heard of it.
    pub fn cancel(&self) {
        self.inner.newest.set(0);
        self.inner.body.take();
        let mut slot = self.inner.worker.borrow_mut();
        let Some(running) = slot.as_mut().filter(|running| running.is_busy) else { return };
        running.is_busy = false;
        // One that is still loading has not begun.
        if running.waiting.take().is_none() {
            slot.take();
        }
    }
}

impl Inner {
    fn ask(this: &Rc<Self>, number: u64, body: String) {
        let is_alone = this.is_alone.get();
        // One that was late may never come: another attempt is another worker.
        this.worker.borrow_mut().take_if(|running| running.is_late && !running.connection.is_ready());
        let has_one = this.worker.borrow().is_some();
        let frame = Frame::new(Kind::Request { number, is_alone }, &body).to_text();
        this.body.replace((!is_alone).then_some(body));
        let sent = if has_one { Ok(()) } else { Self::spawn(this) }.and_then(|()| {
            let mut slot = this.worker.borrow_mut();
            let running = slot.as_mut().ok_or(Cause::Ended)?;
            running.is_busy = true;
            if running.connection.is_ready() {
                return running.connection.post(&frame, &Parts::default());
            }
            running.waiting = Some(frame);
            Ok(())
        });
        if let Err(cause) = sent {
            Self::end_later(this, cause);
        }
    }

    fn spawn(this: &Rc<Self>) -> Result<(), Cause> {
        let weak = Rc::downgrade(this);
        let connection = Connection::open(this.name, &address(), move |signal| {
            if let Some(this) = weak.upgrade() {
                Self::observe(&this, signal);
            }
        })?;
        let start = {
            let this = Rc::downgrade(this);
            Timeout::new(START_SECONDS * 1_000, move || this.upgrade().iter().for_each(|this| this.is_late()))
        };
        let running = Running {
            connection,
            waiting: None,
            is_busy: false,
            is_late: false,
            start: Some(start),
            stuck: None,
            is_current: Rc::default(),
        };
        this.worker.replace(Some(running));
        Ok(())
    }

    /// The worker goes, and the newest request hears why, in a task of its own: a closure of the worker may have called this.
    fn end_later(this: &Rc<Self>, cause: Cause) {
        let this = Rc::downgrade(this);
        spawn_local(async move {
            if let Some(this) = this.upgrade() {
                this.end(cause);
            }
        });
    }

    fn end(&self, cause: Cause) {
        self.worker.take();
        self.hear(self.newest.get(), Raw::Ended(cause));
    }

    /// Whether what was heard could be read. What is of an older request is not read.
    fn hear(&self, number: u64, raw: Raw) -> bool {
        number == 0 || number != self.newest.get() || (self.hear)(number, raw)
    }

    /// The worker did not start in time.
    fn is_late(&self) {
        LATE_STARTS.set(LATE_STARTS.get().wrapping_add(1));
        let is_awaited = self.worker.borrow_mut().as_mut().is_some_and(|running| {
            running.is_late = true;
            running.is_busy
        });
        if is_awaited {
            self.hear(self.newest.get(), Raw::Late(Cause::TimedOut(START_SECONDS)));
        }
    }

    fn observe(this: &Rc<Self>, signal: Signal) {
        match signal {
            Signal::Ready => {
                let sent = this.worker.borrow_mut().as_mut().map(|running| {
                    running.start.take();
                    let frame = running.waiting.take();
                    frame.map_or(Ok(()), |frame| running.connection.post(&frame, &Parts::default()))
                });
                if let Some(Err(cause)) = sent {
                    Self::end_later(this, cause);
                }
            }
            Signal::Frame(frame, parts) => {
                if !Self::receive(this, &frame, parts) {
                    Self::end_later(this, Cause::OtherRelease);
                }
            }
            Signal::OtherRelease => this.end(Cause::OtherRelease),
            Signal::Failed(text) => Self::failed(this, text),
        }
    }

    /// The worker raised an error with this text, or did not start.
    fn failed(this: &Rc<Self>, text: String) {
        let starting = this.worker.borrow_mut().as_mut().and_then(|running| {
            running.start.take();
            (!running.connection.was_ready()).then(|| Rc::downgrade(&running.is_current))
        });
        let Some(is_current) = starting else { return this.end(Cause::of_error(Part::Worker, &text)) };
        let this = Rc::downgrade(this);
        spawn_local(async move {
            let cause = not_started(&text).await;
            if let (Some(this), Some(_)) = (this.upgrade(), is_current.upgrade()) {
                this.end(cause);
            }
        });
    }

    /// Takes a frame; `false` where it makes no sense.
    fn receive(this: &Rc<Self>, frame: &str, parts: Parts) -> bool {
        let Ok(frame) = Frame::of_text(frame) else { return false };
        match frame.kind {
            Kind::Starting => {
                let timer = {
                    let this = Rc::downgrade(this);
                    Timeout::new(STUCK_MILLISECONDS, move || this.upgrade().iter().for_each(Self::is_stuck))
                };
                this.watch(Some(timer))
            }
            Kind::Started => this.watch(None),
            Kind::Progress(number) => this.hear(number, Raw::Progress(frame.body)),
            Kind::Reply(number) => {
                this.body.take();
                if let Some(running) = this.worker.borrow_mut().as_mut() {
                    running.is_busy = false;
                }
                this.hear(number, Raw::Reply(frame.body, parts))
            }
            Kind::Request { .. } | Kind::Refused => false,
        }
    }

    fn watch(&self, timer: Option<Timeout>) -> bool {
        if let Some(running) = self.worker.borrow_mut().as_mut() {
            running.stuck = timer;
        }
        true
    }

    /// The worker waits for ever for others to start: another one, which starts none, serves its request.
    fn is_stuck(this: &Rc<Self>) {
        this.is_alone.set(true);
        let this = Rc::downgrade(this);
        // The timer is dropped with the worker: not while it runs.
        spawn_local(async move {
            let Some(this) = this.upgrade() else { return };
            if let Some(body) = this.body.take() {
                this.worker.take();
                Self::ask(&this, this.newest.get(), body);
            }
        });
    }
}

/// Why a worker did not start, of which the browser says no more than this text, if anything: tries its files.
async fn not_started(text: &str) -> Cause {
    for name in FILES {
        if let Err(cause) = fetch::response(&files::address(name), Method::Head).await {
            return cause;
        }
    }
    match Cause::of_error(Part::Worker, text) {
        Cause::Ended => Cause::Damaged,
        cause => cause,
    }
}
