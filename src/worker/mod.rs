//! Work that would hold up the page, done in a worker: a second instance of this library on its own thread.
//!
//! What crosses is [`messages`], plain data of its own. Counting moves: `client` is the page's side and `service`
//! the worker's; a job that is dropped ends. Evaluation: [`evaluation`] runs a job and turns its answer into values,
//! `evaluate_client` is the page's side and `evaluate_service` the worker's, which shares what is large ([`evaluate_shares`])
//! with further workers (`evaluate_crew`) and
//! runs kernels once before they are needed ([`warm_up`]). Measuring: [`speed_messages`],
//! `speed_client`, `speed_service`, and `speed_crew`, the workers that it shares rows with. What evaluates
//! stands apart, so that the landing page does not carry it.

pub mod evaluate_shares;
pub mod evaluation;
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
pub mod files;
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
