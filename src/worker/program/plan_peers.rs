//! The workers that run a large program together with the runner, which is the first of them ([`crate::plan::Runner::divide`]).
//!
//! Each has an instance of the module of plans with all arguments. They are started while the runner reads the arguments, serve one
//! run and are terminated. Whatever fails, the runner can run the program alone: then it starts again.

use js_sys::{Array, ArrayBuffer, Date, Promise, WebAssembly};
use wasm_bindgen::JsCast;

use super::plan_instance::Instance;
use super::wire::plan_peer::{PeerReply, PeerRequest, PlanPeer};
use crate::hlo::Limits;
use crate::worker::channel::Buffers;
use crate::worker::channel::peer::{Peer, Pending, with_timeout};
use crate::worker::pool;

/// Maximum number of workers of a program, with the runner: products are exchanged after a few milliseconds, of which more workers
/// would spend more on waiting for the slowest.
const MAX_WORKERS: usize = 4;

/// Minimum milliseconds that further workers must save: their start and the copies of the arguments take about a third of that.
const MIN_SAVED_MS: f64 = 100.0;

/// Maximum bytes of the further workers' arguments and buffers together: half of a run's limit, so that they take less than the run.
const MAX_PEER_BYTES: f64 = 512.0 * 1024.0 * 1024.0;

/// Milliseconds within which workers must be ready, because some browsers never start them.
const START_TIMEOUT_MS: u32 = 2_000;

/// The timeout of a request that computes nothing.
const COPY_TIMEOUT_MS: u32 = 10_000;

/// The timeout of a part: [`COPY_TIMEOUT_MS`] and this many times the time that the runner took for its own.
const MAX_SLOWDOWN: u32 = 10;

/// Workers that may not be ready yet.
pub struct StartedPeers {
    peers: Vec<Peer<PlanPeer>>,
    module: WebAssembly::Module,
}

/// Workers that run a program.
pub struct Peers {
    workers: Vec<Peer<PlanPeer>>,
    /// The pending part of each.
    pending: Vec<Pending<PlanPeer>>,
    /// When the runner began to compute its part.
    part_started_ms: f64,
}

/// The number of further workers that a program is worth.
fn wanted(instance: &Instance) -> Option<usize> {
    let bytes = instance.number("run_bytes", &[]).ok()?;
    let by_bytes = (1..MAX_WORKERS).take_while(|further| number(*further) * bytes <= MAX_PEER_BYTES).count();
    let count = pool::core_count(MAX_WORKERS).min(by_bytes + 1);
    let saved = if count > 1 { divide(instance, count)? } else { 0.0 };
    if saved >= MIN_SAVED_MS {
        return Some(count - 1);
    }
    divide(instance, 1)?;
    None
}

/// Makes an instance the first of `count` workers; returns the milliseconds that this saves.
fn divide(instance: &Instance, count: usize) -> Option<f64> {
    instance.number("divide", &[0.0, number(count)]).ok()
}

#[allow(clippy::cast_precision_loss, reason = "a number of workers")]
fn number(count: usize) -> f64 {
    count as f64
}

impl StartedPeers {
    /// Starts workers for the program of an instance; `None` if it is not worth dividing, or the browser refuses.
    pub fn start(instance: &Instance, module: &WebAssembly::Module) -> Option<Self> {
        let peers = pool::start(wanted(instance)?);
        if peers.is_empty() {
            divide(instance, 1)?;
            return None;
        }
        Some(Self { peers, module: module.clone() })
    }

    /// Compiles the program in the workers that are ready, copies the arguments of the instance to them and starts their run; `None`
    /// if the instance has to run it alone.
    pub async fn open(self, instance: &Instance, text: &str, seed: u32, limits: Limits) -> Option<Peers> {
        let handshakes: Array = self.peers.iter().map(Peer::handshake).collect();
        // Resolved or timed out: each peer reports whether it is ready.
        with_timeout(Promise::all(&handshakes), START_TIMEOUT_MS).await;
        let Self { mut peers, module } = self;
        peers.retain(Peer::is_ready);
        let opened = prepare(instance, &peers, &module, (text, seed)).await;
        let pending = opened.and_then(|()| {
            let request = PeerRequest::Run { steps: limits.steps, bytes: limits.bytes };
            peers.iter().map(|peer| peer.send(&request, &Buffers::default())).collect::<Option<Vec<_>>>()
        });
        let Some(pending) = pending else {
            divide(instance, 1)?;
            return None;
        };
        Some(Peers { workers: peers, pending, part_started_ms: Date::now() })
    }
}

/// Compiles a program in further workers and copies the arguments of an instance to them; `None` if one fails.
async fn prepare(
    instance: &Instance,
    peers: &[Peer<PlanPeer>],
    module: &WebAssembly::Module,
    (text, seed): (&str, u32),
) -> Option<()> {
    if peers.is_empty() {
        return None;
    }
    divide(instance, peers.len() + 1)?;
    let count = u32::try_from(peers.len() + 1).ok()?;
    let opened = (1..).zip(peers).map(|(index, peer)| {
        let mut buffers = Buffers::default();
        buffers.copy_module(module);
        buffers.push_bytes(text.as_bytes());
        peer.send(&PeerRequest::Open { seed, index, count }, &buffers)
    });
    all_done(opened.collect::<Option<Vec<_>>>()?).await?;
    for argument_number in 0.. {
        let Some(argument) = instance.argument(argument_number) else { break };
        let written = peers.iter().map(|peer| {
            let mut buffers = Buffers::default();
            buffers.transfer_buffer(&argument.slice(0, argument.length()).buffer());
            peer.send(&PeerRequest::Argument(argument_number), &buffers)
        });
        // One argument at a time: together they may be most of the memory.
        all_done(written.collect::<Option<Vec<_>>>()?).await?;
    }
    Some(())
}

async fn all_done(pending: Vec<Pending<PlanPeer>>) -> Option<()> {
    for pending in pending {
        let (reply, _) = pending.wait(COPY_TIMEOUT_MS).await?;
        (reply == PeerReply::Done).then_some(())?;
    }
    Some(())
}

impl Peers {
    /// The number of further workers.
    pub fn count(&self) -> usize {
        self.workers.len()
    }

    /// Exchanges the parts of all workers: the input of the instance's next call are those of the others. `None` if one is lost.
    pub async fn exchange(&mut self, instance: &Instance) -> Option<()> {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let own_ms = (Date::now() - self.part_started_ms).max(0.0) as u32;
        let timeout_ms = COPY_TIMEOUT_MS.saturating_add(own_ms.saturating_mul(MAX_SLOWDOWN));
        let own = instance.part()?;
        let pending = std::mem::take(&mut self.pending);
        let parts = if let [peer] = self.workers.as_slice() {
            // The own part is on its way while the other worker still computes.
            self.pending = vec![send_parts(peer, std::slice::from_ref(&own), true)?];
            received(pending, timeout_ms).await?
        } else {
            let parts = received(pending, timeout_ms).await?;
            for (index, peer) in self.workers.iter().enumerate() {
                let others = parts.iter().enumerate().filter(|(other, _)| *other != index);
                let others: Vec<ArrayBuffer> =
                    std::iter::once(&own).chain(others.map(|(_, part)| part)).cloned().collect();
                self.pending.push(send_parts(peer, &others, false)?);
            }
            parts
        };
        self.part_started_ms = Date::now();
        instance.write_parts(&parts)
    }
}

/// Sends parts to a worker: transferred, or copied if others need them, too.
fn send_parts(
    peer: &Peer<PlanPeer>,
    parts: &[ArrayBuffer],
    are_transferred: bool,
) -> Option<Pending<PlanPeer>> {
    let mut buffers = Buffers::default();
    for part in parts {
        let copy = if are_transferred { part.clone() } else { part.slice(0) };
        buffers.transfer_buffer(&copy);
    }
    peer.send(&PeerRequest::Parts, &buffers)
}

/// The parts of further workers.
async fn received(pending: Vec<Pending<PlanPeer>>, timeout_ms: u32) -> Option<Vec<ArrayBuffer>> {
    let mut parts = Vec::new();
    for pending in pending {
        let (reply, buffers) = pending.wait(timeout_ms).await?;
        (reply == PeerReply::Part).then_some(())?;
        parts.push(buffers.get(0).dyn_into().ok()?);
    }
    Some(parts)
}
