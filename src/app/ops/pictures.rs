//! What is drawn around and over the arrays beside the lit cells: the windows on their base area, and the cells of the
//! step within a cell. Nothing here knows an op: the base area and the applications come from its definition.

use std::rc::Rc;

use super::stage::{Place, Pointed, Shown};
use crate::array::Dims;
use crate::hlo::InstructionId;
use crate::ops::{CellAt, Source};
use crate::state::experiment::run::{Ran, leaves};
use crate::view::grid::base::{Area, Windows};
use crate::view::inner::Step;

/// The most windows that are drawn at once.
const MOST: usize = 64;

/// The base area of the instruction that is looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The array on the screen that it surrounds.
    pub shown: usize,
    /// The area.
    pub area: Rc<Area>,
    /// How many windows there are in each dimension of what counts them.
    pub counts: Dims,
}

impl Picture {
    /// The picture of an instruction; `None` where its op has no base area, or it is too large to draw.
    pub fn of(ran: &Ran, focus: InstructionId, shown: &[Shown]) -> Option<Self> {
        let base = ran.base(focus)?;
        let at = |place: Place| shown.iter().position(|each| each.place == place);
        let counted = at(base.counted_by.map_or(Place::Result, Place::Operand))?;
        let instruction = ran.module().entry_computation()?.get(focus)?;
        let fill = base.fill.and_then(|i| ran.value(*instruction.operands.get(i)?));
        let fill = fill.and_then(|value| {
            let (_, array) = leaves(value).into_iter().next()?;
            Some(array.get(&[])?.short(array.element_type(), 6))
        });
        let counts = shown[counted].array.0.shape().dimensions.clone();
        let shown = at(Place::Operand(base.operand))?;
        Some(Self { shown, area: Rc::new(Area::new(base, fill.unwrap_or_default())?), counts })
    }

    /// The windows that made an output cell, or that lie over it where none did; `pointed` is a cell the visitor points
    /// at, which may be one that counts windows.
    pub fn windows(
        &self,
        shown: &[Shown],
        pointed: Option<&Pointed>,
        cell: Option<&Pointed>,
        sources: &[Source],
    ) -> Option<Windows> {
        let base = self.area.base();
        let at: Vec<Dims> = match base.counted_by {
            None => vec![cell?.index.clone()],
            Some(operand) => {
                let named = pointed.filter(|p| shown[p.shown].place == Place::Operand(operand));
                let mut at: Vec<Dims> = match named {
                    Some(p) => vec![p.index.clone()],
                    None => sources.iter().filter(|s| s.operand == operand).map(|s| s.cell.index.clone()).collect(),
                };
                if at.is_empty() {
                    at = base.windows_over(&cell?.index, &self.counts);
                }
                at.truncate(MOST);
                at
            }
        };
        (!self.counts.contains(&0)).then(|| Windows { area: self.area.clone(), at })
    }

    /// The output cell that a window belongs to.
    pub fn output(&self, ran: &Ran, focus: InstructionId, window: &Dims) -> Option<Dims> {
        match self.area.base().counted_by {
            None => Some(window.clone()),
            Some(operand) => {
                ran.uses(focus, operand, &CellAt::array(window))?.into_iter().next().map(|cell| cell.index)
            }
        }
    }
}

/// The cells of an array that a step looks at.
pub fn now(shown: &Shown, sources: &[Source], step: Option<&Step>) -> Vec<Dims> {
    let (Some(step), Place::Operand(operand)) = (step, shown.place) else { return Vec::new() };
    let read = step.sources.iter().filter_map(|i| sources.get(*i));
    let own = read.filter(|s| s.operand == operand && s.cell.path.as_slice() == shown.path.as_slice());
    own.map(|s| s.cell.index.clone()).collect()
}
