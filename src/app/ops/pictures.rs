//! Pictures around and over the arrays: base areas with their windows, and the cells that a step reads. Nothing here depends
//! on an op: base area and steps come from its semantics.

use std::rc::Rc;

use yew::prelude::*;

use super::moving::ElementMoves;
use super::stage::{ArrayRole, CellOnScreen, DisplayedArray};
use crate::array::Dims;
use crate::array::index::linear_index;
use crate::hlo::{InstructionId, Limits};
use crate::ops::{CellAt, Source};
use crate::state::experiment::Experiment;
use crate::state::experiment::run::editions::{self, Difference};
use crate::state::experiment::run::{FinishedRun, leaves};
use crate::state::experiment::session::Action;
use crate::view::cell_steps::Step;
use crate::view::grid::base_area::{Area, Windows};

/// The limits of the run in the other edition: a few milliseconds.
const COMPARISON_LIMITS: Limits = Limits { steps: 400_000, bytes: 16 << 20 };

/// Maximum number of windows drawn at the same time.
const MAX_WINDOWS: usize = 64;

/// The base area of the selected instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct BaseAreaPicture {
    /// The index of the displayed array that it surrounds.
    pub array: usize,
    /// The area with its padding and holes.
    pub area: Rc<Area>,
    /// The number of windows along each dimension.
    pub counts: Dims,
}

impl BaseAreaPicture {
    /// The base area of an instruction; `None` if its op has none, or it is too large to draw.
    pub fn new(finished: &FinishedRun, focus: InstructionId, displayed: &[DisplayedArray]) -> Option<Self> {
        let base = finished.base_area(focus)?;
        let index_of = |role: ArrayRole| displayed.iter().position(|each| each.role == role);
        let window_array = index_of(base.window_index_operand.map_or(ArrayRole::Result, ArrayRole::Operand))?;
        let instruction = finished.module().entry_computation()?.get(focus)?;
        let fill = base.fill.and_then(|i| finished.value(*instruction.operands.get(i)?));
        let fill = fill.and_then(|value| {
            let (_, array) = leaves(value).into_iter().next()?;
            Some(array.get(&[])?.short(array.element_type(), 6))
        });
        let counts = displayed[window_array].array.0.shape().dimensions.clone();
        let array = index_of(ArrayRole::Operand(base.operand))?;
        Some(Self { array, area: Rc::new(Area::new(base, fill.unwrap_or_default())?), counts })
    }

    /// The windows that the output cell was computed from or, if there are none, those that cover it. A hovered cell of the
    /// operand with one element per window selects that window.
    pub fn windows(
        &self,
        displayed: &[DisplayedArray],
        hovered: Option<&CellOnScreen>,
        cell: Option<&CellOnScreen>,
        sources: &[Source],
    ) -> Option<Windows> {
        let base = self.area.base();
        let indices: Vec<Dims> = match base.window_index_operand {
            None => vec![cell?.index.clone()],
            Some(operand) => {
                let hovered_window =
                    hovered.filter(|p| displayed[p.array].role == ArrayRole::Operand(operand));
                let mut indices: Vec<Dims> = match hovered_window {
                    Some(p) => vec![p.index.clone()],
                    None => sources
                        .iter()
                        .filter(|s| s.operand == operand)
                        .map(|s| s.cell.index.clone())
                        .collect(),
                };
                if indices.is_empty() {
                    indices = base.windows_covering(&cell?.index, &self.counts);
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
        focus: InstructionId,
        windows: &Windows,
    ) -> Vec<Dims> {
        let selects_cells = self.area.base().window_index_operand.is_some();
        let windows = windows.indices.iter().filter(|_| selects_cells);
        windows.filter_map(|window| self.output(finished, focus, window)).collect()
    }

    /// The output cell of a window.
    pub fn output(&self, finished: &FinishedRun, focus: InstructionId, window: &Dims) -> Option<Dims> {
        match self.area.base().window_index_operand {
            None => Some(window.clone()),
            Some(operand) => finished
                .uses(focus, operand, &CellAt::array(window))?
                .into_iter()
                .next()
                .map(|cell| cell.index),
        }
    }
}

/// The cells of an array that a step reads.
pub fn cells_of_step(displayed: &DisplayedArray, sources: &[Source], step: Option<&Step>) -> Vec<Dims> {
    let (Some(step), ArrayRole::Operand(operand)) = (step, displayed.role) else { return Vec::new() };
    let read = step.sources.iter().filter_map(|i| sources.get(*i));
    let in_array =
        read.filter(|s| s.operand == operand && s.cell.path.as_slice() == displayed.path.as_slice());
    in_array.map(|s| s.cell.index.clone()).collect()
}

/// The base area of the selected instruction.
#[hook]
pub fn use_base_area_picture(
    finished: Option<&FinishedRun>,
    focus: InstructionId,
    displayed: &[DisplayedArray],
) -> Rc<Option<BaseAreaPicture>> {
    let displayed = displayed.to_vec();
    // The displayed arrays are those of the run.
    use_memo((finished.cloned(), focus), move |(finished, focus)| {
        BaseAreaPicture::new(finished.as_ref()?, *focus, &displayed)
    })
}

/// Dragging a window moves to its output cell.
pub fn on_drag(
    picture: &Rc<Option<BaseAreaPicture>>,
    finished: Option<&FinishedRun>,
    focus: InstructionId,
    sizes: Dims,
    dispatch: &Callback<Action>,
) -> Callback<Dims> {
    let (picture, finished, dispatch) = (picture.clone(), finished.cloned(), dispatch.clone());
    Callback::from(move |window: Dims| {
        let Some((picture, finished)) = (*picture).as_ref().zip(finished.as_ref()) else { return };
        if let Some(index) = picture.output(finished, focus, &window) {
            dispatch.emit(Action::MoveCursor(linear_index(&index, &sizes)));
        }
    })
}

/// The current step within an output cell.
#[derive(Clone)]
pub struct CellStep {
    /// From 1; 0 for the whole cell.
    pub current: i64,
    /// Moves to a step.
    pub move_to: Callback<i64>,
}

/// The step within `cell`; selecting another cell resets it to 0.
#[hook]
pub fn use_cell_step(cell: Option<&CellOnScreen>) -> CellStep {
    let state = use_state_eq(|| (None::<CellOnScreen>, 0_i64));
    let current = if state.0.as_ref() == cell { state.1 } else { 0 };
    let cell = cell.cloned();
    CellStep { current, move_to: Callback::from(move |step: i64| state.set((cell.clone(), step))) }
}

/// The run of the experiment in the other edition, if requested.
#[hook]
pub fn use_difference(
    finished: Option<&FinishedRun>,
    experiment: &Rc<Experiment>,
    focus: InstructionId,
    compares_editions: bool,
) -> Rc<Option<Difference>> {
    let run = experiment.without_view();
    use_memo(
        (finished.cloned(), run, focus, compares_editions),
        |(finished, experiment, focus, compares_editions)| {
            let finished = finished.as_ref().filter(|_| *compares_editions)?;
            editions::compare(experiment, finished, *focus, COMPARISON_LIMITS)
        },
    )
}

/// The cells of displayed array `i` that differ in the other edition.
pub fn differing_cells(difference: Option<&Difference>, results: &[usize], i: usize) -> Vec<Dims> {
    let position = results.iter().position(|result| *result == i);
    match (difference, position) {
        (Some(Difference::Cells { cells, .. }), Some(position)) => cells
            .get(position)
            .map(|cells| cells.iter().map(|(index, _)| index.clone()).collect())
            .unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// How the op moves elements in memory, if its operands are arrays.
pub fn element_moves(
    finished: &FinishedRun,
    focus: InstructionId,
    displayed: &[DisplayedArray],
    (current, result): (Option<&CellOnScreen>, Option<usize>),
    dispatch: &Callback<Action>,
) -> Html {
    let Some(result) = result.map(|i| &displayed[i]) else { return Html::default() };
    let operand =
        |n: usize| displayed.iter().find(|each| each.role == ArrayRole::Operand(n) && each.path.is_empty());
    let operands: Vec<_> = (0..).map_while(operand).map(|each| each.array.clone()).collect();
    let sizes = result.array.0.shape().dimensions.clone();
    let select = dispatch.reform(move |index: Dims| Action::MoveCursor(linear_index(&index, &sizes)));
    html! {
        if !operands.is_empty() {
            <ElementMoves finished={finished.clone()} {focus} {operands} result={result.array.clone()} path={result.path.clone()}
                cursor={current.map(|p| p.index.clone())} {select} />
        }
    }
}
