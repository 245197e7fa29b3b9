//! The worker's side of tasks.

use js_sys::Date;

use super::blob_file::SentFiles;
use super::task::environment::Environment;
use super::task::perform::perform;
use super::wire::{Property, TaskRequest, Tasks};
use crate::i18n::Language;
use crate::worker::channel::Buffers;
use crate::worker::channel::server::{self, Call, Response};
use crate::worker::evaluation::handler::kernels;
use crate::worker::evaluation::wire::AllowedKernels;

/// Performs tasks, if this worker was started for them.
pub fn serve() {
    server::serve::<Tasks, _>(handle);
}

async fn handle(call: Call<Tasks>) -> Response<Tasks> {
    let Call { request, buffers, spawn_disabled, reporter } = call;
    let files = SentFiles::new(&request.job().files, &buffers, 0);
    let is_of_kernels =
        matches!(&request, TaskRequest::Shrink(task) if matches!(task.property, Property::Kernels { .. }));
    let allowed = if is_of_kernels { AllowedKernels::Fast } else { AllowedKernels::Strict };
    let kernels = kernels(allowed, spawn_disabled).await;
    let language = Language::for_tag(&request.job().language).unwrap_or(Language::ENGLISH);
    let mut report = |progress| reporter.report(&progress);
    let mut environment =
        Environment { kernels, clock: &Date::now, report: &mut report, files: &files, language };
    let (reply, content) = perform(request, &mut environment).await;
    let mut buffers = Buffers::default();
    if let Some(content) = content {
        buffers.push_bytes(&content);
    }
    Some((reply, buffers))
}
