//! Workers that compute a dot together, each a range of rows. Each has its own kernel instance with the whole right operand; rows and
//! results are transferred, not copied.

use std::cell::RefCell;

use js_sys::Float32Array;
use wasm_bindgen::JsCast;

use super::timing::rows_per_worker;
use super::wire::{RowService, RowsReply, RowsRequest};
use crate::state::speed::Setup;
use crate::worker::channel::Buffers;
use crate::worker::channel::peer::{Peer, with_timeout};
use crate::worker::pool;

/// The timeout for starting a worker, and for preparing a dot, in milliseconds.
const PREPARE_TIMEOUT_MS: u32 = 10_000;

/// A lower bound on the multiply-adds per millisecond of one worker, for the timeout of a run.
const MIN_MULTIPLY_ADDS_PER_MS: u64 = 50_000;

/// The longest timeout of a run, in milliseconds: an hour.
const MAX_RUN_TIMEOUT_MS: u32 = 3_600_000;

/// A worker with its rows and its part of the result; `None` while they are transferred to it.
struct Member {
    peer: Peer<RowService>,
    buffers: RefCell<Option<(Float32Array, Float32Array)>>,
}

/// Workers that prepared a dot.
pub struct RowPool {
    members: Vec<Member>,
    /// The timeout of a run, in milliseconds.
    run_timeout_ms: u32,
}

impl RowPool {
    /// Starts `count` workers, each with a range of the rows of a dot; `None` if not all of them start.
    pub async fn start(count: u32, setup: &Setup, values: &[Vec<f32>]) -> Option<Self> {
        let [m, k, n] = *setup.sizes.as_slice() else { return None };
        let (m, k, n) = (u32::try_from(m).ok()?, u32::try_from(k).ok()?, u32::try_from(n).ok()?);
        let peers = pool::start(count as usize);
        (peers.len() == count as usize).then_some(())?;
        for peer in &peers {
            with_timeout(peer.handshake(), PREPARE_TIMEOUT_MS).await;
            peer.is_ready().then_some(())?;
        }
        let (lhs, rhs) = (values.first()?, Float32Array::from(values.get(1)?.as_slice()));
        let (mut first_row, mut members, mut pending) = (0, Vec::new(), Vec::new());
        for (peer, rows) in peers.into_iter().zip(rows_per_worker(m, count)) {
            // Copied to each worker.
            let mut buffers = Buffers::default();
            buffers.copy(&rhs);
            pending.push(peer.send(&RowsRequest::Prepare { sizes: [rows, k, n] }, &buffers)?);
            let (from, to) = (first_row as usize * k as usize, (first_row + rows) as usize * k as usize);
            let lhs = Float32Array::from(lhs.get(from..to)?);
            let out = Float32Array::new_with_length(rows.checked_mul(n)?);
            members.push(Member { peer, buffers: RefCell::new(Some((lhs, out))) });
            first_row += rows;
        }
        for pending in pending {
            let (reply, _) = pending.wait(PREPARE_TIMEOUT_MS).await?;
            (reply == RowsReply::Done).then_some(())?;
        }
        let max_compute_ms = u32::try_from(setup.steps() / MIN_MULTIPLY_ADDS_PER_MS)
            .unwrap_or(MAX_RUN_TIMEOUT_MS)
            .min(MAX_RUN_TIMEOUT_MS);
        Some(Self { members, run_timeout_ms: PREPARE_TIMEOUT_MS.saturating_add(max_compute_ms) })
    }

    /// Computes the dot once; each worker computes its own rows. `None` if one fails.
    pub async fn run(&self) -> Option<()> {
        let mut pending = Vec::new();
        for member in &self.members {
            let (rows, out) = member.buffers.borrow_mut().take()?;
            let mut buffers = Buffers::default();
            buffers.transfer(&rows);
            buffers.transfer(&out);
            pending.push(member.peer.send(&RowsRequest::Run, &buffers)?);
        }
        for (member, pending) in self.members.iter().zip(pending) {
            let (reply, buffers) = pending.wait(self.run_timeout_ms).await?;
            (reply == RowsReply::Done).then_some(())?;
            let buffers = (buffers.get(0).dyn_into().ok()?, buffers.get(1).dyn_into().ok()?);
            member.buffers.replace(Some(buffers));
        }
        Some(())
    }

    /// Runs this many iterations of the register-only peak-throughput loop on all workers concurrently. Returns the number of
    /// workers; `None` if one fails.
    pub async fn run_peak_loop(&self, iterations: u32) -> Option<u32> {
        let mut pending = Vec::new();
        for member in &self.members {
            pending.push(member.peer.send(&RowsRequest::Peak { iterations }, &Buffers::default())?);
        }
        for pending in pending {
            let (reply, _) = pending.wait(self.run_timeout_ms).await?;
            (reply == RowsReply::Done).then_some(())?;
        }
        u32::try_from(self.members.len()).ok()
    }
}
