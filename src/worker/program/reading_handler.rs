//! The worker's side of reading.

use std::cell::RefCell;
use std::rc::Rc;

use super::reading::Program;
use super::wire::{Query, Reading};
use crate::worker::channel::{Buffers, server};

/// Handles queries about a program, if this worker was started for them.
pub fn serve() {
    let program = Rc::new(RefCell::new(Program::default()));
    server::serve::<Reading, _>(move |call| {
        let program = program.clone();
        async move {
            let query = match call.request {
                Query::Open { language, .. } => Query::Open { text: call.buffers.text()?, language },
                other => other,
            };
            Some((program.borrow_mut().answer(query), Buffers::default()))
        }
    });
}
