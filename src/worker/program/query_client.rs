//! The page's client of the query worker: queues queries, of which the worker answers one at a time.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use super::tab_files;
use super::wire::{Answer, Queries, Query};
use crate::cause::Cause;
use crate::state::program::session::Source;
use crate::worker::channel::Buffers;
use crate::worker::channel::client::{Client, Event};

/// An event that the client reports.
pub enum QueryEvent {
    /// An answer, and the query it belongs to without the text of [`Query::Open`].
    Answer(Asked, Answer),
    /// The worker has not started yet, but still may.
    Delayed(Cause),
    /// The worker has ended: the program must be opened again.
    Ended(Cause),
}

/// A query, and the program that it is about.
pub struct Asked {
    /// The query.
    pub query: Query,
    /// The program as it was opened, before its edits.
    pub program: Source,
}

/// The client of one page. Dropping the last clone terminates the worker.
#[derive(Clone)]
pub struct QueryClient(Rc<Inner>);

struct Inner {
    client: Client<Queries>,
    last_id: Cell<u64>,
    /// The query in the worker.
    current: RefCell<Option<Asked>>,
    /// Queries about the newest program.
    queue: RefCell<VecDeque<Query>>,
    /// The newest program.
    program: RefCell<Source>,
}

/// Whether a query supersedes a queued one of the same kind: only the newest selection, search and position matter.
fn supersedes(new: &Query, queued: &Query) -> bool {
    match (new, queued) {
        (Query::Details(_), Query::Details(_))
        | (Query::Reveal(_), Query::Reveal(_))
        | (Query::Locate(_), Query::Locate(_))
        | (Query::Find { .. }, Query::Find { .. })
        | (Query::SourceLine { .. }, Query::SourceLine { .. }) => true,
        (Query::Graph(new), Query::Graph(queued)) => new.supersedes(queued),
        (new, queued) => new == queued,
    }
}

impl QueryClient {
    /// A client without a worker yet.
    pub fn new(on_event: impl Fn(QueryEvent) + 'static) -> Self {
        Self(Rc::new_cyclic(|this: &std::rc::Weak<Inner>| {
            let this = this.clone();
            let client = Client::new(move |_, event| {
                let Some(inner) = this.upgrade() else { return };
                match event {
                    Event::Progress(()) => {}
                    Event::Reply(answer, _) => {
                        let asked = inner.current.take();
                        // The next query runs while the page draws this answer.
                        Inner::send_next(&inner);
                        if let Some(asked) = asked {
                            on_event(QueryEvent::Answer(asked, answer));
                        }
                    }
                    Event::StartDelayed(cause) => on_event(QueryEvent::Delayed(cause)),
                    Event::Ended(cause) => {
                        inner.current.take();
                        inner.queue.borrow_mut().clear();
                        on_event(QueryEvent::Ended(cause));
                    }
                }
            });
            Inner {
                client,
                last_id: Cell::default(),
                current: RefCell::default(),
                queue: RefCell::default(),
                program: RefCell::default(),
            }
        }))
    }

    /// Opens the text of a program. Queries about the previous one are dropped, and reading it is cancelled.
    pub fn open(&self, program: &Source, text: &str, language: &str) {
        let Self(inner) = self;
        inner.queue.borrow_mut().clear();
        inner.program.replace(program.clone());
        let query = open_query(text, language);
        let current = inner.current.take();
        match current {
            None => inner.send(query),
            Some(Asked { query: Query::Open { .. }, .. }) => {
                inner.client.cancel();
                inner.send(query);
            }
            Some(_) => {
                // A short query is answered first.
                inner.current.replace(current);
                inner.queue.borrow_mut().push_back(query);
            }
        }
    }

    /// Queues a query.
    pub fn ask(&self, query: Query) {
        let Self(inner) = self;
        if inner.current.borrow().is_none() {
            return inner.send(query);
        }
        let mut queue = inner.queue.borrow_mut();
        queue.retain(|queued| !supersedes(&query, queued));
        queue.push_back(query);
    }
}

fn open_query(text: &str, language: &str) -> Query {
    Query::Open { text: text.to_owned(), language: language.to_owned() }
}

impl Inner {
    fn send(&self, query: Query) {
        let id = self.last_id.get() + 1;
        self.last_id.set(id);
        let query = match query {
            Query::Open { text, language } => {
                let query = Query::Open { text: String::new(), language };
                self.client.send_with(id, &query, Rc::new(move || Buffers::from_text(&text)));
                query
            }
            other => {
                let files = tab_files::query_buffers(&other);
                self.client.send_with(id, &other, Rc::new(move || files.clone()));
                other
            }
        };
        self.current.replace(Some(Asked { query, program: self.program.borrow().clone() }));
    }

    fn send_next(this: &Rc<Self>) {
        let next = this.queue.borrow_mut().pop_front();
        if let Some(query) = next {
            this.send(query);
        }
    }
}
