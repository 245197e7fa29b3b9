//! HLO modules: parsing, printing, verification, evaluation, and provenance of values back to the parameters.
//!
//! - [`module`]: a module as data; computations and instructions have typed ids.
//! - [`parser`]: text → module and diagnostics, on top of [`lexer`]; it never fails.
//! - [`printer`]: module → text as XLA prints it.
//! - [`export`]: module → program in Rust, JAX or `NumPy`.
//! - [`builder`]: the `ComputationBuilder` of XLA's operation semantics: Rust calls → module.
//! - [`lowering`]: the builder's forms in text → plain HLO text.
//! - [`verify`]: rules that concern a whole computation or module; rules of single instructions are in [`xla_ops`].
//! - [`eval`]: module and arguments → values; a cell → its source cells.
//!
//! Invariant: an instruction of a module without errors has passed [`xla_ops::check`], and its operands precede it.
mod async_pairs;
pub mod builder;
pub mod eval;
pub mod export;
pub mod lexer;
pub mod locations;
pub mod lowering;
pub mod module;
mod order;
pub mod parser;
pub mod printer;
mod quoted;
pub mod verify;

pub use builder::ComputationBuilder;
pub use eval::devices::{DeviceError, DeviceSource, DeviceTracer, SimulatedDevices, WaitMonitor};
pub use eval::evaluator::Evaluator;
pub use eval::host::{Host, Queue};
pub use eval::meter::{Application, Frame, Limits, Observer, Pause, Position};
pub use eval::outcome::Outcome;
pub use eval::tracer::{LocatedCell, Tracer};
pub use eval::values::EvalError;
pub use eval::{CallPath, RecordedAnswers};
pub use module::{Computation, Instruction, InstructionId, Module};
pub use parser::nearest::opcode as nearest_opcode;
pub use parser::{Lowered, Parsed, lower, parse};
pub use printer::{InstructionPrinter, PrintOptions};
