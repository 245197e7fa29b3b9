//! The worker's side of evaluation.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::Date;
use wasm_bindgen_futures::spawn_local;

use super::run::{PROGRESS_INTERVAL_MS, run};
use super::sharding::ShardedKernels;
use super::warm_up::{REPETITIONS, tasks};
use super::wire::{AllowedKernels, Evaluation, Progress};
use crate::cause::Cause;
use crate::hlo::eval::kernel::{Build, Kernels, UnavailableKernels};
use crate::worker::channel::Buffers;
use crate::worker::channel::server::{self, Call, Reporter, Response};
use crate::worker::kernels::{KernelModule, RestartingModule};

thread_local! {
    /// Whether the first job has arrived: it ends the warm-up.
    static HAS_JOB: Cell<bool> = const { Cell::new(false) };
    /// The loaded modules with the requested builds.
    static MODULES: RefCell<Vec<(Build, Rc<RestartingModule>)>> = const { RefCell::new(Vec::new()) };
}

/// Handles evaluation requests, if this worker was started for them.
pub fn serve() {
    if server::serve(handle) {
        spawn_local(warm_up());
    }
}

/// The module of a build, or its substitute.
///
/// # Errors
/// Why neither is available; the next job tries again.
async fn module(requested: Build) -> Result<Rc<RestartingModule>, Cause> {
    let loaded = MODULES.with_borrow(|modules| {
        modules.iter().find(|(build, _)| *build == requested).map(|(_, module)| module.clone())
    });
    if let Some(loaded) = loaded {
        return Ok(loaded);
    }
    let (module, cause) = KernelModule::load_or_substitute(requested).await?;
    let loaded = Rc::new(RestartingModule::new(module, cause.clone()));
    // A substitute for a file that could not be loaded is not kept: the next job requests the file again.
    if matches!(cause, None | Some(Cause::NoSimd | Cause::NoRelaxedSimd)) {
        MODULES.with_borrow_mut(|modules| modules.push((requested, loaded.clone())));
    }
    Ok(loaded)
}

/// Reports the progress of a kernel's task, as an update of the last report of the run.
fn report_task(module: &KernelModule, last: Rc<RefCell<Progress>>, reporter: Reporter<Evaluation>) {
    let reported_at = Cell::new(Date::now());
    module.observe(move |fraction| {
        if Date::now() - reported_at.get() < PROGRESS_INTERVAL_MS {
            return;
        }
        reported_at.set(Date::now());
        let mut progress = last.borrow().clone();
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "an approximate progress display"
        )]
        if let Some((done, cells)) = &mut progress.cells {
            *done = (fraction * *cells as f64) as i64;
        }
        reporter.report(&progress);
    });
}

/// The module of the kernels that may be used; `None` for none.
async fn allowed_module(allowed: AllowedKernels) -> Option<Result<Rc<RestartingModule>, Cause>> {
    match allowed {
        AllowedKernels::Off => None,
        AllowedKernels::Strict => Some(module(Build::Simd).await),
        AllowedKernels::Fast => Some(module(Build::RelaxedSimd).await),
    }
}

/// The kernels of a module, divided among workers unless that is disabled.
fn module_kernels(module: Result<Rc<RestartingModule>, Cause>, spawn_disabled: bool) -> Rc<dyn Kernels> {
    match module {
        Ok(module) if spawn_disabled => module,
        Ok(module) => Rc::new(ShardedKernels(module)),
        Err(cause) => Rc::new(UnavailableKernels(cause)),
    }
}

/// The kernels that may compute large ops, for other services of this worker.
pub async fn kernels(allowed: AllowedKernels, spawn_disabled: bool) -> Option<Rc<dyn Kernels>> {
    HAS_JOB.set(true);
    Some(module_kernels(allowed_module(allowed).await?, spawn_disabled))
}

/// Runs a job.
async fn handle(call: Call<Evaluation>) -> Response<Evaluation> {
    HAS_JOB.set(true);
    let Call { request: job, spawn_disabled, reporter, .. } = call;
    let module = allowed_module(job.kernels).await;
    let last = Rc::new(RefCell::new(Progress::default()));
    if let Some(Ok(module)) = &module {
        report_task(&module.module(), last.clone(), reporter.clone());
    }
    let kernels = module.map(|module| module_kernels(module, spawn_disabled));
    let (reply, memory) = run(&job, kernels, &Date::now, &mut |progress| {
        reporter.report(&progress);
        last.replace(progress);
    })
    .await;
    let mut buffers = Buffers::default();
    for bytes in &memory {
        buffers.push_bytes(bytes);
    }
    Some((reply, buffers))
}

/// Loads the kernels and runs them for a few milliseconds, or until the first job arrives.
async fn warm_up() {
    let Ok(renewed) = module(Build::Simd).await else { return };
    let module = renewed.module();
    for (task, cells) in tasks().iter().cycle().take(REPETITIONS * tasks().len()) {
        // Yields to messages.
        gloo::timers::future::TimeoutFuture::new(0).await;
        if HAS_JOB.get() {
            return;
        }
        if let Ok(handle) = module.prepare(task, cells.iter().copied()) {
            // Only the compilation matters, not the result.
            if module.run(handle).is_err() {
                renewed.restart();
                return;
            }
            module.dispose(handle);
        }
    }
}
