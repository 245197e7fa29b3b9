//! The worker's side of reading.

use std::cell::RefCell;
use std::rc::Rc;

use super::argument_files::ArgumentFiles as _;
use super::blob_file::SentFiles;
use super::reading::Program;
use super::wire::{Answer, Query, Reading};
use crate::worker::channel::{Buffers, server};

/// Handles queries about a program, if this worker was started for them.
pub fn serve() {
    let program = Rc::new(RefCell::new(Program::default()));
    server::serve::<Reading, _>(move |call| {
        let program = program.clone();
        async move {
            let answer = match call.request {
                Query::Open { language, .. } => {
                    let text = call.buffers.text()?;
                    program.borrow_mut().answer(Query::Open { text, language })
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
