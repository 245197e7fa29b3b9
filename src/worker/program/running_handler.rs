//! The worker's side of running.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;

use js_sys::Date;

use super::blob_file::SentFiles;
use super::environment::Environment;
use super::plan_module;
use super::running::Execution;
use super::wire::{Job, RunReply, RunRequest, Running};
use crate::worker::channel::server::{self, Call};
use crate::worker::channel::{Buffers, server::Response};
use crate::worker::evaluation::handler::kernels;
use crate::worker::evaluation::wire::AllowedKernels;

/// Handles runs of programs, if this worker was started for them.
pub fn serve() {
    let execution = Rc::new(RefCell::new(None));
    server::serve::<Running, _>(move |call| handle(call, execution.clone()));
}

/// The page asks one request at a time, so that the execution is in its place when the next one arrives.
async fn handle(call: Call<Running>, slot: Rc<RefCell<Option<Execution>>>) -> Response<Running> {
    let Call { request, buffers: received, spawn_disabled, reporter } = call;
    let kernels = kernels(AllowedKernels::Strict, spawn_disabled).await;
    let report = Rc::new(move |progress| reporter.report(&progress));
    let plans = || -> Pin<Box<dyn Future<Output = _>>> { Box::pin(plan_module::load(spawn_disabled)) };
    let mut environment = Environment { kernels, clock: Date::now, report, plans: &plans };
    let reply = if let RunRequest::Run(job) = request {
        let job = Job { text: received.text()?, ..job };
        slot.take();
        let files = Rc::new(SentFiles::new(&job.files, &received, 1));
        Execution::run(job, files, &mut environment).await.map(|(execution, ran)| {
            slot.replace(Some(execution));
            (RunReply::Ran(ran), None)
        })
    } else {
        // A query without a run is malformed.
        let mut execution = slot.take()?;
        let answer = execution.answer(request, &mut environment).await;
        slot.replace(Some(execution));
        answer
    };
    let mut buffers = Buffers::default();
    let (reply, cells) = reply.unwrap_or_else(|failure| (RunReply::Failed(failure), None));
    if let Some(cells) = cells {
        buffers.push_bytes(&cells);
    }
    Some((reply, buffers))
}
