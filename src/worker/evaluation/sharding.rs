//! Divides a large dot or convolution of an evaluation among several workers: each has its own kernel instance and
//! computes a shard ([`crate::kernels::sharding::contiguous`]); cells are transferred.
//!
//! The workers are started at the first task that is large enough, reused, and terminated together with this worker.
//! A task waits for their start at most as long as it would take without them. If a worker does not reply correctly,
//! this one computes its shard.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, ArrayBuffer, Promise};
use wasm_bindgen::JsCast;

use super::wire::{ShardReply, ShardRequest, Sharding};
use crate::array::literal::Buffer;
use crate::cause::Cause;
use crate::hlo::eval::kernel::{Build, Kernels, KernelsError, Mode, ShardedRun};
use crate::kernels::Task;
use crate::kernels::sharding::contiguous::{MAX_WORKERS, Shard, shards, workers};
use crate::worker::channel::Buffers;
use crate::worker::channel::peer::{Peer, Pending, with_timeout};
use crate::worker::kernels::RestartingModule;
use crate::worker::kernels::elements::{ElementRange, copy_from_memory, to_array_buffer};
use crate::worker::pool;

/// Multiply-adds per millisecond of a slow machine: an estimate of how long a task would take without sharding.
const SLOW_STEPS_PER_MS: u64 = 10_000_000;

/// Milliseconds that all tasks together wait for workers to start, because some browsers never start them.
const START_BUDGET_MS: u32 = 2_000;

/// The timeout of a shard: [`MIN_REPLY_MS`] plus the time that its multiply-adds take on a very slow machine, at most
/// [`MAX_REPLY_MS`] (an hour).
const MIN_REPLY_MS: u32 = 10_000;
const SLOWEST_STEPS_PER_MS: u64 = 100_000;
const MAX_REPLY_MS: u32 = 3_600_000;

/// Sends a shard and the ranges of the buffers that it reads.
fn send(peer: &Peer<Sharding>, shard: &Shard, read: &[&Buffer], mode: Mode) -> Option<Pending<Sharding>> {
    let request = ShardRequest {
        is_fast: mode == Mode::Fast,
        words: shard.task.to_words()?,
        read: shard.read.iter().map(std::ops::Range::len).collect(),
        written: shard.written.len(),
    };
    let mut buffers = Buffers::default();
    for (buffer, range) in read.iter().zip(&shard.read) {
        buffers.transfer_buffer(&to_array_buffer(buffer, range)?);
    }
    peer.send(&request, &buffers)
}

thread_local! {
    /// The started workers. Those that failed to reply are terminated and not restarted.
    static POOL: RefCell<Vec<Rc<Peer<Sharding>>>> = const { RefCell::new(Vec::new()) };
    static STARTED_COUNT: Cell<usize> = const { Cell::new(0) };
    /// The remaining part of [`START_BUDGET_MS`].
    static REMAINING_START_BUDGET_MS: Cell<u32> = const { Cell::new(START_BUDGET_MS) };
}

/// Those of `count` workers that become ready within `timeout_ms`.
async fn peers(count: usize, timeout_ms: u64) -> Vec<Rc<Peer<Sharding>>> {
    if STARTED_COUNT.get() < count {
        let missing = count - STARTED_COUNT.replace(count);
        POOL.with_borrow_mut(|pool| pool.extend(pool::start(missing).into_iter().map(Rc::new)));
    }
    let peers: Vec<Rc<Peer<Sharding>>> = POOL.with_borrow(|pool| pool.iter().take(count).cloned().collect());
    let budget_ms = REMAINING_START_BUDGET_MS.get();
    if budget_ms > 0 && peers.iter().any(|peer| !peer.is_ready()) {
        let handshakes: Array = peers.iter().map(|peer| peer.handshake()).collect();
        let timeout_ms = u32::try_from(timeout_ms).unwrap_or(budget_ms).min(budget_ms);
        let started = js_sys::Date::now();
        // Resolved or timed out: each peer reports whether it is ready.
        with_timeout(Promise::all(&handshakes), timeout_ms).await;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the budget")]
        let waited_ms = (js_sys::Date::now() - started).max(0.0) as u32;
        REMAINING_START_BUDGET_MS.set(budget_ms.saturating_sub(waited_ms));
    }
    peers.into_iter().filter(|peer| peer.is_ready()).collect()
}

/// Terminates a worker that failed to reply.
fn terminate(peer: &Rc<Peer<Sharding>>) {
    POOL.with_borrow_mut(|pool| pool.retain(|other| !Rc::ptr_eq(other, peer)));
}

fn max_workers() -> usize {
    pool::core_count(MAX_WORKERS)
}

/// A kernel module that divides large tasks among further workers.
pub struct ShardedKernels(pub Rc<RestartingModule>);

impl ShardedKernels {
    /// Computes a shard in this worker.
    fn run_shard(&self, shard: &Shard, read: &[&Buffer], out: &mut Buffer) -> Result<String, KernelsError> {
        let read: Vec<ElementRange> = read.iter().copied().zip(shard.read.iter().cloned()).collect();
        self.0.run_ranges(&shard.task, &read, &mut [(out, shard.written.clone())])
    }

    async fn run_sharded(
        &self,
        task: &Task,
        read: &[&Buffer],
        written: &mut [&mut Buffer],
    ) -> Result<(String, u32), KernelsError> {
        let unsharded = |written: &mut [&mut Buffer]| {
            self.0.run(task, read, written, &mut |_| true).map(|name| (name, 1))
        };
        let wanted = workers(task, max_workers()).saturating_sub(1);
        let peers = peers(wanted, task.steps() / SLOW_STEPS_PER_MS).await;
        let Some(shards) = shards(task, peers.len() + 1) else { return unsharded(written) };
        let ([own_shard, others @ ..], [out]) = (shards.as_slice(), &mut *written) else {
            return unsharded(written);
        };
        let pending = others.iter().zip(&peers);
        let pending: Vec<_> = pending.map(|(shard, peer)| send(peer, shard, read, self.mode())).collect();
        let kernel_name = self.run_shard(own_shard, read, out)?;
        let mut worker_count = 1;
        let compute_ms = u32::try_from(task.steps() / SLOWEST_STEPS_PER_MS).unwrap_or(MAX_REPLY_MS);
        let timeout_ms = MIN_REPLY_MS.saturating_add(compute_ms).min(MAX_REPLY_MS);
        for ((shard, peer), pending) in others.iter().zip(&peers).zip(pending) {
            if receive(shard, pending, timeout_ms, out).await.is_some() {
                worker_count += 1;
            } else {
                terminate(peer);
                self.run_shard(shard, read, out)?;
            }
        }
        Ok((kernel_name, worker_count))
    }
}

/// Waits for a shard and copies it into the result.
async fn receive(
    shard: &Shard,
    pending: Option<Pending<Sharding>>,
    timeout_ms: u32,
    out: &mut Buffer,
) -> Option<()> {
    let (reply, buffers) = pending?.wait(timeout_ms).await?;
    (reply == ShardReply::Done).then_some(())?;
    let result: ArrayBuffer = buffers.get(0).dyn_into().ok()?;
    let bytes = shard.written.len().checked_mul(shard.task.types().1.first()?.bytes())?;
    (u32::try_from(bytes) == Ok(result.byte_length())).then_some(())?;
    copy_from_memory(&result, 0, out, &shard.written)
}

impl Kernels for ShardedKernels {
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

    fn substitute_build(&self) -> Option<(Build, Cause)> {
        self.0.substitute_build()
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
        Box::pin(self.run_sharded(task, read, written))
    }
}
