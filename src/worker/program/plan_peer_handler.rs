//! A worker that runs a program together with the runner.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{ArrayBuffer, Uint8Array, WebAssembly};
use wasm_bindgen::JsCast;

use super::plan_instance::{EXCHANGE, Instance, limit_arguments};
use super::wire::plan_peer::{PeerReply, PeerRequest, PlanPeer};
use crate::hlo::Limits;
use crate::worker::channel::{Buffers, server};

/// Handles parts of runs, if this worker was started for them.
pub fn serve() {
    let slot = Rc::new(RefCell::new(None));
    server::serve::<PlanPeer, _>(move |call| {
        let handled = handle(&mut slot.borrow_mut(), call.request, &call.buffers);
        std::future::ready(Some(handled.unwrap_or((PeerReply::Failed, Buffers::default()))))
    });
}

fn handle(
    slot: &mut Option<Instance>,
    request: PeerRequest,
    received: &Buffers,
) -> Option<(PeerReply, Buffers)> {
    let done = Some((PeerReply::Done, Buffers::default()));
    match (request, &*slot) {
        (PeerRequest::Open { seed, index, count }, _) => {
            let module: WebAssembly::Module = received.get(0).dyn_into().ok()?;
            let text: Uint8Array = received.get(1).dyn_into().ok()?;
            let instance = Instance::new(&module, Rc::new(|_, _| {}))?;
            instance.compile(&String::from_utf8(text.to_vec()).ok()?, seed)?;
            instance.number("divide", &[index.into(), count.into()]).ok()?;
            *slot = Some(instance);
            done
        }
        (PeerRequest::Argument(number), Some(instance)) => {
            let bytes: ArrayBuffer = received.get(0).dyn_into().ok()?;
            let argument = instance.argument(number)?;
            (argument.length() == bytes.byte_length()).then(|| argument.set(&Uint8Array::new(&bytes), 0))?;
            done
        }
        (PeerRequest::Run { steps, bytes }, Some(instance)) => {
            let limits = limit_arguments(Limits { steps, bytes });
            reply(instance, instance.call("run", &limits).ok()?)
        }
        (PeerRequest::Parts, Some(instance)) => {
            let mut parts = Vec::new();
            while let Ok(part) = received.get(u32::try_from(parts.len()).ok()?).dyn_into() {
                parts.push(part);
            }
            instance.write_parts(&parts)?;
            reply(instance, instance.call("resume", &[]).ok()?)
        }
        // A request without a program.
        _ => None,
    }
}

/// The reply to a call that has run a part of the program.
fn reply(instance: &Instance, status: u32) -> Option<(PeerReply, Buffers)> {
    let mut buffers = Buffers::default();
    match status {
        0 => Some((PeerReply::Done, buffers)),
        EXCHANGE => {
            buffers.transfer_buffer(&instance.part()?);
            Some((PeerReply::Part, buffers))
        }
        _ => None,
    }
}
