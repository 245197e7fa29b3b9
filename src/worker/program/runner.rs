//! The page's side of running: one request at a time, and the newest query of values waits for it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use js_sys::Uint8Array;
use wasm_bindgen::{JsCast, JsValue};

use super::tab_files;
use super::wire::{
    Job, Ran, RunProgress, RunReply, RunRequest, Running, SourceCell, Timeline, Trace, TracePicture,
    ValuePage,
};
use crate::array::literal::raw::LiteralReceiver;
use crate::array::{ArrayLiteral, text};
use crate::cause::Cause;
use crate::worker::channel::Buffers;
use crate::worker::channel::client::{Client, Event, MakeBuffers};
use crate::worker::evaluation::wire::Failure;

/// What the runner reports.
pub enum RunnerEvent {
    /// A run, or a run that computes a value again, progresses.
    Progress(RunProgress),
    /// A run finished.
    Ran(Ran),
    /// A run failed.
    Failed(Failure),
    /// A query about values failed.
    QueryFailed(Failure),
    /// A value, with the cells of its window.
    Value(Box<ValuePage>, Option<Arc<ArrayLiteral>>),
    /// The sources of a cell.
    Sources(Vec<SourceCell>),
    /// A trace, with the cells of its windows.
    Trace(Box<Trace>, Vec<Option<Arc<ArrayLiteral>>>),
    /// A timeline.
    Timeline(Timeline),
    /// The worker has not started yet, but still may.
    Delayed(Cause),
    /// The worker has ended: the program must run again.
    Ended(Cause),
}

/// The runner of one page. Dropping the last clone terminates its worker.
#[derive(Clone)]
pub struct Runner(Rc<Inner>);

struct Inner {
    client: Client<Running>,
    newest: Cell<u64>,
    /// Whether the current request is a run; `None` without a request.
    current_is_run: Cell<Option<bool>>,
    /// Queries that wait, at most one of each kind.
    queue: RefCell<Vec<RunRequest>>,
}

/// The cells of a value's window; `None` if the reply is malformed.
fn received_array(page: &ValuePage, buffers: &Buffers) -> Option<Arc<ArrayLiteral>> {
    array(&page.window.as_ref()?.shape, &buffers.get(0).dyn_into().ok()?)
}

fn array(shape: &str, bytes: &Uint8Array) -> Option<Arc<ArrayLiteral>> {
    let shape = text::parse(shape).shape?.as_array()?.clone();
    let mut receiver = LiteralReceiver::new(shape).ok()?;
    receiver.push(&bytes.to_vec());
    receiver.finish().ok()
}

/// The cells of the windows of a trace.
fn received_windows(trace: &Trace, buffers: &Buffers) -> Vec<Option<Arc<ArrayLiteral>>> {
    let bytes: Option<Uint8Array> = buffers.get(0).dyn_into().ok();
    let window_cells = |picture: &TracePicture| {
        let (start, end) = picture.bytes;
        array(&picture.window.shape, &bytes.as_ref()?.subarray(start, end))
    };
    trace.pictures.iter().map(window_cells).collect()
}

impl Runner {
    /// A runner without a worker yet. `save` gets the name and the bytes of a value that was asked for as a file.
    pub fn new(on_event: impl Fn(RunnerEvent) + 'static, save: impl Fn(&str, &JsValue) + 'static) -> Self {
        Self(Rc::new_cyclic(|this: &std::rc::Weak<Inner>| {
            let this = this.clone();
            let client = Client::new(move |_, event| {
                let Some(inner) = this.upgrade() else { return };
                let event = match event {
                    Event::Progress(progress) => RunnerEvent::Progress(progress),
                    Event::StartDelayed(cause) => RunnerEvent::Delayed(cause),
                    Event::Ended(cause) => {
                        inner.clear();
                        RunnerEvent::Ended(cause)
                    }
                    Event::Reply(reply, buffers) => {
                        let was_run = inner.current_is_run.take().unwrap_or_default();
                        let event = match reply {
                            RunReply::Ran(ran) => RunnerEvent::Ran(ran),
                            RunReply::Failed(failure) if was_run => RunnerEvent::Failed(failure),
                            RunReply::Failed(failure) => RunnerEvent::QueryFailed(failure),
                            RunReply::Value(page) => {
                                let cells = received_array(&page, &buffers);
                                RunnerEvent::Value(page, cells)
                            }
                            RunReply::Sources(sources) => RunnerEvent::Sources(sources),
                            RunReply::Trace(trace) => {
                                let arrays = received_windows(&trace, &buffers);
                                RunnerEvent::Trace(trace, arrays)
                            }
                            RunReply::Timeline(timeline) => RunnerEvent::Timeline(timeline),
                            RunReply::Saved(name) => {
                                save(&name, &buffers.get(0));
                                return inner.send_next();
                            }
                        };
                        inner.send_next();
                        event
                    }
                };
                on_event(event);
            });
            Inner {
                client,
                newest: Cell::default(),
                current_is_run: Cell::default(),
                queue: RefCell::default(),
            }
        }))
    }

    /// Runs a program; cancels whatever runs.
    pub fn run(&self, mut job: Job) {
        let Self(inner) = self;
        inner.clear();
        let (text, files) = (std::mem::take(&mut job.text), job.files.clone());
        inner.send_with(&RunRequest::Run(job), Rc::new(move || tab_files::job_buffers(&text, &files)));
    }

    /// Asks about values of the last run, after the current request. Of the queries that wait, the newest of each kind
    /// counts.
    pub fn ask(&self, query: RunRequest) {
        let Self(inner) = self;
        if inner.current_is_run.get().is_none() {
            return inner.send(&query);
        }
        let mut queue = inner.queue.borrow_mut();
        queue.retain(|queued| std::mem::discriminant(queued) != std::mem::discriminant(&query));
        queue.push(query);
    }

    /// Cancels the current request by terminating the worker. The last run is lost with it.
    pub fn cancel(&self) {
        let Self(inner) = self;
        inner.clear();
        inner.client.cancel();
    }
}

impl Inner {
    fn clear(&self) {
        self.current_is_run.set(None);
        self.queue.borrow_mut().clear();
    }

    fn send(&self, request: &RunRequest) {
        self.send_with(request, Rc::new(Buffers::default));
    }

    fn send_with(&self, request: &RunRequest, buffers: MakeBuffers) {
        let id = self.newest.get() + 1;
        self.newest.set(id);
        self.client.send_with(id, request, buffers);
        self.current_is_run.set(Some(matches!(request, RunRequest::Run(_))));
    }

    fn send_next(&self) {
        let next = {
            let mut queue = self.queue.borrow_mut();
            (!queue.is_empty()).then(|| queue.remove(0))
        };
        if let Some(next) = next {
            self.send(&next);
        }
    }
}
