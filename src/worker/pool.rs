//! Starts further workers from a worker, to divide a computation.

use js_sys::Reflect;

use super::channel::Service;
use super::channel::peer::Peer;
use super::channel::server::announce_workers;

/// The number of logical processors that the browser reports, from 1 to `max`.
pub fn core_count(max: usize) -> usize {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into());
    let core_count = navigator.and_then(|navigator| Reflect::get(&navigator, &"hardwareConcurrency".into()));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
    // A browser that hides the number gets no further workers.
    let core_count = core_count
        .ok()
        .and_then(|core_count| core_count.as_f64())
        .map_or(1, |core_count| core_count as usize);
    core_count.clamp(1, max)
}

/// Starts `count` workers of a service, or fewer if the browser refuses. They are not ready yet.
pub fn start<S: Service>(count: usize) -> Vec<Peer<S>> {
    announce_workers(|| (0..count).filter_map(|_| Peer::start()).collect())
}
