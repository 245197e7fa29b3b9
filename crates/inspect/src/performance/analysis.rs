//! All analyses of a module together.

use super::{bytes, chain, cost, memory, padding, roles};
use xla_hlo::Module;

/// The analyses of a module, which do not depend on the displayed view.
pub struct Performance {
    /// The bytes of every value.
    pub sizes: bytes::Sizes,
    /// How computations are called.
    pub roles: roles::ComputationRoles,
    /// The cost of every instruction, with loops multiplied by their trip counts.
    pub costs: cost::Costs,
    /// Copies, transposes and reshapes that move bytes, those with the most bytes first.
    pub copies: Vec<chain::DataMovement>,
    /// The bytes that tiles waste.
    pub padding: padding::Padding,
    /// Live memory over the program's time.
    pub memory: memory::Memory,
}

impl Performance {
    /// Analyses a module.
    pub fn of(module: &Module) -> Self {
        let (sizes, roles) = (bytes::Sizes::of(module), roles::ComputationRoles::of(module));
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
