//! Parameters whose integers are start indices of slices (`gather`, `scatter`, `dynamic-slice`, `dynamic-update-slice`), with the
//! start indices that are in bounds, so that random ones can be drawn among them.
//!
//! Start indices are followed back to the parameters of the entry computation by `walk`, through calls, tuples and ops that keep
//! or offset them; whatever else is computed from a parameter does not matter.

mod bound;
mod slices;
mod walk;

use std::collections::BTreeMap;

use xla_array::literal::LiteralError;
use xla_array::{ArrayLiteral, Shape};
use xla_hlo::Module;

pub use bound::Bound;

/// The parameters of a program that are start indices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartIndices(BTreeMap<usize, Bound>);

impl StartIndices {
    /// Those of the entry computation of a module that are arrays.
    ///
    /// ```
    /// use xla_inspect::start_indices::StartIndices;
    ///
    /// let text = "HloModule m ENTRY e { x = f32[10,4] parameter(0) i = s32[] parameter(1) z = s32[] constant(0)
    ///     ROOT s = f32[3,4] dynamic-slice(x, i, z), dynamic_slice_sizes={3,4} }";
    /// let found = StartIndices::of(&xla_hlo::parse(text).into_module().unwrap());
    /// assert_eq!(found.bound(1).map(|bound| bound.max()), Some(7));
    /// assert_eq!(found.bound(0), None);
    /// ```
    pub fn of(module: &Module) -> Self {
        Self(walk::parameters(module))
    }

    /// The bound of a parameter, by its number; `None` if it is no array of start indices.
    pub fn bound(&self, parameter: usize) -> Option<&Bound> {
        self.0.get(&parameter)
    }

    /// Random start indices in bounds for a parameter of this shape; `None` if it is no array of start indices.
    pub fn random(
        &self,
        parameter: usize,
        shape: &Shape,
        seed: u32,
    ) -> Option<Result<ArrayLiteral, LiteralError>> {
        Some(self.bound(parameter)?.random(shape.as_array()?, seed))
    }
}

#[cfg(test)]
mod tests;
