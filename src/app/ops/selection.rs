//! Which cells are stepped to and pointed at, among the arrays on the screen.

use super::stage::{Place, Pointed, Shown};
use crate::array::Dims;
use crate::array::index::index_of;
use crate::state::experiment::Experiment;

/// The arrays on the screen by their numbers, and the cells stepped to and pointed at.
pub struct Selection {
    /// The arrays that are read.
    pub inputs: Vec<usize>,
    /// The arrays of the result.
    pub results: Vec<usize>,
    /// The array of the result that is stepped through.
    pub result: Option<usize>,
    /// Its elements.
    pub cells: i64,
    /// The element stepped to.
    pub cursor: i64,
    /// The same as a cell.
    pub stepped: Option<Pointed>,
    /// The cell under the pointer, or that stays highlighted.
    pub pointed: Option<Pointed>,
}

impl Selection {
    /// The selection among these arrays.
    pub fn new(
        shown: &[Shown],
        experiment: &Experiment,
        hover: Option<&Pointed>,
        pinned: Option<&Pointed>,
    ) -> Self {
        let (results, inputs): (Vec<usize>, Vec<usize>) =
            (0..shown.len()).partition(|i| shown[*i].place == Place::Result);
        let result = results.get(experiment.leaf).or(results.first()).copied();
        // Without a result there is nothing to step through.
        let cells = result.map_or(0, |i| shown[i].array.0.map().elements());
        let cursor = experiment.cursor.clamp(0, (cells - 1).max(0));
        let stepped = result
            .filter(|_| cells > 0)
            .map(|i| Pointed { shown: i, index: index_of(cursor, &shown[i].array.0.shape().dimensions) });
        // Arrays may have changed since the pointer was there.
        let is_there = |p: &&Pointed| {
            shown.get(p.shown).is_some_and(|each| each.array.0.shape().rank() == p.index.len())
        };
        let pointed = hover.or(pinned).filter(is_there).cloned();
        Self { inputs, results, result, cells, cursor, stepped, pointed }
    }

    /// Whether the pointer is on an operand.
    pub fn is_on_operand(&self, shown: &[Shown]) -> bool {
        self.pointed.as_ref().is_some_and(|p| matches!(shown[p.shown].place, Place::Operand(_)))
    }

    /// The output cell that is explained: the one pointed at, else the one stepped to.
    pub fn output(&self, shown: &[Shown]) -> Option<&Pointed> {
        let pointed = self.pointed.as_ref().filter(|p| shown[p.shown].place == Place::Result);
        pointed.or(self.stepped.as_ref())
    }

    /// The sizes of the array that is stepped through; none without it.
    pub fn result_sizes(&self, shown: &[Shown]) -> Dims {
        self.result.map_or_else(Dims::new, |i| shown[i].array.0.shape().dimensions.clone())
    }
}
