//! Handles queries about a program in their worker.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::timers::future::TimeoutFuture;

use super::argument_files::ArgumentFiles as _;
use super::blob_file::SentFiles;
use super::queries::Program;
use super::wire::{Answer, Queries, Query};
use crate::worker::channel::{Buffers, server};

/// Milliseconds after a program was opened within which its first queries arrive; they take precedence over indexing.
const FIRST_QUERIES_MS: u32 = 200;

/// Indexes a program for searches, in steps between which queries are answered.
fn index_ahead(program: Rc<RefCell<Program>>) {
    wasm_bindgen_futures::spawn_local(async move {
        TimeoutFuture::new(FIRST_QUERIES_MS).await;
        while !program.borrow_mut().index_ahead() {
            TimeoutFuture::new(0).await;
        }
    });
}

/// Handles queries about a program, if this worker was started for them.
pub fn serve() {
    let program = Rc::new(RefCell::new(Program::default()));
    server::serve::<Queries, _>(move |call| {
        let program = program.clone();
        async move {
            let answer = match call.request {
                Query::Open { language, .. } => {
                    let text = call.buffers.text()?;
                    let answer = program.borrow_mut().answer(Query::Open { text, language });
                    index_ahead(program.clone());
                    answer
                }
                Query::Assign(request) => {
                    let files = SentFiles::new(&[request.number], &call.buffers, 0);
                    Answer::Assigned(program.borrow().assign(&request, files.open(request.number)))
                }
                query => program.borrow_mut().answer(query),
            };
            Some((answer, Buffers::default()))
        }
    });
}
