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
use super::kernels::Module;
use super::messages::{Asked, Job, Misread, Progress, Reply, Request, header, read};
use super::warm_up::{TIMES, tasks};
use crate::hlo::kernel::{Kernels, Mode};

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
    /// The modules of the kernels that were asked for, by their mode; `None` where one cannot be had.
    static MODULES: RefCell<Vec<(Mode, Option<Rc<Module>>)>> = const { RefCell::new(Vec::new()) };
}

/// The module of a mode, loaded when it is first asked for.
async fn module(mode: Mode) -> Option<Rc<Module>> {
    let known = MODULES
        .with_borrow(|modules| modules.iter().find(|(of, _)| *of == mode).map(|(_, known)| known.clone()));
    if let Some(known) = known {
        return known;
    }
    let loaded = Module::load(mode).await.ok().map(Rc::new);
    MODULES.with_borrow_mut(|modules| modules.push((mode, loaded.clone())));
    loaded
}

/// Runs a job and sends its answer.
async fn answer(job: Job) {
    HAS_JOB.set(true);
    let module = match job.kernels {
        Asked::Off => None,
        Asked::Strict => module(Mode::Strict).await,
        // A browser without relaxed SIMD still has the other.
        Asked::Fast => match module(Mode::Fast).await {
            None => module(Mode::Strict).await,
            fast => fast,
        },
    };
    let told = Rc::new(RefCell::new(Progress::default()));
    if let Some(module) = &module {
        let (told, last) = (told.clone(), Cell::new(Date::now()));
        module.heard_by(move |share| {
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
        if job.is_alone { module } else { Rc::new(Sharing(module)) }
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
    send(&Reply::Ready, Vec::new());
    spawn_local(warm_up());
}

/// Loads the kernels and runs them for a few milliseconds, until there is a job.
async fn warm_up() {
    let Some(module) = module(Mode::Strict).await else { return };
    for (task, cells) in tasks().iter().cycle().take(TIMES * tasks().len()) {
        // Messages come first.
        gloo::timers::future::TimeoutFuture::new(0).await;
        if HAS_JOB.get() {
            return;
        }
        if let Ok(handle) = module.prepared(task, cells.iter().copied()) {
            // Nobody wants what comes of it.
            module.once(handle);
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
