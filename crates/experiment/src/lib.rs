//! Experiments of the Ops screen: HLO text, the values of its parameters, and its runs.
//!
//! An [`Experiment`] is the state that a link restores. Its HLO text is the single source of truth: forms edit parts of
//! it ([`edit`]), so that every experiment is valid input for other XLA tools. Ops are known only through `xla_ops`;
//! nothing here names one, except [`adapt`] and [`start_indices`].
//!
//! - [`state`]: an experiment as plain data; [`preset`]: experiments from the ops' examples.
//! - [`needs`]: what a module requires of host and devices; [`arguments`]: the values of its parameters.
//! - [`adapt`]: examples adapted to the value that an op is to be applied to; [`start_indices`]: programs rewritten for
//!   another edition.
//! - [`mod@run`]: runs, and the provenance of their cells.

pub mod adapt;
pub mod arguments;
pub mod edit;
pub mod needs;
pub mod preset;
pub mod run;
pub mod start_indices;
pub mod state;
pub mod typed_arrays;

pub use state::Experiment;
