//! The catalogue of XLA's document *Operation Semantics* of 2017 (TensorFlow r1.3): its sections in order, and an [`Entry`] for
//! each operation, with signatures, arguments, and every example as an experiment.
//!
//! Invariants: an entry is lowered to an op of `xla_ops`; the result of an example is the one that the document prints, or the
//! example says why there is none. Nothing here evaluates: the tests of the root package run every example. `docs/documents.md`
//! names the test of each statement, also of *Shapes and layout*, the other XLA document of 2017.
//!
//! - [`entry`]: the types; [`sections`]: the content; [`lookup`]: names in links, and search words; `start`: examples
//!   as experiments.

pub mod entry;
mod example;
pub mod lookup;
pub mod sections;
mod start;

pub use entry::{Argument, Entry, Section};
pub use example::{Example, ExpectedResult};
pub use lookup::{by_link_name, by_name, entries, experiment, first_experiment, search_terms};
pub use sections::SECTIONS;
