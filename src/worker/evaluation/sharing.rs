//! Shares a large dot or convolution of an evaluation among several workers: each has its own kernel instance and
//! computes a share ([`super::shares`]); cells are transferred.
//!
//! The workers are started at the first task that is large enough, reused, and terminated together with this worker.
//! A task waits for their start at most as long as it would take without them. If a worker does not reply correctly,
//! this one computes its share.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, ArrayBuffer, Promise};
use wasm_bindgen::JsCast;

use super::shares::{MAX_WORKERS, Share, shares, workers};
use super::wire::{ShareReply, ShareRequest, Sharing};
use crate::array::literal::Buffer;
use crate::cause::Cause;
use crate::hlo::eval::kernel::{Build, Kernels, KernelsError, Mode, ShardedRun};
use crate::kernels::Task;
use crate::worker::channel::Buffers;
use crate::worker::channel::peer::{Peer, Pending, within};
use crate::worker::kernels::RestartingModule;
use crate::worker::kernels::cells::{CellRange, copy_from_memory, to_array_buffer};
use crate::worker::pool;

/// Multiply-adds per millisecond of a slow machine: an estimate of how long a task would take without sharing.
const SLOW_STEPS_PER_MS: u64 = 10_000_000;

/// Milliseconds that all tasks together wait for workers to start, because some browsers never start them.
const START_BUDGET_MS: u32 = 2_000;

/// The timeout of a share: this, plus the time that its multiply-adds take on a very slow machine; at most an hour.
const MIN_REPLY_MS: u32 = 10_000;
const SLOWEST_STEPS_PER_MS: u64 = 100_000;
const MAX_REPLY_MS: u32 = 3_600_000;

/// Sends a share and the ranges of the buffers that it reads.
fn send(peer: &Peer<Sharing>, share: &Share, read: &[&Buffer], mode: Mode) -> Option<Pending<Sharing>> {
    let request = ShareRequest {
        is_fast: mode == Mode::Fast,
        words: share.task.to_words()?,
        read: share.read.iter().map(std::ops::Range::len).collect(),
        written: share.written.len(),
    };
    let mut buffers = Buffers::default();
    for (buffer, range) in read.iter().zip(&share.read) {
        buffers.transfer_buffer(&to_array_buffer(buffer, range)?);
    }
    peer.send(&request, &buffers)
}

thread_local! {
    /// The started workers. Those that failed to reply are terminated and not restarted.
    static POOL: RefCell<Vec<Rc<Peer<Sharing>>>> = const { RefCell::new(Vec::new()) };
    static STARTED: Cell<usize> = const { Cell::new(0) };
    /// The rest of the budget.
    static START_BUDGET_LEFT_MS: Cell<u32> = const { Cell::new(START_BUDGET_MS) };
}

/// Those of `count` workers that are ready within `timeout_ms`.
async fn peers(count: usize, timeout_ms: u64) -> Vec<Rc<Peer<Sharing>>> {
    if STARTED.get() < count {
        let missing = count - STARTED.replace(count);
        POOL.with_borrow_mut(|pool| pool.extend(pool::start(missing).into_iter().map(Rc::new)));
    }
    let peers: Vec<Rc<Peer<Sharing>>> = POOL.with_borrow(|pool| pool.iter().take(count).cloned().collect());
    let left = START_BUDGET_LEFT_MS.get();
    if left > 0 && peers.iter().any(|peer| !peer.is_ready()) {
        let handshakes: Array = peers.iter().map(|peer| peer.handshake()).collect();
        let timeout_ms = u32::try_from(timeout_ms).unwrap_or(left).min(left);
        let started = js_sys::Date::now();
        // Resolved or timed out: each peer reports whether it is ready.
        within(Promise::all(&handshakes), timeout_ms).await;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some milliseconds")]
        let waited = (js_sys::Date::now() - started).max(0.0) as u32;
        START_BUDGET_LEFT_MS.set(left.saturating_sub(waited));
    }
    peers.into_iter().filter(|peer| peer.is_ready()).collect()
}

/// Terminates a worker that failed to reply.
fn terminate(peer: &Rc<Peer<Sharing>>) {
    POOL.with_borrow_mut(|pool| pool.retain(|other| !Rc::ptr_eq(other, peer)));
}

fn max_workers() -> usize {
    pool::cores(MAX_WORKERS)
}

/// A kernel module that shares large tasks with further workers.
pub struct SharedKernels(pub Rc<RestartingModule>);

impl SharedKernels {
    /// Computes a share in this worker.
    fn run_share(&self, share: &Share, read: &[&Buffer], out: &mut Buffer) -> Result<String, KernelsError> {
        let read: Vec<CellRange> = read.iter().copied().zip(share.read.iter().cloned()).collect();
        self.0.run_ranges(&share.task, &read, &mut [(out, share.written.clone())])
    }

    async fn share(
        &self,
        task: &Task,
        read: &[&Buffer],
        written: &mut [&mut Buffer],
    ) -> Result<(String, u32), KernelsError> {
        let unshared = |written: &mut [&mut Buffer]| {
            self.0.run(task, read, written, &mut |_| true).map(|name| (name, 1))
        };
        let wanted = workers(task, max_workers()).saturating_sub(1);
        let peers = peers(wanted, task.steps() / SLOW_STEPS_PER_MS).await;
        let Some(shares) = shares(task, peers.len() + 1) else { return unshared(written) };
        let ([own_share, others @ ..], [out]) = (shares.as_slice(), &mut *written) else {
            return unshared(written);
        };
        let pending = others.iter().zip(&peers);
        let pending: Vec<_> = pending.map(|(share, peer)| send(peer, share, read, self.mode())).collect();
        let name = self.run_share(own_share, read, out)?;
        let mut count = 1;
        let compute_ms = u32::try_from(task.steps() / SLOWEST_STEPS_PER_MS).unwrap_or(MAX_REPLY_MS);
        let timeout_ms = MIN_REPLY_MS.saturating_add(compute_ms).min(MAX_REPLY_MS);
        for ((share, peer), pending) in others.iter().zip(&peers).zip(pending) {
            if receive(share, pending, timeout_ms, out).await.is_some() {
                count += 1;
            } else {
                terminate(peer);
                self.run_share(share, read, out)?;
            }
        }
        Ok((name, count))
    }
}

/// Waits for a share and copies it into the result.
async fn receive(
    share: &Share,
    pending: Option<Pending<Sharing>>,
    timeout_ms: u32,
    out: &mut Buffer,
) -> Option<()> {
    let (reply, buffers) = pending?.within(timeout_ms).await?;
    (reply == ShareReply::Done).then_some(())?;
    let cells: ArrayBuffer = buffers.get(0).dyn_into().ok()?;
    let bytes = share.written.len().checked_mul(share.task.types().1.first()?.bytes())?;
    (u32::try_from(bytes) == Ok(cells.byte_length())).then_some(())?;
    copy_from_memory(&cells, 0, out, &share.written)
}

impl Kernels for SharedKernels {
    fn mode(&self) -> Mode {
        self.0.mode()
    }

    fn run(
        &self,
        task: &Task,
        read: &[&Buffer],
        written: &mut [&mut Buffer],
        tick: &mut dyn FnMut(u64) -> bool,
    ) -> Result<String, KernelsError> {
        self.0.run(task, read, written, tick)
    }

    fn replaced_build(&self) -> Option<(Build, Cause)> {
        self.0.replaced_build()
    }

    fn is_sharded(&self, task: &Task) -> bool {
        // The other workers load a SIMD module.
        self.0.module().build() != Build::Scalar && workers(task, max_workers()) > 1
    }

    fn run_sharded<'a>(
        &'a self,
        task: &'a Task,
        read: &'a [&'a Buffer],
        written: &'a mut [&'a mut Buffer],
    ) -> ShardedRun<'a> {
        Box::pin(self.share(task, read, written))
    }
}
