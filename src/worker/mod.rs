//! Work that would block the page, in web workers: further instances of this library, each on its own thread.
//!
//! - [`channel`]: the typed request/reply channel of all workers: handshake, frames, progress, cancellation,
//!   timeouts.
//! - [`counting`], [`evaluation`], [`program`] and [`speed`]: its services, each with wire types, a client and a handler.
//! - `pool`: starts further workers from a worker, to divide a computation.
//! - `kernels`: the kernels' WebAssembly modules, instantiated in a worker.
//! - `site`: fetches the files of this release.
//!
//! Invariant: only wire types cross a channel, never core types. Evaluation and measuring are services of their own,
//! so that the landing page does not link them.

pub mod channel;
pub mod counting;
pub mod evaluation;
pub mod program;
pub mod speed;

#[cfg(target_os = "unknown")]
pub mod kernels;
#[cfg(target_os = "unknown")]
mod pool;
#[cfg(target_os = "unknown")]
pub mod site;

/// Serves the service that this worker was started for, by the worker's name; other names are ignored.
#[cfg(target_os = "unknown")]
pub fn serve() {
    report_panics();
    // A worker replies in the language of its job, without loading translation files.
    crate::i18n::install_compiled_translations();
    crate::bug::set_hook(|text| gloo::console::error!(text));
    counting::handler::serve();
    evaluation::handler::serve();
    evaluation::shard_handler::serve();
    program::plan_peer_handler::serve();
    program::query_handler::serve();
    program::running_handler::serve();
    program::task_handler::serve();
    speed::handler::serve();
    speed::row_handler::serve();
}

/// Rethrows a panic as an uncaught error with the panic's text, which the page receives. Otherwise the page would
/// receive only `unreachable`, which it reads as a failed allocation ([`crate::cause::Cause::of_error`]).
#[cfg(target_os = "unknown")]
fn report_panics() {
    std::panic::set_hook(Box::new(|info| {
        wasm_bindgen::throw_str(&crate::cause::panic_text(info));
    }));
}
