//! The current and hovered cells among the displayed arrays.

use super::stage::{ArrayRole, CellOnScreen, Shown};
use crate::array::Dims;
use crate::array::index::multi_index;
use crate::state::experiment::Experiment;

/// The displayed arrays by index, and the current and hovered cells.
pub struct Selection {
    /// The arrays of the operands.
    pub inputs: Vec<usize>,
    /// The arrays of the result.
    pub results: Vec<usize>,
    /// The array of the result that is stepped through.
    pub result: Option<usize>,
    /// Its number of elements.
    pub cells: i64,
    /// The current element.
    pub cursor: i64,
    /// The same as a cell.
    pub current: Option<CellOnScreen>,
    /// The hovered or pinned cell.
    pub hovered: Option<CellOnScreen>,
}

impl Selection {
    /// The selection among these arrays.
    pub fn new(
        shown: &[Shown],
        experiment: &Experiment,
        hover: Option<&CellOnScreen>,
        pinned: Option<&CellOnScreen>,
    ) -> Self {
        let (results, inputs): (Vec<usize>, Vec<usize>) =
            (0..shown.len()).partition(|i| shown[*i].role == ArrayRole::Result);
        let result = results.get(experiment.leaf).or(results.first()).copied();
        // Without a result there is nothing to step through.
        let cells = result.map_or(0, |i| shown[i].array.0.map().elements());
        let cursor = experiment.cursor.clamp(0, (cells - 1).max(0));
        let current = result.filter(|_| cells > 0).map(|i| CellOnScreen {
            shown: i,
            index: multi_index(cursor, &shown[i].array.0.shape().dimensions),
        });
        // The arrays may have changed since the pointer was there.
        let is_there = |p: &&CellOnScreen| {
            shown.get(p.shown).is_some_and(|each| each.array.0.shape().rank() == p.index.len())
        };
        let hovered = hover.or(pinned).filter(is_there).cloned();
        Self { inputs, results, result, cells, cursor, current, hovered }
    }

    /// Whether the pointer is on an operand.
    pub fn is_on_operand(&self, shown: &[Shown]) -> bool {
        self.hovered.as_ref().is_some_and(|p| matches!(shown[p.shown].role, ArrayRole::Operand(_)))
    }

    /// The output cell to explain: the hovered one, or the current one.
    pub fn output(&self, shown: &[Shown]) -> Option<&CellOnScreen> {
        let hovered = self.hovered.as_ref().filter(|p| shown[p.shown].role == ArrayRole::Result);
        hovered.or(self.current.as_ref())
    }

    /// The sizes of the array that is stepped through; empty if there is none.
    pub fn result_sizes(&self, shown: &[Shown]) -> Dims {
        self.result.map_or_else(Dims::new, |i| shown[i].array.0.shape().dimensions.clone())
    }
}
