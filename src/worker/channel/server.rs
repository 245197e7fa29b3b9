//! The side of a channel that answers: a worker of one service. It is never asked to stop: a cancelled worker is terminated.

use std::marker::PhantomData;
use std::rc::Rc;

use js_sys::Array;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::frame::{Body, Frame, Kind};
use super::{Parts, Service, hello};
use crate::worker::site::files;

/// The global scope of this worker; `None` on a page.
pub fn scope() -> Option<DedicatedWorkerGlobalScope> {
    js_sys::global().dyn_into().ok()
}

/// A request, and whom to report to.
pub struct Call<S: Service> {
    /// What is asked.
    pub request: S::Request,
    /// The memory beside it.
    pub parts: Parts,
    /// Whether this worker must not start others.
    pub is_alone: bool,
    /// Whom to report progress to.
    pub reporter: Reporter<S>,
}

/// Reports progress on a request.
pub struct Reporter<S: Service> {
    number: u64,
    service: PhantomData<S>,
}

impl<S: Service> Clone for Reporter<S> {
    fn clone(&self) -> Self {
        Self { number: self.number, service: PhantomData }
    }
}

impl<S: Service> Reporter<S> {
    /// Reports progress.
    pub fn report(&self, progress: &S::Progress) {
        send_body(Kind::Progress(self.number), progress, &Parts::default());
    }
}

/// The reply to a request and the memory beside it; `None` where the request makes no sense.
pub type Answer<S> = Option<(<S as Service>::Reply, Parts)>;

/// Answers requests from now on, if this worker was started for this service, and says whether it was.
pub fn serve<S: Service, F: Future<Output = Answer<S>> + 'static>(
    handle: impl Fn(Call<S>) -> F + 'static,
) -> bool {
    let Some(scope) = scope().filter(|scope| scope.name() == S::NAME) else { return false };
    let handle = Rc::new(handle);
    let listener = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let Some((number, call)) = call::<S>(&event.data()) else { return refuse() };
        let handle = handle.clone();
        spawn_local(async move {
            match handle(call).await {
                Some((reply, parts)) => send_body(Kind::Reply(number), &reply, &parts),
                None => refuse(),
            }
        });
    });
    scope.set_onmessage(Some(listener.as_ref().unchecked_ref()));
    // It listens as long as the worker lives.
    listener.forget();
    post(&hello::hello(files::release()).into(), &Array::new());
    true
}

/// Starts workers; whoever started this one watches that it does not become stuck meanwhile.
pub fn announce_workers<T>(start: impl FnOnce() -> T) -> T {
    send(Kind::Starting, "", &Parts::default());
    let started = start();
    send(Kind::Started, "", &Parts::default());
    started
}

/// The request of a message, and its number.
fn call<S: Service>(data: &JsValue) -> Option<(u64, Call<S>)> {
    let message = data.dyn_ref::<Array>()?;
    let text = message.get(0).as_string()?;
    let frame = Frame::of_text(&text).ok()?;
    let Kind::Request { number, is_alone } = frame.kind else { return None };
    let request = S::Request::of_text(frame.body)?;
    let reporter = Reporter { number, service: PhantomData };
    Some((number, Call { request, parts: Parts::received(message), is_alone, reporter }))
}

fn refuse() {
    send(Kind::Refused, "", &Parts::default());
}

fn send_body(kind: Kind, body: &impl Body, parts: &Parts) {
    match body.to_text() {
        Some(body) => send(kind, &body, parts),
        None => refuse(),
    }
}

fn send(kind: Kind, body: &str, parts: &Parts) {
    let (message, transfer) = parts.message(&Frame::new(kind, body).to_text());
    post(&message, transfer);
}

fn post(message: &JsValue, transfer: &Array) {
    if let Some(scope) = scope()
        && let Err(error) = scope.post_message_with_transfer(message, transfer)
    {
        // An uncaught error is all that still reaches whoever started this worker.
        wasm_bindgen::throw_val(error);
    }
}
