//! The page's side of evaluation.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use gloo::timers::callback::Timeout;
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_futures::spawn_local;

use super::event::JobEvent;
use super::transfer::expected_arrays;
use super::wire::{Done, Evaluation, Job, Reply};
use crate::array::ArrayLiteral;
use crate::array::literal::LiteralError;
use crate::array::literal::raw::LiteralReceiver;
use crate::cause::Cause;
use crate::worker::channel::Buffers;
use crate::worker::channel::client::{Client, Event};

/// Maximum number of bytes of an array copied before yielding to the page, so that it stays responsive.
const CHUNK_BYTES: usize = 1 << 21;

/// The evaluation worker: one job at a time.
#[derive(Clone)]
pub struct Evaluations {
    client: Client<Evaluation>,
    /// The id of the newest job; 0 if there is none.
    newest: Rc<Cell<u64>>,
}

impl Evaluations {
    /// A client without a worker yet. `on_event` receives the events of the newest job, with its id.
    pub fn new(on_event: impl Fn(u64, JobEvent) + 'static) -> Self {
        let newest = Rc::<Cell<u64>>::default();
        let on_event = Rc::new(on_event);
        let client = {
            let newest = newest.clone();
            Client::new(move |id, event| {
                let event = match event {
                    Event::Progress(progress) => JobEvent::Progress(progress),
                    Event::Reply(Reply::Failed(failure), _) => JobEvent::Failed(failure),
                    Event::StartDelayed(cause) => JobEvent::StartDelayed(cause),
                    Event::Ended(cause) => JobEvent::Ended(cause),
                    Event::Reply(Reply::Done(done), buffers) => {
                        let (newest, on_event) = (newest.clone(), on_event.clone());
                        return spawn_local(async move {
                            let is_newest = || newest.get() == id;
                            let arrays = receive_arrays(&done, &buffers, is_newest).await;
                            if is_newest() {
                                on_event(
                                    id,
                                    match arrays {
                                        Some(Ok(arrays)) => JobEvent::Done(Box::new(done), arrays),
                                        Some(Err(error)) => JobEvent::TooLarge(error),
                                        None => JobEvent::Ended(Cause::ReleaseMismatch),
                                    },
                                );
                            }
                        });
                    }
                };
                on_event(id, event);
            })
        };
        Self { client, newest }
    }

    /// Runs a job and cancels the previous one. The id must be new, and not 0.
    pub fn start(&self, id: u64, job: &Job) {
        self.newest.set(id);
        self.client.send(id, job);
    }

    /// Starts the worker once the browser is idle, so that its code and the kernels are loaded and compiled before
    /// the first job. Dropping the result cancels this.
    pub fn warm_when_idle(&self) -> Idle {
        let client = self.client.clone();
        Idle::schedule(move || client.start())
    }

    /// Cancels the current job, wherever it is; it yields no more events.
    pub fn stop(&self) {
        self.newest.set(0);
        self.client.cancel();
    }
}

/// The arrays of a reply, copied chunk by chunk; `None` if the reply is malformed or no longer awaited.
async fn receive_arrays(
    done: &Done,
    buffers: &Buffers,
    is_awaited: impl Fn() -> bool,
) -> Option<Result<Vec<Arc<ArrayLiteral>>, LiteralError>> {
    let mut arrays = Vec::new();
    let mut bytes_since_yield = 0;
    for (id, expected) in (0..).zip(expected_arrays(done)?) {
        let bytes: Uint8Array = buffers.get(id).dyn_into().ok()?;
        let mut receiver = match LiteralReceiver::new(expected.shape) {
            Ok(receiver) => receiver,
            Err(error) => return Some(Err(error)),
        };
        let (mut start, byte_length) = (0, usize::try_from(bytes.byte_length()).ok()?);
        while start < byte_length {
            let end = (start + CHUNK_BYTES).min(byte_length);
            let chunk = bytes.subarray(u32::try_from(start).ok()?, u32::try_from(end).ok()?);
            receiver.push(&chunk.to_vec());
            bytes_since_yield += end - start;
            start = end;
            if bytes_since_yield >= CHUNK_BYTES {
                bytes_since_yield = 0;
                gloo::timers::future::TimeoutFuture::new(0).await;
                if !is_awaited() {
                    return None;
                }
            }
        }
        match receiver.finish() {
            Ok(array) => arrays.push(array),
            Err(error) => return Some(Err(error)),
        }
    }
    Some(Ok(arrays))
}

/// Milliseconds after which the page counts as idle in browsers without `requestIdleCallback`.
const IDLE_FALLBACK_MS: u32 = 3_000;

/// A callback for when the browser is idle; dropping it cancels it.
pub struct Idle {
    /// The browser's handle of the callback.
    id: Option<u32>,
    _timer: Option<Timeout>,
    _callback: Closure<dyn FnMut()>,
}

impl Idle {
    fn schedule(callback: impl FnOnce() + 'static) -> Self {
        let callback = Rc::new(Cell::new(Some(callback)));
        let once = {
            let callback = callback.clone();
            move || callback.take().into_iter().for_each(|callback| callback())
        };
        let closure = Closure::<dyn FnMut()>::new(once.clone());
        let window = web_sys::window();
        let id = window
            .filter(|window| Reflect::has(window, &"requestIdleCallback".into()) == Ok(true))
            .and_then(|window| window.request_idle_callback(closure.as_ref().unchecked_ref()).ok());
        let timer = id.is_none().then(|| Timeout::new(IDLE_FALLBACK_MS, once));
        Self { id, _timer: timer, _callback: closure }
    }
}

impl Drop for Idle {
    fn drop(&mut self) {
        if let Some((window, id)) = web_sys::window().zip(self.id) {
            window.cancel_idle_callback(id);
        }
    }
}
