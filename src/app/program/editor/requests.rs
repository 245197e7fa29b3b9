//! Questions of the editor to the query worker, paired with their answers by number.

use std::cell::RefCell;
use std::collections::BTreeMap;

use yew::Callback;

use crate::i18n::Language;
use crate::worker::program::editing::{Question, Reply, Request};
use crate::worker::program::wire::Query;

/// Maximum unanswered questions; older ones get no answer.
const MAX_WAITING: usize = 32;

type Waiting = BTreeMap<u32, Box<dyn FnOnce(Reply)>>;

thread_local! {
    static WAITING: RefCell<(u32, Waiting)> = RefCell::default();
}

/// Asks a question; `then` receives the answer, or [`Reply::Nothing`] if the question is dropped for newer ones.
pub fn ask(
    ask: &Callback<Query>,
    language: Language,
    question: Question,
    then: impl FnOnce(Reply) + 'static,
) {
    let (id, dropped) = WAITING.with_borrow_mut(|(last, waiting)| {
        *last = last.wrapping_add(1);
        waiting.insert(*last, Box::new(then));
        let dropped = if waiting.len() > MAX_WAITING { waiting.pop_first() } else { None };
        (*last, dropped)
    });
    if let Some((_, then)) = dropped {
        then(Reply::Nothing);
    }
    ask.emit(Query::Editing(Request { id, language: language.tag().to_owned(), question }));
}

/// Passes an answer to the callback of its request.
pub fn deliver(id: u32, reply: Reply) {
    let then = WAITING.with_borrow_mut(|(_, waiting)| waiting.remove(&id));
    if let Some(then) = then {
        then(reply);
    }
}
