//! The client of a worker that was started by another worker. Requests are handled in order, each with a timeout; several may be
//! under way.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::rc::Rc;

use js_sys::{Array, Function, Promise};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::connection::{Connection, Signal};
use super::frame::{Body, Frame, Kind};
use super::{Buffers, Service};
use crate::worker::site::files;

/// Resolve the promises of the next signals, in order.
type Resolvers = Rc<RefCell<VecDeque<Function>>>;

/// A worker of a service. Dropping it terminates the worker.
pub struct Peer<S: Service> {
    connection: Connection,
    resolvers: Resolvers,
    handshake: Promise,
    /// The id of the newest request.
    id: Cell<u64>,
    service: PhantomData<S>,
}

/// A promise of the signal after those that are awaited already.
fn next_signal(resolvers: &Resolvers) -> Promise {
    Promise::new(&mut |resolve, _| resolvers.borrow_mut().push_back(resolve))
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
        let resolvers = Resolvers::default();
        let observe = {
            let resolvers = resolvers.clone();
            move |signal| {
                let value = match signal {
                    Signal::Frame(frame, buffers) => buffers.message(&frame).0.into(),
                    Signal::Ready => JsValue::UNDEFINED,
                    Signal::Incompatible | Signal::Failed(_) => {
                        // No further signal follows.
                        for resolve in resolvers.take() {
                            let _ = resolve.call0(&JsValue::UNDEFINED);
                        }
                        return;
                    }
                };
                let next = resolvers.borrow_mut().pop_front();
                if let Some(resolve) = next {
                    // `resolve` returns undefined.
                    let _ = resolve.call1(&JsValue::UNDEFINED, &value);
                }
            }
        };
        let handshake = next_signal(&resolvers);
        let connection = Connection::start(S::NAME, &files::address(files::LOADER), observe).ok()?;
        Some(Self { connection, resolvers, handshake, id: Cell::default(), service: PhantomData })
    }

    /// Whether the handshake was completed and the worker has not ended.
    pub fn is_ready(&self) -> bool {
        self.connection.is_ready()
    }

    /// Resolves once the worker is ready or has ended.
    pub fn handshake(&self) -> Promise {
        self.handshake.clone()
    }

    /// Sends a request; `None` if the worker has ended or the browser cannot send it. The worker must be ready.
    pub fn send(&self, request: &S::Request, buffers: &Buffers) -> Option<Pending<S>> {
        if !self.is_ready() {
            return None;
        }
        let id = self.id.get() + 1;
        self.id.set(id);
        let body = request.to_text()?;
        let reply = next_signal(&self.resolvers);
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
