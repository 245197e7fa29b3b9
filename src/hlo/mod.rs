//! HLO modules: text in, text out, checked, run, and traced back to their parameters.
//!
//! - [`module`]: a module as data; computations and instructions by typed numbers.
//! - [`parser`]: text → module and diagnostics, with [`lexer`] below; it never fails.
//! - [`printer`]: module → text as XLA prints it.
//! - [`builder`]: the `ComputationBuilder` of the documents: code → module.
//! - [`verify`]: the rules of a computation and of a module, beyond those of single instructions.
//! - [`mod@evaluate`]: module and arguments → values; [`trace`]: a cell → the cells it came from.
//!
//! Invariant: an instruction of a module without errors has passed [`crate::ops::check`], and its operands stand
//! before it.

pub mod builder;
pub mod evaluate;
pub mod lexer;
pub mod module;
mod order;
pub mod parser;
pub mod printer;
mod regions;
pub mod trace;
pub mod verify;

pub use builder::ComputationBuilder;
pub use evaluate::{EvalError, Evaluator, Frame, Limits, Observer};
pub use module::{Computation, Instruction, InstructionId, Module};
pub use parser::{Parsed, parse};
pub use printer::PrintOptions;
