//! HLO modules: text in, text out, checked, run, and traced back to their parameters.
//!
//! - [`module`]: a module as data; computations and instructions by typed numbers.
//! - [`parser`]: text → module and diagnostics, with [`lexer`] below; it never fails.
//! - [`printer`]: module → text as XLA prints it.
//! - [`export`]: module → program in Rust, JAX or `NumPy`.
//! - [`builder`]: the `ComputationBuilder` of the documents: code → module.
//! - [`verify`]: the rules of a computation and of a module, beyond those of single instructions.
//! - [`eval`]: module and arguments → values; a cell → the cells it came from.
//!
//! Invariant: an instruction of a module without errors has passed [`xla_ops::check`], and its operands stand
//! before it.

pub mod builder;
pub mod eval;
pub mod export;
pub mod lexer;
pub mod module;
mod order;
pub mod parser;
pub mod printer;
mod quoted;
pub mod verify;

pub use builder::ComputationBuilder;
pub use eval::Answers;
pub use eval::evaluator::Evaluator;
pub use eval::host::{Host, Queue};
pub use eval::meter::{Application, Frame, Limits, Observer, Position};
pub use eval::outcome::Outcome;
pub use eval::replicas::{ReplicaError, ReplicaSource, ReplicaTracer, Replicas, WaitMonitor};
pub use eval::tracer::Tracer;
pub use eval::values::EvalError;
pub use module::{Computation, Instruction, InstructionId, Module};
pub use parser::{Parsed, parse};
pub use printer::PrintOptions;
