//! The worker's side of evaluation: takes one request after the other and answers it. It is never asked to stop: the
//! page ends the whole worker, which also works in the middle of a cell.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, Date, Uint8Array};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::evaluate_crew::Sharing;
use super::evaluation::{EVERY, Memory, run};
use super::kernels::{Module, Renewed};
use super::member::say_hello;
use super::messages::{Asked, Job, Misread, Progress, Reply, Request, header, read};
use super::warm_up::{TIMES, tasks};
use crate::cause::Cause;
use crate::hlo::eval::kernel::{Build, Kernels, UnavailableKernels};

/// The name by which the page asks for a worker of this kind.
pub const NAME: &str = "evaluate";

fn scope() -> Option<DedicatedWorkerGlobalScope> {
    js_sys::global().dyn_into().ok()
}

/// Whether this worker was started to evaluate.
pub fn is_asked_for() -> bool {
    scope().is_some_and(|scope| scope.name() == NAME)
}

thread_local! {
    /// Whether a job has arrived.
    static HAS_JOB: Cell<bool> = const { Cell::new(false) };
    /// The modules that were loaded, by the builds that were asked for.
    static MODULES: RefCell<Vec<(Build, Rc<Renewed>)>> = const { RefCell::new(Vec::new()) };
}

/// The module of a build, or what runs in its place. Errors: why there is none; the next job tries again.
async fn module(asked: Build) -> Result<Rc<Renewed>, Cause> {
    let known = |of| {
        MODULES.with_borrow(|all| all.iter().find(|(build, _)| *build == of).map(|(_, one)| one.clone()))
    };
    if let Some(known) = known(asked) {
        return Ok(known);
    }
    let (module, why) = Module::load_or_substitute(asked).await?;
    let loaded = Rc::new(Renewed::new(module, why.clone()));
    // What is there in place of a file that did not come is not kept: the next job asks for the file again.
    if matches!(why, None | Some(Cause::NoSimd | Cause::NoRelaxedSimd)) {
        MODULES.with_borrow_mut(|all| all.push((asked, loaded.clone())));
    }
    Ok(loaded)
}

/// Runs a job and sends its answer.
async fn answer(job: Job) {
    HAS_JOB.set(true);
    let module = match job.kernels {
        Asked::Off => None,
        Asked::Strict => Some(module(Build::Strict).await),
        Asked::Fast => Some(module(Build::Fast).await),
    };
    let told = Rc::new(RefCell::new(Progress::default()));
    if let Some(Ok(module)) = &module {
        let (told, last) = (told.clone(), Cell::new(Date::now()));
        module.module().heard_by(move |share| {
            if Date::now() - last.get() >= EVERY {
                last.set(Date::now());
                let mut progress = told.borrow().clone();
                #[allow(
                    clippy::cast_possible_truncation,
                    clippy::cast_precision_loss,
                    reason = "a share for the eye"
                )]
                if let Some((done, cells)) = &mut progress.cells {
                    *done = (share * *cells as f64) as i64;
                }
                send(&Reply::Progress(progress), Vec::new());
            }
        });
    }
    let kernels = module.map(|module| -> Rc<dyn Kernels> {
        match module {
            Ok(module) if job.is_alone => module,
            Ok(module) => Rc::new(Sharing(module)),
            Err(cause) => Rc::new(UnavailableKernels(cause)),
        }
    });
    let (reply, memory) = run(&job, kernels, &Date::now, &mut |progress| {
        told.replace(progress.clone());
        send(&Reply::Progress(progress), Vec::new());
    })
    .await;
    send(&reply, memory);
}

/// Takes requests from now on.
pub fn serve() {
    let Some(scope) = scope() else { return };
    let listener = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| {
        let text = event.data().as_string().unwrap_or_default();
        match read::<Request>(&text) {
            Ok(Request::Run(job)) => spawn_local(answer(job)),
            Err(Misread::Protocol(_) | Misread::Garbage) => send(&Reply::Refused, Vec::new()),
        }
    });
    scope.set_onmessage(Some(listener.as_ref().unchecked_ref()));
    // It listens as long as the worker lives.
    listener.forget();
    say_hello();
    spawn_local(warm_up());
}

/// Loads the kernels and runs them for a few milliseconds, until there is a job.
async fn warm_up() {
    let Ok(renewed) = module(Build::Strict).await else { return };
    let module = renewed.module();
    for (task, cells) in tasks().iter().cycle().take(TIMES * tasks().len()) {
        // Messages come first.
        gloo::timers::future::TimeoutFuture::new(0).await;
        if HAS_JOB.get() {
            return;
        }
        if let Ok(handle) = module.prepared(task, cells.iter().copied()) {
            // Nobody wants what comes of it.
            if module.once(handle).is_err() {
                renewed.renew();
                return;
            }
            module.dispose(handle);
        }
    }
}

/// Sends a reply, its memory handed over.
pub(super) fn send(reply: &Reply, memory: Memory) {
    let Some(scope) = scope() else { return };
    let (message, handed) = (Array::of1(&header(reply).into()), Array::new());
    for bytes in memory {
        let bytes = Uint8Array::from(bytes.as_slice());
        handed.push(&bytes.buffer());
        message.push(&bytes);
    }
    if let Err(error) = scope.post_message_with_transfer(&message, &handed) {
        // Nobody can be told but the page's own look at errors.
        wasm_bindgen::throw_val(error);
    }
}
