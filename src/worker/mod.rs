//! Work that would hold up the page, done in a worker: a second instance of this library on its own thread.
//!
//! What crosses is [`messages`], plain data of its own. `start` is the page's side of every worker: it checks its first message
//! ([`hello`]) and reports a [`crate::cause::Cause`] where it does not start or ends. Counting moves: `client` is the page's side
//! and `service` the worker's; a job that is dropped ends. Evaluation: [`evaluation`] runs a job and turns its answer into values,
//! `evaluate_client` is the page's side and `evaluate_service` the worker's, which shares what is large ([`evaluate_shares`])
//! with further workers (`evaluate_crew`) and
//! runs kernels once before they are needed ([`warm_up`]). Measuring: [`speed_messages`],
//! `speed_client`, `speed_service`, and `speed_crew`, the workers that it shares rows with. What evaluates
//! stands apart, so that the landing page does not carry it.

pub mod evaluate_shares;
pub mod evaluation;
pub mod hello;
pub mod messages;
pub mod speed_messages;
pub mod speed_timing;
pub mod warm_up;

#[cfg(target_arch = "wasm32")]
pub mod client;
#[cfg(target_arch = "wasm32")]
pub mod evaluate_client;
#[cfg(target_arch = "wasm32")]
pub mod evaluate_crew;
#[cfg(target_arch = "wasm32")]
pub mod evaluate_service;
#[cfg(target_arch = "wasm32")]
mod fetched;
#[cfg(target_arch = "wasm32")]
pub mod files;
#[cfg(target_arch = "wasm32")]
mod kernel_file;
#[cfg(target_arch = "wasm32")]
pub mod kernels;
#[cfg(target_arch = "wasm32")]
mod member;
#[cfg(target_arch = "wasm32")]
pub mod service;
#[cfg(target_arch = "wasm32")]
pub mod speed_client;
#[cfg(target_arch = "wasm32")]
pub mod speed_crew;
#[cfg(target_arch = "wasm32")]
pub mod speed_service;
#[cfg(target_arch = "wasm32")]
mod start;

/// Makes a panic of this worker an uncaught error with the panic's text, which the page hears; without it all that is heard is
/// `unreachable`, which then means that an allocation failed ([`crate::cause::Cause::of_error`]).
#[cfg(target_arch = "wasm32")]
pub fn report_panics() {
    std::panic::set_hook(Box::new(|info| {
        wasm_bindgen::throw_str(&crate::cause::panic_text(info));
    }));
}
