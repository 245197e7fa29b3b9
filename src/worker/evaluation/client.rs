//! The page's side of evaluation.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use gloo::timers::callback::Timeout;
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_futures::spawn_local;

use super::handover::expected;
use super::news::News;
use super::wire::{Done, Evaluation, Job, Reply};
use crate::array::ArrayLiteral;
use crate::array::literal::LiteralError;
use crate::array::literal::raw::LiteralReceiver;
use crate::cause::Cause;
use crate::worker::channel::Parts;
use crate::worker::channel::client::{Client, Event};

/// The most bytes of an array that are copied before the page may do something else.
const CHUNK_BYTES: usize = 1 << 21;

/// The evaluator: at most one job at a time.
#[derive(Clone)]
pub struct Evaluations {
    client: Client<Evaluation>,
    /// The number of the newest job; 0 where there is none.
    newest: Rc<Cell<u64>>,
}

impl Evaluations {
    /// Without a worker yet. `hear` hears of the newest job, by its number.
    pub fn new(hear: impl Fn(u64, News) + 'static) -> Self {
        let newest = Rc::<Cell<u64>>::default();
        let hear = Rc::new(hear);
        let client = {
            let newest = newest.clone();
            Client::new(move |number, event| {
                let news = match event {
                    Event::Progress(progress) => News::Progress(progress),
                    Event::Reply(Reply::Failed(failure), _) => News::Failed(failure),
                    Event::Late(cause) => News::Late(cause),
                    Event::Ended(cause) => News::Ended(cause),
                    Event::Reply(Reply::Done(done), parts) => {
                        let (newest, hear) = (newest.clone(), hear.clone());
                        return spawn_local(async move {
                            let is_newest = || newest.get() == number;
                            let arrays = received(&done, &parts, is_newest).await;
                            if is_newest() {
                                hear(
                                    number,
                                    match arrays {
                                        Some(Ok(arrays)) => News::Done(Box::new(done), arrays),
                                        Some(Err(error)) => News::TooLarge(error),
                                        None => News::Ended(Cause::OtherRelease),
                                    },
                                );
                            }
                        });
                    }
                };
                hear(number, news);
            })
        };
        Self { client, newest }
    }

    /// Runs a job in place of the one that may be running. The number must be new, and not 0.
    pub fn start(&self, number: u64, job: &Job) {
        self.newest.set(number);
        self.client.ask(number, job);
    }

    /// Starts the worker once the browser has nothing else to do, so that its code and the kernels are there, and have
    /// run, before the first job. Dropping the result cancels that.
    pub fn warm_when_idle(&self) -> Idle {
        let client = self.client.clone();
        Idle::wait(move || client.start())
    }

    /// Cancels the job that may be running, wherever it is; nothing more is heard of it.
    pub fn stop(&self) {
        self.newest.set(0);
        self.client.cancel();
    }
}

/// The arrays beside a reply, copied chunk by chunk; `None` where the reply makes no sense, or nobody waits for it any more.
async fn received(
    done: &Done,
    parts: &Parts,
    is_awaited: impl Fn() -> bool,
) -> Option<Result<Vec<Arc<ArrayLiteral>>, LiteralError>> {
    let mut arrays = Vec::new();
    let mut since_pause = 0;
    for (number, of) in (0..).zip(expected(done)?) {
        let bytes: Uint8Array = parts.get(number).dyn_into().ok()?;
        let mut filling = match LiteralReceiver::new(of.shape) {
            Ok(filling) => filling,
            Err(error) => return Some(Err(error)),
        };
        let (mut at, length) = (0, usize::try_from(bytes.length()).ok()?);
        while at < length {
            let end = (at + CHUNK_BYTES).min(length);
            let chunk = bytes.subarray(u32::try_from(at).ok()?, u32::try_from(end).ok()?);
            filling.push(&chunk.to_vec());
            since_pause += end - at;
            at = end;
            if since_pause >= CHUNK_BYTES {
                since_pause = 0;
                gloo::timers::future::TimeoutFuture::new(0).await;
                if !is_awaited() {
                    return None;
                }
            }
        }
        match filling.end() {
            Ok(array) => arrays.push(array),
            Err(error) => return Some(Err(error)),
        }
    }
    Some(Ok(arrays))
}

/// Milliseconds until the page is taken to be idle, where the browser does not say.
const IDLE_AFTER_MS: u32 = 3_000;

/// Work for when the browser is idle; dropping it cancels it.
pub struct Idle {
    /// The browser's number of its callback.
    number: Option<u32>,
    _timer: Option<Timeout>,
    _then: Closure<dyn FnMut()>,
}

impl Idle {
    fn wait(then: impl FnOnce() + 'static) -> Self {
        let then = Rc::new(Cell::new(Some(then)));
        let once = {
            let then = then.clone();
            move || then.take().into_iter().for_each(|then| then())
        };
        let closure = Closure::<dyn FnMut()>::new(once.clone());
        let window = web_sys::window();
        let number = window
            .filter(|window| Reflect::has(window, &"requestIdleCallback".into()) == Ok(true))
            .and_then(|window| window.request_idle_callback(closure.as_ref().unchecked_ref()).ok());
        let timer = number.is_none().then(|| Timeout::new(IDLE_AFTER_MS, once));
        Self { number, _timer: timer, _then: closure }
    }
}

impl Drop for Idle {
    fn drop(&mut self) {
        if let Some((window, number)) = web_sys::window().zip(self.number) {
            window.cancel_idle_callback(number);
        }
    }
}
