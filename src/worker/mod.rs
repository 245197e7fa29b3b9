//! Work that would block the page, done in workers: further instances of this library, each on its own thread.
//!
//! - [`channel`]: the one typed request/reply channel of all workers: handshake, frames, progress, cancellation, watchdogs.
//! - [`counting`], [`evaluation`] and [`speed`]: its services, each with wire types, a client and a handler.
//! - `pool`: the workers that a worker starts to share a computation.
//! - `kernels`: the kernels' WebAssembly modules, as a worker runs them.
//! - `site`: the files of this release and how they are fetched.
//!
//! Invariant: what crosses a channel is a wire type of its service, never a type of the core. Evaluation and measuring stand
//! apart, so that the landing page does not carry them.

pub mod channel;
pub mod counting;
pub mod evaluation;
pub mod speed;

#[cfg(target_arch = "wasm32")]
pub mod kernels;
#[cfg(target_arch = "wasm32")]
mod pool;
#[cfg(target_arch = "wasm32")]
pub mod site;

/// Serves what this worker was started for: the service whose name it has. Anything else is ignored.
#[cfg(target_arch = "wasm32")]
pub fn serve() {
    report_panics();
    crate::bug::set_hook(|text| gloo::console::error!(text));
    counting::handler::serve();
    evaluation::handler::serve();
    evaluation::share_handler::serve();
    speed::handler::serve();
    speed::row_handler::serve();
}

/// Makes a panic of this worker an uncaught error with the panic's text, which the page observes; without it all that is observed is
/// `unreachable`, which then means that an allocation failed ([`crate::cause::Cause::of_error`]).
#[cfg(target_arch = "wasm32")]
fn report_panics() {
    std::panic::set_hook(Box::new(|info| {
        wasm_bindgen::throw_str(&crate::cause::panic_text(info));
    }));
}
