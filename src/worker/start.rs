//! The page's side of every worker: starts one, checks that it is of the page's release, and says why where it does not start or
//! ends.
//!
//! Invariant: for every worker something is heard, at the latest after [`PATIENCE_S`] seconds: that it is ready, that it has not
//! answered yet, or why it ended.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use js_sys::{Array, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{Event, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::fetched::{self, Method};
use super::{files, hello};
use crate::cause::{Cause, Part};

/// Seconds after which a worker that has not answered is reported.
pub const PATIENCE_S: u32 = 10;

/// The files a worker is loaded from, in their order.
const FILES: [&str; 3] = [files::LOADER, "worker.js", "worker_bg.wasm"];

thread_local! {
    /// Workers that did not start in time. Firefox lets a request wait for an earlier one of the same address, even of a worker that
    /// was ended: the next worker is asked for by another address.
    static MISSED: Cell<u32> = const { Cell::new(0) };
}

/// The address of the worker's script.
fn address() -> String {
    let address = files::address(files::LOADER);
    match MISSED.get() {
        0 => address,
        missed => format!("{address}?again={missed}"),
    }
}

/// What is heard of a worker.
pub enum Heard {
    /// It takes requests.
    Ready,
    /// The data of a message.
    Message(JsValue),
    /// It has not answered yet, and still may.
    Late(Cause),
    /// It has ended, or never started. Nothing more is heard.
    Ended(Cause),
}

struct Inner {
    hear: Box<dyn Fn(Heard)>,
    is_ready: Cell<bool>,
    has_ended: Cell<bool>,
    late: RefCell<Option<Timeout>>,
}

impl Inner {
    /// Reports the end once, in a task of its own: whoever hears it drops the closure that called this.
    fn end(self: &Rc<Self>, cause: impl Future<Output = Cause> + 'static) {
        if self.has_ended.replace(true) {
            return;
        }
        let this = Rc::downgrade(self);
        spawn_local(async move {
            let cause = cause.await;
            if let Some(this) = this.upgrade() {
                this.late.take();
                (this.hear)(Heard::Ended(cause));
            }
        });
    }

    fn message(self: &Rc<Self>, data: JsValue) {
        if self.has_ended.get() {
            return;
        }
        if self.is_ready.get() {
            (self.hear)(Heard::Message(data));
            return;
        }
        let text = data.as_string().or_else(|| Array::from(&data).get(0).as_string());
        if hello::is_of(&text.unwrap_or_default(), files::release().as_deref()) {
            self.is_ready.set(true);
            self.late.take();
            (self.hear)(Heard::Ready);
        } else {
            self.end(async { Cause::OtherRelease });
        }
    }

    fn error(self: &Rc<Self>, event: &Event) {
        // The page says it; the console need not.
        event.prevent_default();
        let text = Reflect::get(event, &"message".into()).ok().and_then(|text| text.as_string());
        let text = text.unwrap_or_default();
        if self.is_ready.get() {
            self.end(async move { Cause::of_error(Part::Worker, &text) });
        } else {
            self.end(async move { not_started(&text).await });
        }
    }
}

/// A worker; dropping it ends it, in the middle of whatever it does, with the workers that it started.
pub struct Started {
    worker: Worker,
    inner: Rc<Inner>,
    _message: Closure<dyn FnMut(MessageEvent)>,
    _error: Closure<dyn FnMut(Event)>,
}

impl Drop for Started {
    fn drop(&mut self) {
        // What it still sends reaches nobody.
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
        self.inner.has_ended.set(true);
        self.inner.late.take();
    }
}

impl Started {
    /// Starts a worker of the kind that has this name. Errors: where the browser starts none.
    pub fn new(name: &str, hear: impl Fn(Heard) + 'static) -> Result<Self, Cause> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        options.set_name(name);
        let worker = Worker::new_with_options(&address(), &options).map_err(|_| Cause::NotAllowed)?;
        let inner = Rc::new(Inner {
            hear: Box::new(hear),
            is_ready: Cell::default(),
            has_ended: Cell::default(),
            late: RefCell::default(),
        });
        let late = {
            let this = Rc::downgrade(&inner);
            Timeout::new(PATIENCE_S * 1_000, move || {
                if let Some(this) = this.upgrade()
                    && !this.has_ended.get()
                {
                    MISSED.set(MISSED.get().wrapping_add(1));
                    (this.hear)(Heard::Late(Cause::TimedOut(PATIENCE_S)));
                }
            })
        };
        inner.late.replace(Some(late));
        let message = {
            let this = Rc::downgrade(&inner);
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                if let Some(this) = this.upgrade() {
                    this.message(event.data());
                }
            })
        };
        let error = {
            let this = Rc::downgrade(&inner);
            Closure::<dyn FnMut(Event)>::new(move |event: Event| {
                if let Some(this) = this.upgrade() {
                    this.error(&event);
                }
            })
        };
        worker.set_onmessage(Some(message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(error.as_ref().unchecked_ref()));
        Ok(Self { worker, inner, _message: message, _error: error })
    }

    /// Whether it takes requests.
    pub fn is_ready(&self) -> bool {
        self.inner.is_ready.get()
    }

    /// Sends a text. Errors: where the browser does not take it.
    pub fn send(&self, text: &str) -> Result<(), Cause> {
        self.worker.post_message(&text.into()).map_err(|_| Cause::Ended)
    }
}

/// Why a worker did not start, of which the browser says no more than this text, if anything: looks at its files.
async fn not_started(text: &str) -> Cause {
    for name in FILES {
        if let Err(cause) = fetched::response(&files::address(name), Method::Head).await {
            return cause;
        }
    }
    match Cause::of_error(Part::Worker, text) {
        Cause::Ended => Cause::Damaged,
        cause => cause,
    }
}
