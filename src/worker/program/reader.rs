//! The page's side of reading: a queue of queries to the reader, which answers one at a time.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use super::tab_files;
use super::wire::{Answer, Query, Reading};
use crate::cause::Cause;
use crate::worker::channel::Buffers;
use crate::worker::channel::client::{Client, Event};

/// What the reader reports.
pub enum ReaderEvent {
    /// An answer, and the query it belongs to without the text of [`Query::Open`].
    Answer(Query, Answer),
    /// The worker has not started yet, but still may.
    Delayed(Cause),
    /// The worker has ended: the program must be opened again.
    Ended(Cause),
}

/// The reader of one page. Dropping the last clone terminates its worker.
#[derive(Clone)]
pub struct Reader(Rc<Inner>);

struct Inner {
    client: Client<Reading>,
    newest: Cell<u64>,
    /// The query in the worker.
    current: RefCell<Option<Query>>,
    queue: RefCell<VecDeque<Query>>,
}

/// Whether a query makes a queued one of its kind superfluous: only the newest selection, search and position count.
fn replaces(new: &Query, queued: &Query) -> bool {
    match (new, queued) {
        (Query::Details(_), Query::Details(_))
        | (Query::Reveal(_), Query::Reveal(_))
        | (Query::Locate(_), Query::Locate(_))
        | (Query::Find { .. }, Query::Find { .. })
        | (Query::SourceLine { .. }, Query::SourceLine { .. }) => true,
        (Query::Graph(new), Query::Graph(queued)) => new.replaces(queued),
        (new, queued) => new == queued,
    }
}

impl Reader {
    /// A reader without a worker yet.
    pub fn new(on_event: impl Fn(ReaderEvent) + 'static) -> Self {
        Self(Rc::new_cyclic(|this: &std::rc::Weak<Inner>| {
            let this = this.clone();
            let client = Client::new(move |_, event| {
                let Some(inner) = this.upgrade() else { return };
                match event {
                    Event::Progress(()) => {}
                    Event::Reply(answer, _) => {
                        let query = inner.current.take();
                        // The next query runs while the page draws this answer.
                        Inner::send_next(&inner);
                        if let Some(query) = query {
                            on_event(ReaderEvent::Answer(query, answer));
                        }
                    }
                    Event::StartDelayed(cause) => on_event(ReaderEvent::Delayed(cause)),
                    Event::Ended(cause) => {
                        inner.current.take();
                        inner.queue.borrow_mut().clear();
                        on_event(ReaderEvent::Ended(cause));
                    }
                }
            });
            Inner { client, newest: Cell::default(), current: RefCell::default(), queue: RefCell::default() }
        }))
    }

    /// Opens a text. Queries about the previous one are dropped, and reading it is cancelled.
    pub fn open(&self, text: &str, language: &str) {
        let Self(inner) = self;
        inner.queue.borrow_mut().clear();
        if matches!(&*inner.current.borrow(), Some(Query::Open { .. })) {
            inner.client.cancel();
        }
        if inner.current.borrow_mut().take_if(|query| matches!(query, Query::Open { .. })).is_none()
            && inner.current.borrow().is_some()
        {
            // A short query is answered first.
            inner.queue.borrow_mut().push_back(open_query(text, language));
            return;
        }
        inner.send(open_query(text, language));
    }

    /// Queues a query.
    pub fn ask(&self, query: Query) {
        let Self(inner) = self;
        if inner.current.borrow().is_none() {
            return inner.send(query);
        }
        let mut queue = inner.queue.borrow_mut();
        queue.retain(|queued| !replaces(&query, queued));
        queue.push_back(query);
    }
}

fn open_query(text: &str, language: &str) -> Query {
    Query::Open { text: text.to_owned(), language: language.to_owned() }
}

impl Inner {
    fn send(&self, query: Query) {
        let id = self.newest.get() + 1;
        self.newest.set(id);
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
        self.current.replace(Some(query));
    }

    fn send_next(this: &Rc<Self>) {
        let next = this.queue.borrow_mut().pop_front();
        if let Some(query) = next {
            this.send(query);
        }
    }
}
