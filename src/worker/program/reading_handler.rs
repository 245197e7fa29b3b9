//! The worker's side of reading.

use std::cell::RefCell;
use std::rc::Rc;

use super::reading::Program;
use super::wire::Reading;
use crate::worker::channel::{Buffers, server};

/// Handles queries about a program, if this worker was started for them.
pub fn serve() {
    let program = Rc::new(RefCell::new(Program::default()));
    server::serve::<Reading, _>(move |call| {
        let program = program.clone();
        async move { Some((program.borrow_mut().answer(call.request), Buffers::default())) }
    });
}
