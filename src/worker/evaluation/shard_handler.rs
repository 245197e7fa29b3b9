//! A worker that computes shards of large tasks for an evaluating worker.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{ArrayBuffer, Uint8Array};
use wasm_bindgen::JsCast;

use super::wire::{ShardReply, ShardRequest, Sharding};
use crate::hlo::eval::kernel::Build;
use crate::kernels::{Task, Type};
use crate::worker::channel::{Buffers, server};
use crate::worker::kernels::KernelModule;

thread_local! {
    /// The module that was requested last.
    static MODULE: RefCell<Option<Rc<KernelModule>>> = const { RefCell::new(None) };
}

/// Handles requests for shards, if this worker was started for them.
pub fn serve() {
    server::serve::<Sharding, _>(async |call| {
        let mut buffers = Buffers::default();
        let reply = match compute(&call.request, &call.buffers).await {
            Some(result) => {
                buffers.transfer_buffer(&result);
                ShardReply::Done
            }
            None => ShardReply::Failed,
        };
        Some((reply, buffers))
    });
}

async fn module(build: Build) -> Option<Rc<KernelModule>> {
    if let Some(module) = MODULE.with_borrow(Clone::clone).filter(|module| module.build() == build) {
        return Some(module);
    }
    let module = Rc::new(KernelModule::load(build).await.ok()?);
    MODULE.set(Some(module.clone()));
    Some(module)
}

/// Computes a shard.
async fn compute(request: &ShardRequest, buffers: &Buffers) -> Option<ArrayBuffer> {
    let module = module(if request.is_fast { Build::RelaxedSimd } else { Build::Simd }).await?;
    let task = Task::from_words(&request.words)?;
    let cells = request.read.iter().copied().chain([request.written]);
    let handle = module.prepare(&task, cells).ok()?;
    let result = run(&module, handle, &task, request, buffers);
    module.dispose(handle);
    result
}

fn run(
    module: &KernelModule,
    handle: u32,
    task: &Task,
    request: &ShardRequest,
    buffers: &Buffers,
) -> Option<ArrayBuffer> {
    let (types, written) = task.types();
    let bytes = |ty: &Type, cells: usize| u32::try_from(cells.checked_mul(ty.bytes())?).ok();
    for (index, (ty, cells)) in types.iter().zip(&request.read).enumerate() {
        let from: ArrayBuffer = buffers.get(u32::try_from(index).ok()?).dyn_into().ok()?;
        let length = bytes(ty, *cells)?;
        (from.byte_length() == length).then_some(())?;
        module.bytes(handle, index, length)?.set(&Uint8Array::new(&from), 0);
    }
    if module.run(handle).is_err() {
        // The instance may have crashed: the next shard gets a new one.
        MODULE.take();
        return None;
    }
    let length = bytes(written.first()?, request.written)?;
    Some(module.bytes(handle, types.len(), length)?.slice(0, length).buffer())
}
