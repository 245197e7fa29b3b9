//! The worker's side of evaluation: takes one request after the other and answers it. It is never asked to stop: the
//! page ends the whole worker, which also works in the middle of a cell.

use js_sys::{Array, Date, Uint8Array};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::evaluation::{Memory, run};
use super::messages::{Misread, Reply, Request, header, read};

/// The name by which the page asks for a worker of this kind.
pub const NAME: &str = "evaluate";

fn scope() -> Option<DedicatedWorkerGlobalScope> {
    js_sys::global().dyn_into().ok()
}

/// Whether this worker was started to evaluate.
pub fn is_asked_for() -> bool {
    scope().is_some_and(|scope| scope.name() == NAME)
}

/// Takes requests from now on.
pub fn serve() {
    let Some(scope) = scope() else { return };
    let listener = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| {
        let text = event.data().as_string().unwrap_or_default();
        match read::<Request>(&text) {
            Ok(Request::Run(job)) => {
                let (reply, memory) =
                    run(&job, &Date::now, &mut |progress| send(&Reply::Progress(progress), Vec::new()));
                send(&reply, memory);
            }
            Err(Misread::Protocol(_) | Misread::Garbage) => send(&Reply::Refused, Vec::new()),
        }
    });
    scope.set_onmessage(Some(listener.as_ref().unchecked_ref()));
    // It listens as long as the worker lives.
    listener.forget();
    send(&Reply::Ready, Vec::new());
}

/// Sends a reply, its memory handed over.
fn send(reply: &Reply, memory: Memory) {
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
