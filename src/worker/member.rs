//! A worker of a worker: started by its name, asked one thing at a time, and not waited for beyond reason.
//!
//! The first half is for who starts it; [`serve`] and [`say`] are for the one that was started.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, Function, Promise};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{DedicatedWorkerGlobalScope, Event, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::{files, hello};

/// A worker, and who waits for its next word. It ends with this.
pub struct Member {
    worker: Worker,
    is_ready: Rc<Cell<bool>>,
    waits: Rc<RefCell<Option<Function>>>,
    greeting: Promise,
    _message: Closure<dyn FnMut(MessageEvent)>,
    _error: Closure<dyn FnMut(Event)>,
}

impl Drop for Member {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

fn next(waits: &RefCell<Option<Function>>) -> Promise {
    Promise::new(&mut |resolve, _| {
        waits.replace(Some(resolve));
    })
}

impl Member {
    /// Starts a worker that is asked for by this name; it is ready once it has said that it is of this release.
    pub fn start(name: &str) -> Option<Self> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        options.set_name(name);
        let worker = Worker::new_with_options(&files::address(files::LOADER), &options).ok()?;
        let (is_ready, waits) = (Rc::new(Cell::new(false)), Rc::<RefCell<Option<Function>>>::default());
        let answer = {
            let waits = waits.clone();
            move |data: &JsValue| {
                if let Some(waits) = waits.take() {
                    // What a promise's resolve function answers says nothing.
                    let _ = waits.call1(&JsValue::UNDEFINED, data);
                }
            }
        };
        let message = {
            let (is_ready, answer) = (is_ready.clone(), answer.clone());
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                let told = event.data().as_string().unwrap_or_default();
                is_ready.set(is_ready.get() || hello::is_of(&told, files::release().as_deref()));
                answer(&event.data());
            })
        };
        let error = {
            let is_ready = is_ready.clone();
            Closure::<dyn FnMut(Event)>::new(move |event: Event| {
                event.prevent_default();
                is_ready.set(false);
                answer(&JsValue::UNDEFINED);
            })
        };
        worker.set_onmessage(Some(message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(error.as_ref().unchecked_ref()));
        let greeting = next(&waits);
        Some(Self { worker, is_ready, waits, greeting, _message: message, _error: error })
    }

    /// Whether it has started, and not broken down since.
    pub fn is_ready(&self) -> bool {
        self.is_ready.get()
    }

    /// Its first word.
    pub fn greeting(&self) -> Promise {
        self.greeting.clone()
    }

    /// Asks by a message, whose buffers `handed` change hands; its next word is the answer.
    pub fn ask(&self, message: &Array, handed: &Array) -> Option<Promise> {
        let answer = next(&self.waits);
        self.worker.post_message_with_transfer(message, handed).ok()?;
        Some(answer)
    }
}

/// A word that is waited for so many milliseconds and no longer: a browser may never start a worker, nor say so.
pub async fn in_time(word: Promise, patience: u32) -> Option<JsValue> {
    let mut timer = None;
    let late = Promise::new(&mut |resolve, _| {
        // What a promise's resolve function answers says nothing.
        let end = move || drop(resolve.call0(&JsValue::UNDEFINED));
        timer = Some(gloo::timers::callback::Timeout::new(patience, end));
    });
    let heard = JsFuture::from(Promise::race(&Array::of2(&word, &late))).await.ok();
    drop(timer);
    heard
}

fn scope() -> Option<DedicatedWorkerGlobalScope> {
    js_sys::global().dyn_into().ok()
}

/// Whether this worker was started by that name.
pub fn is_called(name: &str) -> bool {
    scope().is_some_and(|scope| scope.name() == name)
}

/// Takes requests, messages with parts, from now on.
pub fn serve(mut heard: impl FnMut(Array) + 'static) {
    listen(move |data| heard(data.unchecked_into()));
}

/// Hears the data of every message from now on.
pub fn listen(mut heard: impl FnMut(JsValue) + 'static) {
    let Some(scope) = scope() else { return };
    let listener = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| heard(event.data()));
    scope.set_onmessage(Some(listener.as_ref().unchecked_ref()));
    // It listens as long as the worker lives.
    listener.forget();
}

/// Says who this is: the first message, once it listens.
pub fn say_hello() {
    say(&hello::hello(files::release()).into(), &Array::new());
}

/// Says a message, whose buffers `handed` change hands.
pub fn say(message: &JsValue, handed: &Array) {
    if let Some(scope) = scope()
        && let Err(error) = scope.post_message_with_transfer(message, handed)
    {
        // Nobody can be told but the look at errors of who started this.
        wasm_bindgen::throw_val(error);
    }
}
