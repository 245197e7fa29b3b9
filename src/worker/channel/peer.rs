//! The side of a worker that asks another worker, which it started: one request at a time, and no reply awaited for ever.

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::rc::Rc;

use js_sys::{Array, Function, Promise};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::connection::{Connection, Signal};
use super::frame::{Body, Frame, Kind};
use super::{Parts, Service};
use crate::worker::site::files;

/// A signal that is awaited.
type Awaited = Rc<RefCell<Option<Function>>>;

/// A worker of a service. Dropping it terminates the worker.
pub struct Peer<S: Service> {
    connection: Connection,
    awaited: Awaited,
    handshake: Promise,
    /// The number of the newest request.
    number: Cell<u64>,
    service: PhantomData<S>,
}

/// A promise of the next signal.
fn next(awaited: &Awaited) -> Promise {
    Promise::new(&mut |resolve, _| {
        awaited.replace(Some(resolve));
    })
}

/// A reply under way.
pub struct Pending<S: Service> {
    reply: Promise,
    number: u64,
    service: PhantomData<S>,
}

impl<S: Service> Pending<S> {
    /// The reply, with the memory beside it; `None` where it does not come within so many milliseconds, or is another.
    pub async fn within(self, milliseconds: u32) -> Option<(S::Reply, Parts)> {
        let message: Array = within(self.reply, milliseconds).await?.dyn_into().ok()?;
        let text = message.get(0).as_string()?;
        let frame = Frame::of_text(&text).ok().filter(|frame| frame.kind == Kind::Reply(self.number))?;
        Some((S::Reply::of_text(frame.body)?, Parts::received(&message)))
    }
}

impl<S: Service> Peer<S> {
    /// Starts a worker; `None` where the browser starts none.
    pub fn start() -> Option<Self> {
        let awaited = Awaited::default();
        let observe = {
            let awaited = awaited.clone();
            move |signal| {
                let value = match signal {
                    Signal::Frame(frame, parts) => parts.message(&frame).0.into(),
                    Signal::Ready | Signal::OtherRelease | Signal::Failed(_) => JsValue::UNDEFINED,
                };
                if let Some(resolve) = awaited.take() {
                    // What a promise's resolve function returns says nothing.
                    let _ = resolve.call1(&JsValue::UNDEFINED, &value);
                }
            }
        };
        let handshake = next(&awaited);
        let connection = Connection::open(S::NAME, &files::address(files::LOADER), observe).ok()?;
        Some(Self { connection, awaited, handshake, number: Cell::default(), service: PhantomData })
    }

    /// Whether it has started, and not failed since.
    pub fn is_ready(&self) -> bool {
        self.connection.is_ready()
    }

    /// Settles once it is ready, or has ended.
    pub fn handshake(&self) -> Promise {
        self.handshake.clone()
    }

    /// Sends a request; `None` where the browser does not take it.
    pub fn ask(&self, request: &S::Request, parts: &Parts) -> Option<Pending<S>> {
        let number = self.number.get() + 1;
        self.number.set(number);
        let body = request.to_text()?;
        let reply = next(&self.awaited);
        // A worker of a worker starts no others.
        let kind = Kind::Request { number, is_alone: true };
        self.connection.post(&Frame::new(kind, &body).to_text(), parts).ok()?;
        Some(Pending { reply, number, service: PhantomData })
    }
}

/// Waits for a promise for at most so many milliseconds: a browser may never start a worker, nor report that it does not.
pub async fn within(promise: Promise, milliseconds: u32) -> Option<JsValue> {
    let mut timer = None;
    let late = Promise::new(&mut |resolve, _| {
        // What a promise's resolve function returns says nothing.
        let end = move || drop(resolve.call0(&JsValue::UNDEFINED));
        timer = Some(gloo::timers::callback::Timeout::new(milliseconds, end));
    });
    let settled = JsFuture::from(Promise::race(&Array::of2(&promise, &late))).await.ok();
    drop(timer);
    settled
}
