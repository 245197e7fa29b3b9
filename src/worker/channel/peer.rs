//! The client of a worker that was started by another worker: one request at a time, each with a timeout.

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::rc::Rc;

use js_sys::{Array, Function, Promise};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::connection::{Connection, Signal};
use super::frame::{Body, Frame, Kind};
use super::{Buffers, Service};
use crate::worker::site::files;

/// Resolves the promise of the next signal.
type Resolver = Rc<RefCell<Option<Function>>>;

/// A worker of a service. Dropping it terminates the worker.
pub struct Peer<S: Service> {
    connection: Connection,
    resolver: Resolver,
    handshake: Promise,
    /// The id of the newest request.
    id: Cell<u64>,
    service: PhantomData<S>,
}

/// A promise of the next signal.
fn next_signal(resolver: &Resolver) -> Promise {
    Promise::new(&mut |resolve, _| {
        resolver.replace(Some(resolve));
    })
}

/// A pending reply.
pub struct Pending<S: Service> {
    reply: Promise,
    id: u64,
    service: PhantomData<S>,
}

impl<S: Service> Pending<S> {
    /// Waits for the reply and its buffers; `None` if it does not arrive within `timeout_ms`, is malformed or belongs to
    /// another request.
    pub async fn wait(self, timeout_ms: u32) -> Option<(S::Reply, Buffers)> {
        let message: Array = with_timeout(self.reply, timeout_ms).await?.dyn_into().ok()?;
        let text = message.get(0).as_string()?;
        let frame = Frame::from_text(&text).ok().filter(|frame| frame.kind == Kind::Reply(self.id))?;
        Some((S::Reply::from_text(frame.body)?, Buffers::from_message(&message)))
    }
}

impl<S: Service> Peer<S> {
    /// Starts a worker; `None` if the browser refuses to.
    pub fn start() -> Option<Self> {
        let resolver = Resolver::default();
        let observe = {
            let resolver = resolver.clone();
            move |signal| {
                let value = match signal {
                    Signal::Frame(frame, buffers) => buffers.message(&frame).0.into(),
                    Signal::Ready | Signal::Incompatible | Signal::Failed(_) => JsValue::UNDEFINED,
                };
                if let Some(resolve) = resolver.take() {
                    // `resolve` returns undefined.
                    let _ = resolve.call1(&JsValue::UNDEFINED, &value);
                }
            }
        };
        let handshake = next_signal(&resolver);
        let connection = Connection::start(S::NAME, &files::address(files::LOADER), observe).ok()?;
        Some(Self { connection, resolver, handshake, id: Cell::default(), service: PhantomData })
    }

    /// Whether the handshake was completed and the worker has not ended.
    pub fn is_ready(&self) -> bool {
        self.connection.is_ready()
    }

    /// Resolves once the worker is ready or has ended.
    pub fn handshake(&self) -> Promise {
        self.handshake.clone()
    }

    /// Sends a request; `None` if the browser cannot send it.
    pub fn send(&self, request: &S::Request, buffers: &Buffers) -> Option<Pending<S>> {
        let id = self.id.get() + 1;
        self.id.set(id);
        let body = request.to_text()?;
        let reply = next_signal(&self.resolver);
        // Workers are nested one level deep at most.
        let kind = Kind::Request { id, spawn_disabled: true };
        self.connection.post(&Frame::new(kind, &body).to_text(), buffers).ok()?;
        Some(Pending { reply, id, service: PhantomData })
    }
}

/// Waits for a promise for at most `timeout_ms`: a browser may never start a worker, and never report that.
pub async fn with_timeout(promise: Promise, timeout_ms: u32) -> Option<JsValue> {
    let mut timer = None;
    let late = Promise::new(&mut |resolve, _| {
        // `resolve` returns undefined.
        let end = move || drop(resolve.call0(&JsValue::UNDEFINED));
        timer = Some(gloo::timers::callback::Timeout::new(timeout_ms, end));
    });
    let settled = JsFuture::from(Promise::race(&Array::of2(&promise, &late))).await.ok();
    drop(timer);
    settled
}
