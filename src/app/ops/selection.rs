//! The current and hovered cells among the displayed arrays.

use super::stage::{ArrayRole, CellOnScreen, DisplayedArray};
use crate::array::Dims;
use crate::array::index::multi_index;
use crate::state::experiment::Experiment;
use crate::state::experiment::run::UsedArrays;

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
        displayed: &[DisplayedArray],
        experiment: &Experiment,
        hover: Option<&CellOnScreen>,
        pinned: Option<&CellOnScreen>,
    ) -> Self {
        let (results, inputs): (Vec<usize>, Vec<usize>) =
            (0..displayed.len()).partition(|i| displayed[*i].role == ArrayRole::Result);
        let result = results.get(experiment.leaf).or(results.first()).copied();
        // Without a result there is nothing to step through.
        let cells = result.map_or(0, |i| displayed[i].array.0.memory_map().elements());
        let cursor = experiment.cursor.clamp(0, (cells - 1).max(0));
        let current = result.filter(|_| cells > 0).map(|i| CellOnScreen {
            array: i,
            index: multi_index(cursor, &displayed[i].array.0.shape().dimensions),
        });
        // The arrays may have changed since the pointer was there.
        let is_there = |p: &&CellOnScreen| {
            displayed.get(p.array).is_some_and(|each| each.array.0.shape().rank() == p.index.len())
        };
        let hovered = hover.or(pinned).filter(is_there).cloned();
        Self { inputs, results, result, cells, cursor, current, hovered }
    }

    /// The arrays among which the hovered cell is; `None` if it is in the result.
    pub fn hovered_input(&self, displayed: &[DisplayedArray]) -> Option<UsedArrays> {
        let (arrays, _) = displayed[self.hovered.as_ref()?.array].role.input()?;
        Some(arrays)
    }

    /// The output cell to explain: the hovered one, or the current one.
    pub fn output(&self, displayed: &[DisplayedArray]) -> Option<&CellOnScreen> {
        let hovered = self.hovered.as_ref().filter(|p| displayed[p.array].role == ArrayRole::Result);
        hovered.or(self.current.as_ref())
    }

    /// The index of the current element, as text, and its memory slot.
    pub fn current_address(&self, displayed: &[DisplayedArray]) -> Option<(String, String)> {
        let CellOnScreen { array, index } = self.current.as_ref()?;
        let slot = displayed[*array].array.0.memory_map().slot(index)?;
        Some((index.iter().map(i64::to_string).collect::<Vec<_>>().join(", "), slot.to_string()))
    }

    /// The sizes of the array that is stepped through; empty if there is none.
    pub fn result_sizes(&self, displayed: &[DisplayedArray]) -> Dims {
        self.result.map_or_else(Dims::new, |i| displayed[i].array.0.shape().dimensions.clone())
    }
}
