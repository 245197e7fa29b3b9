//! The serving side of a channel: a worker of one service. It handles no cancellation: a cancelled worker is
//! terminated.

use std::marker::PhantomData;
use std::rc::Rc;

use js_sys::Array;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::frame::{Body, Frame, Kind};
use super::{Buffers, Service, hello};
use crate::worker::site::files;

/// The global scope of this worker; `None` on a page.
pub fn scope() -> Option<DedicatedWorkerGlobalScope> {
    js_sys::global().dyn_into().ok()
}

/// A request and its context.
pub struct Call<S: Service> {
    /// The body of the request.
    pub request: S::Request,
    /// The buffers that were sent with the request.
    pub buffers: Buffers,
    /// Whether this worker must not start others.
    pub spawn_disabled: bool,
    /// Reports progress to the sender.
    pub reporter: Reporter<S>,
}

/// Reports progress on a request.
pub struct Reporter<S: Service> {
    id: u64,
    service: PhantomData<S>,
}

impl<S: Service> Clone for Reporter<S> {
    fn clone(&self) -> Self {
        Self { id: self.id, service: PhantomData }
    }
}

impl<S: Service> Reporter<S> {
    /// Sends a progress report.
    pub fn report(&self, progress: &S::Progress) {
        send_body(Kind::Progress(self.id), progress, &Buffers::default());
    }
}

/// The reply to a request and its buffers; `None` if the request is malformed.
pub type Response<S> = Option<(<S as Service>::Reply, Buffers)>;

/// Handles requests with `handle` if this worker was started for the service `S`; returns whether it was.
pub fn serve<S: Service, F: Future<Output = Response<S>> + 'static>(
    handle: impl Fn(Call<S>) -> F + 'static,
) -> bool {
    let Some(scope) = scope().filter(|scope| scope.name() == S::NAME) else { return false };
    let handle = Rc::new(handle);
    let listener = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let Some((id, call)) = parse_call::<S>(&event.data()) else { return reject() };
        let handle = handle.clone();
        spawn_local(async move {
            match handle(call).await {
                Some((reply, buffers)) => send_body(Kind::Reply(id), &reply, &buffers),
                None => reject(),
            }
        });
    });
    scope.set_onmessage(Some(listener.as_ref().unchecked_ref()));
    // The listener lives as long as the worker.
    listener.forget();
    post(&hello::hello(files::release()).into(), &Array::new());
    true
}

/// Starts workers, announcing it to the page, whose timeout detects a worker that blocks in `start`.
pub fn announce_workers<T>(start: impl FnOnce() -> T) -> T {
    send(Kind::StartingWorkers, "", &Buffers::default());
    let started = start();
    send(Kind::StartedWorkers, "", &Buffers::default());
    started
}

/// Parses a request and its id.
fn parse_call<S: Service>(data: &JsValue) -> Option<(u64, Call<S>)> {
    let message = data.dyn_ref::<Array>()?;
    let text = message.get(0).as_string()?;
    let frame = Frame::from_text(&text).ok()?;
    let Kind::Request { id, spawn_disabled } = frame.kind else { return None };
    let request = S::Request::from_text(frame.body)?;
    let reporter = Reporter { id, service: PhantomData };
    Some((id, Call { request, buffers: Buffers::from_message(message), spawn_disabled, reporter }))
}

fn reject() {
    send(Kind::Rejected, "", &Buffers::default());
}

fn send_body(kind: Kind, body: &impl Body, buffers: &Buffers) {
    match body.to_text() {
        Some(body) => send(kind, &body, buffers),
        None => reject(),
    }
}

fn send(kind: Kind, body: &str, buffers: &Buffers) {
    let (message, transfer) = buffers.message(&Frame::new(kind, body).to_text());
    post(&message, transfer);
}

fn post(message: &JsValue, transfer: &Array) {
    if let Some(scope) = scope()
        && let Err(error) = scope.post_message_with_transfer(message, transfer)
    {
        report_uncaught(&error);
    }
}

/// Reports an error as uncaught, which is the only remaining way to reach the sender. Thrown in an asynchronous task, it would only
/// be an unhandled rejection, which does not leave the worker.
fn report_uncaught(error: &JsValue) {
    let report = js_sys::Reflect::get(&js_sys::global(), &"reportError".into());
    match report.ok().and_then(|report| report.dyn_into::<js_sys::Function>().ok()) {
        Some(report) => drop(report.call1(&JsValue::UNDEFINED, error)),
        None => wasm_bindgen::throw_val(error.clone()),
    }
}
