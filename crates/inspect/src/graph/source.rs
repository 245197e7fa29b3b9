//! The input of a drawing.

use xla_hlo::Module;

use crate::calls::CallGraph;
use crate::outline::Folds;

/// The module that a drawing shows, and the state of its folds.
#[derive(Clone, Copy, Debug)]
pub struct Source<'m> {
    /// The module.
    pub module: &'m Module,
    /// Its call graph.
    pub calls: &'m CallGraph,
    /// The folds that the graph is laid out with.
    pub folds: &'m Folds,
}
