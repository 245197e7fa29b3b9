//! Experiments of the Ops screen: HLO text, the values of its parameters, and what a run of them gives.
//!
//! An [`Experiment`] is all that a link restores. The text is the single source: forms change parts of it
//! ([`edit`]), nothing is kept beside it, so that whatever runs here can be copied into any other XLA tool. The ops
//! are known only through `xla_ops`; nothing here names one.
//!
//! - [`state`]: an experiment as plain data; [`preset`]: those of the ops' examples.
//! - [`needs`]: what a module needs of host and devices; [`arguments`]: the values it runs on.
//! - [`mod@run`]: runs, and where their cells came from.

pub mod arguments;
pub mod edit;
pub mod needs;
pub mod preset;
pub mod run;
pub mod state;
pub mod typed_arrays;

pub use state::Experiment;
