//! Pictures around and over the arrays: base areas with their windows, and the cells that a step reads. Nothing here depends
//! on an op: base area and steps come from its semantics.

use std::rc::Rc;

use yew::prelude::*;

use super::moving::ElementMoves;
use super::stage::{ArrayRole, CellOnScreen, DisplayedArray};
use crate::array::Dims;
use crate::array::index::row_major_index;
use crate::hlo::{InstructionId, Limits};
use crate::ops::Source;
use crate::state::experiment::Experiment;
use crate::state::experiment::run::FinishedRun;
use crate::state::experiment::run::editions::{self, Difference};
use crate::state::experiment::session::Action;
use crate::view::cell_steps::Step;
use crate::view::grid::base_area::Windows;
use crate::view::instruction_area::InstructionArea;

/// The limits of the run in the other edition: a few milliseconds.
const COMPARISON_LIMITS: Limits = Limits { steps: 400_000, bytes: 16 << 20 };

/// The base area of the selected instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct BaseAreaPicture {
    /// The index of the displayed array that it surrounds.
    pub array: usize,
    /// The area and its windows.
    pub shown: InstructionArea,
}

impl BaseAreaPicture {
    /// The base area of an instruction; `None` if its op has none, or it is too large to draw.
    pub fn new(finished: &FinishedRun, focus: InstructionId, displayed: &[DisplayedArray]) -> Option<Self> {
        let shown = InstructionArea::new(finished, focus)?;
        let role = ArrayRole::Operand(shown.area.base().operand);
        let array = displayed.iter().position(|each| each.role == role)?;
        Some(Self { array, shown })
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
        let operand = self.shown.area.base().window_index_operand.map(ArrayRole::Operand);
        let window = hovered.filter(|at| operand == Some(displayed[at.array].role));
        self.shown.windows(window.map(|at| &*at.index), cell.map(|at| &*at.index), sources)
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
        if let Some(index) = picture.shown.output(finished, focus, &window) {
            dispatch.emit(Action::MoveCursor(row_major_index(&index, &sizes)));
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

/// The step within the explained cell: that of the current cell is part of the link, that of a hovered one ends with the hovering.
#[hook]
pub fn use_cell_step(
    cell: Option<&CellOnScreen>,
    current_cell: Option<&CellOnScreen>,
    step: i64,
    dispatch: &Callback<Action>,
) -> CellStep {
    let hovered = use_state_eq(|| (None::<CellOnScreen>, 0_i64));
    if cell == current_cell {
        return CellStep { current: step, move_to: dispatch.reform(Action::MoveWithinCell) };
    }
    let current = if hovered.0.as_ref() == cell { hovered.1 } else { 0 };
    let cell = cell.cloned();
    CellStep { current, move_to: Callback::from(move |step: i64| hovered.set((cell.clone(), step))) }
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
    let select = dispatch.reform(move |index: Dims| Action::MoveCursor(row_major_index(&index, &sizes)));
    html! {
        if !operands.is_empty() {
            <ElementMoves finished={finished.clone()} {focus} {operands} result={result.array.clone()} path={result.path.clone()}
                cursor={current.map(|p| p.index.clone())} {select} />
        }
    }
}
