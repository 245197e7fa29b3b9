//! A started worker and its handshake.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::{Array, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{Event, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::Buffers;
use super::hello;
use crate::cause::Cause;
use crate::worker::site::files;

/// A signal of a worker.
pub enum Signal {
    /// It belongs to this release and accepts requests.
    Ready,
    /// A frame and its transferred buffers.
    Frame(String, Buffers),
    /// It belongs to another release, or sent a malformed message. The connection ignores it from now on.
    Incompatible,
    /// It raised an error with this text, or could not be loaded. The connection ignores it from now on.
    Failed(String),
}

struct State {
    on_signal: Box<dyn Fn(Signal)>,
    is_ready: Cell<bool>,
    has_ended: Cell<bool>,
}

impl State {
    /// Signals the end once, in a separate task: the observer drops the closure that called this.
    fn end(self: &Rc<Self>, signal: Signal) {
        if self.has_ended.replace(true) {
            return;
        }
        let this = Rc::downgrade(self);
        spawn_local(async move {
            if let Some(this) = this.upgrade() {
                (this.on_signal)(signal);
            }
        });
    }

    fn on_message(self: &Rc<Self>, data: &JsValue) {
        if self.has_ended.get() {
            return;
        }
        if !self.is_ready.get() {
            let is_same_release = data
                .as_string()
                .is_some_and(|text| hello::is_from_release(&text, files::release().as_deref()));
            if is_same_release {
                self.is_ready.set(true);
                (self.on_signal)(Signal::Ready);
            } else {
                self.end(Signal::Incompatible);
            }
            return;
        }
        let message = data.dyn_ref::<Array>();
        let frame = message.and_then(|message| Some((message.get(0).as_string()?, message)));
        match frame {
            Some((frame, message)) => (self.on_signal)(Signal::Frame(frame, Buffers::from_message(message))),
            None => self.end(Signal::Incompatible),
        }
    }

    fn on_error(self: &Rc<Self>, event: &Event) {
        // The page reports it, so the console does not have to.
        event.prevent_default();
        let text = Reflect::get(event, &"message".into()).ok().and_then(|text| text.as_string());
        // Some browsers give no message for a worker that could not be loaded.
        self.end(Signal::Failed(text.unwrap_or_default()));
    }
}

/// A worker; dropping it terminates it immediately, together with the workers that it started.
pub struct Connection {
    worker: Worker,
    state: Rc<State>,
    _message: Closure<dyn FnMut(MessageEvent)>,
    _error: Closure<dyn FnMut(Event)>,
}

thread_local! {
    /// Ignores errors of workers that were terminated.
    static IGNORE_ERROR: Closure<dyn FnMut(Event)> = Closure::new(|event: Event| event.prevent_default());
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Messages in flight are ignored. Without a listener, an error in flight would be reported as an uncaught error of this page or
        // worker.
        self.worker.set_onmessage(None);
        IGNORE_ERROR.with(|ignore| self.worker.set_onerror(Some(ignore.as_ref().unchecked_ref())));
        self.worker.terminate();
        self.state.has_ended.set(true);
    }
}

impl Connection {
    /// Starts a worker of this name from the script at an address.
    ///
    /// # Errors
    /// [`Cause::NotAllowed`] if the browser refuses to start it.
    pub fn start(name: &str, address: &str, on_signal: impl Fn(Signal) + 'static) -> Result<Self, Cause> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        options.set_name(name);
        let worker = Worker::new_with_options(address, &options).map_err(|_| Cause::NotAllowed)?;
        let state = Rc::new(State {
            on_signal: Box::new(on_signal),
            is_ready: Cell::default(),
            has_ended: Cell::default(),
        });
        let message = {
            let state = Rc::downgrade(&state);
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                if let Some(state) = state.upgrade() {
                    state.on_message(&event.data());
                }
            })
        };
        let error = {
            let state = Rc::downgrade(&state);
            Closure::<dyn FnMut(Event)>::new(move |event: Event| {
                if let Some(state) = state.upgrade() {
                    state.on_error(&event);
                }
            })
        };
        worker.set_onmessage(Some(message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(error.as_ref().unchecked_ref()));
        Ok(Self { worker, state, _message: message, _error: error })
    }

    /// Whether it accepts requests.
    pub fn is_ready(&self) -> bool {
        self.state.is_ready.get() && !self.state.has_ended.get()
    }

    /// Whether the handshake was completed, even if the worker has ended since.
    pub fn was_ready(&self) -> bool {
        self.state.is_ready.get()
    }

    /// Sends a frame with its buffers.
    ///
    /// # Errors
    /// [`Cause::Unknown`] if the browser cannot send it.
    pub fn post(&self, frame: &str, buffers: &Buffers) -> Result<(), Cause> {
        let (message, transfer) = buffers.message(frame);
        self.worker.post_message_with_transfer(&message, transfer).map_err(|_| Cause::Unknown)
    }
}
