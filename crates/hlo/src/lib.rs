//! HLO modules: text in, text out, checked, run, and traced back to their parameters.
//!
//! - [`module`]: a module as data; computations and instructions by typed numbers.
//! - [`parser`]: text → module and diagnostics, with [`lexer`] below; it never fails.
//! - [`printer`]: module → text as XLA prints it.
//! - [`export`]: module → program in Rust, JAX or `NumPy`.
//! - [`builder`]: the `ComputationBuilder` of the documents: code → module.
//! - [`verify`]: the rules of a computation and of a module, beyond those of single instructions.
//! - [`mod@evaluate`]: module and arguments → values; [`trace`]: a cell → the cells it came from.
//! - [`host`]: what the embedder gives to a run: queues, functions; [`replicas`]: several devices in lockstep.
//!
//! Invariant: an instruction of a module without errors has passed [`xla_ops::check`], and its operands stand
//! before it.

mod bounded;
pub mod budget;
pub mod builder;
mod cells;
pub mod evaluate;
pub mod export;
pub mod host;
pub mod kernel;
pub mod lexer;
mod meetings;
mod memory;
pub mod meter;
pub mod module;
mod order;
mod outside;
pub mod parser;
pub mod printer;
mod quoted;
mod regions;
pub mod replicas;
mod top_k;
pub mod trace;
pub mod values;
pub mod verify;

pub use builder::ComputationBuilder;
pub use evaluate::Evaluator;
pub use host::{Host, Queue};
pub use meter::{Application, Frame, Limits, Observer, Place};
pub use module::{Computation, Instruction, InstructionId, Module};
pub use outside::Answers;
pub use parser::{Parsed, parse};
pub use printer::PrintOptions;
pub use replicas::{ReplicaError, ReplicaSource, Replicas, Waits};
pub use values::EvalError;
