//! Static performance analysis of a module: its operations, its bytes and memory, and the layouts that cause them.
//!
//! - [`Performance`]: all analyses.
//! - [`bytes`]: the bytes of a value, with and without padding.
//! - [`cost`]: the work of an instruction, by the definitions of XLA's `HloCostAnalysis`; `work` counts operations,
//!   `positions` those of a convolution, `traffic` bytes.
//! - [`mod@trip_count`]: the number of iterations of a loop; [`roles`]: how computations are called, and how often.
//! - [`movement`]: which data movement is free (`slots`), and which moves bytes; [`chain`]: what determines its layouts.
//! - [`padding`]: bytes lost to tiles.
//! - [`memory`]: live bytes over the program's time, of the buffers in `values`.
//!
//! Every analysis takes time linear in the size of the module, apart from sorting.

mod analysis;
pub mod bytes;
pub mod chain;
pub mod cost;
pub mod memory;
pub mod movement;
pub mod padding;
mod positions;
pub mod roles;
mod slots;
mod traffic;
pub mod trip_count;
mod values;
mod work;

use xla_hlo::{Instruction, Module};
use xla_ops::ComputationId;

pub use crate::calls::InstructionRef;
pub use analysis::Performance;

/// The instruction of a reference.
pub fn instruction(module: &Module, at: InstructionRef) -> Option<&Instruction> {
    module.get(at.0)?.get(at.1)
}

/// Every computation with its id, callees before callers.
pub(crate) fn computations(module: &Module) -> impl Iterator<Item = (ComputationId, &xla_hlo::Computation)> {
    (0..).map(ComputationId).zip(&module.computations)
}

/// The opcode of an instruction without `-start`, `-update` and `-done`.
pub(crate) fn synchronous_opcode(opcode: &str) -> &str {
    ["-start", "-update", "-done"].iter().find_map(|phase| opcode.strip_suffix(phase)).unwrap_or(opcode)
}

/// The number as a `u64`; 0 if it is negative.
pub(crate) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
