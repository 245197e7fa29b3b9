//! A worker that computes rows of a dot for a measuring worker.

use std::cell::RefCell;

use js_sys::Float32Array;
use wasm_bindgen::JsCast;

use super::wire::{RowService, RowsReply, RowsRequest};
use crate::hlo::eval::kernel::Build;
use crate::state::speed::Setup;
use crate::state::speed::task::task;
use crate::worker::channel::{Buffers, server};
use crate::worker::kernels::KernelModule;

thread_local! {
    /// The instance, the handle of its dot and the cells of its buffers.
    static DOT: RefCell<Option<(KernelModule, u32, [usize; 3])>> = const { RefCell::new(None) };
}

/// Handles requests for rows, if this worker was started for them.
pub fn serve() {
    server::serve::<RowService, _>(async |call| {
        let done = match call.request {
            RowsRequest::Prepare { sizes } => {
                prepare(sizes, &call.buffers).await.map(|()| Buffers::default())
            }
            RowsRequest::Run => run(&call.buffers),
            RowsRequest::Peak { iterations } => peak(iterations),
        };
        Some(done.map_or((RowsReply::Failed, Buffers::default()), |buffers| (RowsReply::Done, buffers)))
    });
}

async fn prepare(sizes: [u32; 3], buffers: &Buffers) -> Option<()> {
    let module = KernelModule::load(Build::Simd).await.ok()?;
    let setup = Setup { sizes: sizes.map(u64::from).to_vec(), ..Setup::default() };
    let prepared = task(&setup, None)?;
    let cells = [*prepared.input_lengths.first()?, *prepared.input_lengths.get(1)?, prepared.output_length];
    let handle = module.prepare(&prepared.task, cells.into_iter()).ok()?;
    let rhs: Float32Array = buffers.get(0).dyn_into().ok()?;
    let memory = module.floats(handle, 1, cells[1])?;
    (memory.length() == rhs.length()).then(|| memory.set(&rhs, 0))?;
    DOT.set(Some((module, handle, cells)));
    Some(())
}

/// Runs this number of iterations of multiply-adds in registers.
fn peak(iterations: u32) -> Option<Buffers> {
    DOT.with_borrow(|dot| dot.as_ref()?.0.call("peak", f64::from(iterations)))?;
    Some(Buffers::default())
}

/// Computes the rows of a request; returns their buffers, the rows and the result.
fn run(buffers: &Buffers) -> Option<Buffers> {
    let rows: Float32Array = buffers.get(0).dyn_into().ok()?;
    let out: Float32Array = buffers.get(1).dyn_into().ok()?;
    DOT.with_borrow(|dot| {
        let (module, handle, [read, _, written]) = dot.as_ref()?;
        let memory = module.floats(*handle, 0, *read)?;
        (memory.length() == rows.length()).then(|| memory.set(&rows, 0))?;
        module.run(*handle).ok()?;
        let result = module.floats(*handle, 2, *written)?;
        (result.length() == out.length()).then(|| out.set(&result, 0))
    })?;
    let mut returned = Buffers::default();
    returned.transfer(&rows);
    returned.transfer(&out);
    Some(returned)
}
