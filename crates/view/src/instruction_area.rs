//! The base area of an instruction of a run: the operand with its padding and holes, and the windows in it.

use std::rc::Rc;

use super::grid::base_area::{Area, Windows};
use xla_array::Dims;
use xla_experiment::run::{FinishedRun, UsedArrays, leaves};
use xla_hlo::InstructionId;
use xla_ops::{CellAt, Source};

/// Maximum number of windows drawn at the same time.
const MAX_WINDOWS: usize = 64;

/// Maximum characters of the fill in a cell.
const MAX_FILL_CHARS: usize = 6;

/// The base area of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct InstructionArea {
    /// The area with its padding and holes.
    pub area: Rc<Area>,
    /// The number of windows along each dimension.
    pub counts: Dims,
}

/// A cell that an op selected in a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectedCell {
    /// Its index.
    pub cell: Dims,
    /// The first and the last position of the window.
    pub window: [Dims; 2],
}

impl InstructionArea {
    /// The base area of an instruction of the entry computation; `None` if its op has none, or it is too large to draw.
    pub fn new(finished: &FinishedRun, id: InstructionId) -> Option<Self> {
        let base = finished.base_area(id)?;
        let instruction = finished.module().entry_computation()?.get(id)?;
        let first_array = |id: InstructionId| {
            let (_, array) = leaves(finished.value(id)?).into_iter().next()?;
            Some(array)
        };
        let counts = match base.window_index_operand {
            None => first_array(id)?,
            Some(operand) => first_array(*instruction.operands.get(operand)?)?,
        };
        let counts = counts.shape().dimensions.clone();
        let fill = base.fill.and_then(|operand| first_array(*instruction.operands.get(operand)?));
        let fill = fill.and_then(|array| Some(array.get(&[])?.short(array.element_type(), MAX_FILL_CHARS)));
        Some(Self { area: Rc::new(Area::new(base, fill.unwrap_or_default())?), counts })
    }

    /// The windows that an output cell was computed from or, if there are none, those that cover it. `window` selects one instead,
    /// if the op has an operand with one element per window.
    pub fn windows(
        &self,
        window: Option<&[i64]>,
        cell: Option<&[i64]>,
        sources: &[Source],
    ) -> Option<Windows> {
        let base = self.area.base();
        let indices: Vec<Dims> = match (base.window_index_operand, window) {
            (None, _) => vec![cell?.into()],
            (Some(_), Some(window)) => vec![window.into()],
            (Some(operand), None) => {
                let of_operand = sources.iter().filter(|source| source.operand == operand);
                let mut indices: Vec<Dims> = of_operand.map(|source| source.cell.index.clone()).collect();
                if indices.is_empty() {
                    indices = base.windows_covering(cell?, &self.counts);
                }
                indices.truncate(MAX_WINDOWS);
                indices
            }
        };
        (!self.counts.contains(&0)).then(|| Windows { area: self.area.clone(), indices })
    }

    /// The cells that were selected in these windows, if the op selects one of each.
    pub fn selected_cells(
        &self,
        finished: &FinishedRun,
        id: InstructionId,
        windows: &Windows,
    ) -> Vec<SelectedCell> {
        let selects_cells = self.area.base().window_index_operand.is_some();
        let windows = windows.indices.iter().filter(|_| selects_cells);
        let selected = windows.filter_map(|window| {
            let cell = self.output(finished, id, window)?;
            Some(SelectedCell { cell, window: self.area.range(window) })
        });
        selected.collect()
    }

    /// The output cell of a window.
    pub fn output(&self, finished: &FinishedRun, id: InstructionId, window: &[i64]) -> Option<Dims> {
        match self.area.base().window_index_operand {
            None => Some(window.into()),
            Some(operand) => {
                let uses = finished.uses(id, UsedArrays::Operands, operand, &CellAt::array(window))?;
                uses.into_iter().next().map(|cell| cell.index)
            }
        }
    }
}
