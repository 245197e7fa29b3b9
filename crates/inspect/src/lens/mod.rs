//! The layout lens: what a module costs in operations, bytes and memory, and which layouts cause it.
//!
//! - [`bytes`]: the bytes of a value, with and without padding.
//! - [`cost`]: the work of an instruction, by the definitions of XLA's `HloCostAnalysis`; `work` counts operations,
//!   `positions` those of a convolution, `traffic` bytes.
//! - [`trips`]: how often a loop runs; [`roles`]: how computations are called, and how often.
//! - [`movement`]: which data movement is free (`slots`), and which moves bytes; [`chain`]: what forced it.
//! - [`padding`]: bytes lost to tiles.
//! - [`memory`]: live bytes over the program's time, of the buffers in `values`.
//!
//! Every analysis takes time linear in the size of the module, apart from sorting.

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
pub mod trips;
mod values;
mod work;

use xla_hlo::{Instruction, InstructionId, Module};
use xla_ops::ComputationId;

/// Everything about a module that does not change while it is shown.
pub struct Lens {
    /// The bytes of every value.
    pub sizes: bytes::Sizes,
    /// How computations are called.
    pub roles: roles::Roles,
    /// The cost of every instruction, with loops multiplied by their trip counts.
    pub costs: cost::Costs,
    /// Copies, transposes and reshapes that move bytes, those with the most bytes first.
    pub copies: Vec<chain::Copy>,
    /// The bytes that tiles waste.
    pub padding: padding::Padding,
    /// Live memory over the program's time.
    pub memory: memory::Memory,
}

impl Lens {
    /// Analyses a module.
    pub fn of(module: &Module) -> Self {
        let (sizes, roles) = (bytes::Sizes::of(module), roles::Roles::of(module));
        Self {
            costs: cost::Costs::with_sizes(module, &sizes, cost::Iterations::Known),
            copies: chain::copies(module, &sizes, &roles),
            padding: padding::padding(module, &roles),
            memory: memory::memory(module, &roles),
            sizes,
            roles,
        }
    }
}

/// An instruction of a module.
pub type At = (ComputationId, InstructionId);

/// The instruction at an address.
pub fn instruction(module: &Module, at: At) -> Option<&Instruction> {
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
