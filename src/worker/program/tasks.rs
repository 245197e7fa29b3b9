//! The page's side of tasks: one at a time; a new one cancels the one before.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::JsValue;

use super::tab_files;
use super::wire::{TaskProgress, TaskReply, TaskRequest, Tasks};
use crate::cause::Cause;
use crate::worker::channel::client::{Client, Event};

/// What the worker of tasks reports.
pub enum TaskEvent {
    /// The task progresses.
    Progress(TaskProgress),
    /// The task ended.
    Reply(TaskReply),
    /// The worker has not started yet, but still may.
    Delayed(Cause),
    /// The worker has ended.
    Ended(Cause),
}

/// The worker of tasks of one page. Dropping the last clone terminates it.
#[derive(Clone)]
pub struct TaskWorker {
    client: Client<Tasks>,
    newest: Rc<Cell<u64>>,
}

impl TaskWorker {
    /// A worker that has not started yet. `save` gets the name and the bytes of an exported file.
    pub fn new(on_event: impl Fn(TaskEvent) + 'static, save: impl Fn(&str, &JsValue) + 'static) -> Self {
        let client = Client::new(move |_, event| {
            on_event(match event {
                Event::Progress(progress) => TaskEvent::Progress(progress),
                Event::Reply(reply, buffers) => {
                    if let TaskReply::Exported { name, .. } = &reply {
                        save(name, &buffers.get(0));
                    }
                    TaskEvent::Reply(reply)
                }
                Event::StartDelayed(cause) => TaskEvent::Delayed(cause),
                Event::Ended(cause) => TaskEvent::Ended(cause),
            });
        });
        Self { client, newest: Rc::default() }
    }

    /// Starts a task; cancels the one before.
    pub fn start(&self, request: &TaskRequest) {
        self.newest.set(self.newest.get() + 1);
        let files = tab_files::file_buffers(&request.job().files);
        self.client.send_with(self.newest.get(), request, Rc::new(move || files.clone()));
    }

    /// Cancels the task by terminating the worker.
    pub fn cancel(&self) {
        self.client.cancel();
    }
}
