//! What is drawn around and over the arrays beside the lit cells: the windows on their base area, and the cells of the
//! step within a cell. Nothing here knows an op: the base area and the applications come from its definition.

use std::rc::Rc;

use yew::prelude::*;

use super::moving::Moving;
use super::stage::{Place, Pointed, Shown};
use crate::array::Dims;
use crate::array::index::number_of;
use crate::hlo::{InstructionId, Limits};
use crate::ops::{CellAt, Source};
use crate::state::experiment::Experiment;
use crate::state::experiment::run::editions::{self, Difference};
use crate::state::experiment::run::{FinishedRun, leaves};
use crate::state::experiment::session::Action;
use crate::view::cell_steps::Step;
use crate::view::grid::base::{Area, Windows};

/// What is run beside the experiment itself: some milliseconds.
const AT_ONCE: Limits = Limits { steps: 400_000, bytes: 16 << 20 };

/// The most windows that are drawn at once.
const MAX_WINDOWS: usize = 64;

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
    pub fn of(ran: &FinishedRun, focus: InstructionId, shown: &[Shown]) -> Option<Self> {
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
                    None => sources
                        .iter()
                        .filter(|s| s.operand == operand)
                        .map(|s| s.cell.index.clone())
                        .collect(),
                };
                if at.is_empty() {
                    at = base.windows_over(&cell?.index, &self.counts);
                }
                at.truncate(MAX_WINDOWS);
                at
            }
        };
        (!self.counts.contains(&0)).then(|| Windows { area: self.area.clone(), at })
    }

    /// The output cell that a window belongs to.
    pub fn output(&self, ran: &FinishedRun, focus: InstructionId, window: &Dims) -> Option<Dims> {
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

/// The base area of the instruction that is looked at.
#[hook]
pub fn use_picture(ran: Option<&FinishedRun>, focus: InstructionId, shown: &[Shown]) -> Rc<Option<Picture>> {
    let shown = shown.to_vec();
    // The arrays on the screen are those of the run.
    use_memo((ran.cloned(), focus), move |(ran, focus)| Picture::of(ran.as_ref()?, *focus, &shown))
}

/// What dragging a window means: a step to its output cell.
pub fn slide(
    picture: &Rc<Option<Picture>>,
    ran: Option<&FinishedRun>,
    focus: InstructionId,
    sizes: Dims,
    dispatch: &Callback<Action>,
) -> Callback<Dims> {
    let (picture, ran, dispatch) = (picture.clone(), ran.cloned(), dispatch.clone());
    Callback::from(move |window: Dims| {
        let Some((picture, ran)) = (*picture).as_ref().zip(ran.as_ref()) else { return };
        if let Some(index) = picture.output(ran, focus, &window) {
            dispatch.emit(Action::MoveCursor(number_of(&index, &sizes)));
        }
    })
}

/// The step within an output cell.
#[derive(Clone)]
pub struct Within {
    /// From 1; 0 for the whole cell.
    pub at: i64,
    /// Goes to one.
    pub go: Callback<i64>,
}

/// The step within the cell that is lit; at another cell it begins anew.
#[hook]
pub fn use_within(cell: Option<&Pointed>) -> Within {
    let state = use_state_eq(|| (None::<Pointed>, 0_i64));
    let at = if state.0.as_ref() == cell { state.1 } else { 0 };
    let cell = cell.cloned();
    Within { at, go: Callback::from(move |step: i64| state.set((cell.clone(), step))) }
}

/// The same experiment in the other edition, where it is asked for.
#[hook]
pub fn use_difference(
    ran: Option<&FinishedRun>,
    experiment: &Rc<Experiment>,
    focus: InstructionId,
    compares: bool,
) -> Rc<Option<Difference>> {
    let run = Experiment { cursor: 0, leaf: 0, ..(**experiment).clone() };
    use_memo((ran.cloned(), run, focus, compares), |(ran, experiment, focus, compares)| {
        let ran = ran.as_ref().filter(|_| *compares)?;
        editions::compare(experiment, ran, *focus, AT_ONCE)
    })
}

/// The cells of array `i` on the screen that differ in the other edition.
pub fn differing(difference: Option<&Difference>, results: &[usize], i: usize) -> Vec<Dims> {
    let place = results.iter().position(|result| *result == i);
    match (difference, place) {
        (Some(Difference::Cells { cells, .. }), Some(place)) => cells
            .get(place)
            .map(|cells| cells.iter().map(|(index, _)| index.clone()).collect())
            .unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// What an op of movement moves: where its operands are arrays all.
pub fn moving(
    ran: &FinishedRun,
    focus: InstructionId,
    shown: &[Shown],
    (stepped, result): (Option<&Pointed>, Option<usize>),
    dispatch: &Callback<Action>,
) -> Html {
    let Some(result) = result.map(|i| &shown[i]) else { return Html::default() };
    let operand =
        |n: usize| shown.iter().find(|each| each.place == Place::Operand(n) && each.path.is_empty());
    let operands: Vec<_> = (0..).map_while(operand).map(|each| each.array.clone()).collect();
    let sizes = result.array.0.shape().dimensions.clone();
    let go = dispatch.reform(move |index: Dims| Action::MoveCursor(number_of(&index, &sizes)));
    html! {
        if !operands.is_empty() {
            <Moving ran={ran.clone()} {focus} {operands} result={result.array.clone()} path={result.path.clone()}
                cursor={stepped.map(|p| p.index.clone())} {go} />
        }
    }
}
