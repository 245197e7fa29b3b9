//! The workers that a worker starts to share a computation.

use js_sys::Reflect;

use super::channel::Service;
use super::channel::peer::Peer;
use super::channel::server::announce_workers;

/// Threads of the machine, as the browser reports them; at least 1 and at most `most`.
pub fn cores(most: usize) -> usize {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into());
    let cores = navigator.and_then(|navigator| Reflect::get(&navigator, &"hardwareConcurrency".into()));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
    // A browser that keeps it to itself gets no further workers.
    let cores = cores.ok().and_then(|cores| cores.as_f64()).map_or(1, |cores| cores as usize);
    cores.clamp(1, most)
}

/// Starts so many workers of a service, or as many as the browser starts. They are not ready yet.
pub fn start<S: Service>(count: usize) -> Vec<Peer<S>> {
    announce_workers(|| (0..count).filter_map(|_| Peer::start()).collect())
}
