//! The view of an instruction: its operands, its result, and how the output cell was computed.

use std::rc::Rc;

use yew::prelude::*;

use super::cell_step_bar::CellStepBar;
use super::invalid_values::InvalidValuesNotice;
use super::pictures::{self, BaseAreaPicture, CellStep};
use super::run_notice::Notice;
use super::running::Run;
use super::selection::Selection;
use super::stage::{ArrayRole, CellOnScreen, DisplayedArray, Highlighting, PanelView};
use crate::app::components::array_panel::PanelWidths;
use crate::app::components::derivation_line::DerivationLine;
use crate::app::components::window::{ListWindow, WINDOW_SIZE, window_bar};
use crate::app::context::Context;
use crate::app::link;
use crate::array::index::row_major_index;
use crate::array::{Dims, Shape};
use crate::hlo::InstructionId;
use crate::i18n::Message;
use crate::ops::{Category, OpMeta};
use crate::state::experiment::Experiment;
use crate::state::experiment::arguments::{Field, InvalidField};
use crate::state::experiment::run::FinishedRun;
use crate::state::experiment::run::editions::Difference;
use crate::state::experiment::session::{Action, Session};
use crate::view::cell_steps::Steps;
use crate::view::grid::base_area::Windows;
use crate::view::instruction_area::SelectedCell;
use crate::view::sources::CellHighlights;

/// Minimum number of operands that are wrapped if they do not fit next to their result.
const MIN_WRAPPED_OPERANDS: usize = 2;
/// The number of operands that can be wrapped as a first operand with the others stacked next to it.
const STACKED_OPERANDS: usize = 3;

/// Maximum total width, in pixels, of arrays that fit next to each other in a window 1280 pixels wide, excluding three
/// gaps.
const MAX_WIDTH_AT_1280: i64 = 620;
/// Like [`MAX_WIDTH_AT_1280`], in a window 1440 pixels wide.
const MAX_WIDTH_AT_1440: i64 = 780;

/// The state that the view displays.
pub struct InstructionView<'a> {
    /// Language and theme.
    pub context: &'a Context,
    /// The editing session.
    pub session: &'a Session,
    /// The experiment that is displayed.
    pub experiment: &'a Experiment,
    /// The current run, with its values and its status.
    pub run: &'a Run,
    /// The instruction of the displayed arrays, which may predate the current one.
    pub focus: InstructionId,
    /// The op of the displayed instruction.
    pub meta: Option<&'static OpMeta>,
    /// The current and hovered cells.
    pub selection: &'a Selection,
    /// The displayed ranges of the operands' and of the result's arrays.
    pub list_windows: (&'a ListWindow, &'a ListWindow),
    /// The cell under the pointer.
    pub hover: &'a UseStateHandle<Option<CellOnScreen>>,
    /// The cell that stays highlighted.
    pub pinned: &'a UseStateHandle<Option<CellOnScreen>>,
    /// The highlighted cells of all arrays.
    pub highlighting: &'a Highlighting,
    /// The steps within the output cell.
    pub cell_steps: Option<&'a Rc<Steps>>,
    /// The current step within the output cell.
    pub cell_step: &'a CellStep,
    /// The base area that windows slide over.
    pub picture: Option<&'a BaseAreaPicture>,
    /// The windows on it.
    pub windows: Option<Windows>,
    /// The cells that were selected in their windows.
    pub winners: Vec<SelectedCell>,
    /// Moves the first window.
    pub on_drag: Callback<Dims>,
    /// The result of the other edition.
    pub difference: Option<&'a Difference>,
    /// Whether the values are those of the previous run.
    pub shows_previous_run: bool,
    /// Whether the values are out of date: those of the previous run, or the current text is invalid.
    pub is_stale: bool,
    /// Dispatches actions.
    pub dispatch: &'a Callback<Action>,
}

impl InstructionView<'_> {
    fn finished(&self) -> Option<&FinishedRun> {
        self.run.values.as_ref().map(|values| &values.finished)
    }

    fn label(&self, key: &'static str) -> AttrValue {
        self.context.text(&Message::ops(key))
    }

    fn highlights(&self, i: usize, each: &DisplayedArray) -> CellHighlights {
        let cursor = self.selection.current.as_ref().filter(|current| current.array == i);
        let pinned = self.pinned.as_ref().filter(|p| p.array == i && each.role != ArrayRole::Result);
        let number = usize::try_from(self.cell_step.current - 1).ok();
        let step = self.cell_steps.and_then(|steps| steps.steps.get(number?));
        CellHighlights {
            cells: self.highlighting.cells.get(i).cloned().unwrap_or_default(),
            has_value_colours: false,
            cursor: cursor.or(pinned).map(|cell| cell.index.clone()),
            hover: self.hover.as_ref().filter(|p| p.array == i).map(|p| p.index.clone()),
            current_step: pictures::cells_of_step(each, &self.highlighting.sources, step),
            differs: pictures::differing_cells(self.difference, &self.selection.results, i),
            winners: if self.picture.is_some_and(|picture| picture.array == i) {
                self.winners.iter().map(|winner| winner.cell.clone()).collect()
            } else {
                Vec::new()
            },
            slice: match (&self.highlighting.copied_slice, each.role) {
                (Some((sliced, parts)), ArrayRole::Operand(operand)) if operand == *sliced => parts.clone(),
                _ => Vec::new(),
            },
            base_area: self
                .windows
                .clone()
                .filter(|_| self.picture.is_some_and(|picture| picture.array == i)),
        }
    }

    /// The panel of an array, and the parameter whose values it edits.
    fn panel(&self, i: usize) -> (Option<usize>, Html) {
        let each = &self.run.displayed[i];
        let module = self.finished().map_or(self.session.module(), FinishedRun::module);
        let view = PanelView {
            context: self.context,
            session: self.session,
            experiment: self.experiment,
            module,
            number: i,
            displayed: each,
            highlights: self.highlights(i, each),
            // Without a base area the counts are unused.
            windows: (
                self.picture.map(|picture| picture.shown.counts.clone()).unwrap_or_default(),
                self.on_drag.clone(),
            ),
            is_stale: self.is_stale,
            follow_use: self.follow_use(each),
        };
        let parameter = view.parameter();
        let is_result = self.selection.result == Some(i);
        (
            parameter,
            view.panel(
                &self.highlighting.screen_reader_text,
                is_result,
                self.dispatch,
                self.hover,
                self.pinned,
            ),
        )
    }

    /// Moves to the first output cell that uses a cell of an input, unless the current one does: so that the explanation is about
    /// the chosen cell.
    fn follow_use(&self, each: &DisplayedArray) -> Callback<Dims> {
        let Some((finished, result)) = self.finished().cloned().zip(self.selection.result) else {
            return Callback::noop();
        };
        let Some((arrays, number)) = each.role.input() else { return Callback::noop() };
        let result = &self.run.displayed[result];
        let (path, sizes) = (result.path.clone(), result.array.0.shape().dimensions.clone());
        let (each, focus, current) = (each.clone(), self.focus, self.selection.cursor);
        let dispatch = self.dispatch.clone();
        Callback::from(move |index: Dims| {
            let uses = finished.uses(focus, arrays, number, &each.cell(&index)).unwrap_or_default();
            let here = || uses.iter().filter(|cell| cell.path.as_slice() == path.as_slice());
            let numbers = || here().map(|cell| row_major_index(&cell.index, &sizes));
            if let Some(first) = numbers().next()
                && !numbers().any(|number| number == current)
            {
                dispatch.emit(Action::MoveCursor(first));
            }
        })
    }

    /// Renders the operands, the result and the derivation of the output cell.
    pub fn html(&self) -> Html {
        let (inputs, operand_window) = (&self.selection.inputs, self.list_windows.0);
        let shown = &inputs[operand_window.range.clone()];
        let (parameters, operands): (Vec<_>, Vec<_>) = shown.iter().map(|i| self.panel(*i)).unzip();
        // An embed has no input fields.
        let is_editable = |parameter: &Option<usize>| parameter.is_some() && !link::is_embed();
        let pinned = self.pinned.as_ref().map(|cell| cell.array);
        let is_pinned_editable =
            shown.iter().zip(&parameters).any(|(i, parameter)| Some(*i) == pinned && is_editable(parameter));
        let editable_parameters: Vec<usize> = parameters.into_iter().filter(is_editable).flatten().collect();
        let has_operands = !operands.is_empty();
        html! {
            <>
                <InvalidValuesNotice fields={self.session.invalid_fields().clone()} roles={self.roles()} {editable_parameters}
                    selected_replica={self.experiment.environment.selected_replica} shows_previous_run={self.shows_previous_run} dispatch={self.dispatch.clone()} />
                <Notice status={self.run.status.clone()} shows_previous_run={self.shows_previous_run}
                    cancel={self.run.cancel.clone()} rerun={self.run.rerun.clone()} />
                <div class={classes!("flow", self.is_stale.then_some("old"), self.wrap_classes())}>
                    if inputs.len() > WINDOW_SIZE {
                        {window_bar(self.context, "operands", self.label("operands-window"), operand_window)}
                    }
                    if has_operands { <div class="operands">{for operands}</div> }
                    {self.no_array(has_operands)}
                    {self.outputs(has_operands)}
                </div>
                {self.derivation()}
                if let (Some(finished), Some(Category::Movement)) = (self.finished(), self.meta.map(|meta| meta.category)) {
                    {self.element_moves(finished)}
                }
                if let Some(note) = &self.highlighting.note {
                    <p class="dim"><span id="note">{self.context.text(note)}</span>
                        if is_pinned_editable { {" · "}<span id="type-hint">{self.label("cell-type-hint")}</span> }
                    </p>
                }
            </>
        }
    }

    /// The roles of the invalid parameters that are operands of the selected instruction.
    fn roles(&self) -> Vec<(usize, String)> {
        let Some(((_, instruction), meta)) = self.session.focus().zip(self.meta) else { return Vec::new() };
        let Some(entry) = self.session.module().entry_computation() else { return Vec::new() };
        let (operands, count) = (&instruction.operands, instruction.operands.len());
        // Few fields are invalid, but a program may have thousands of operands and parameters.
        let role = |field: &InvalidField| {
            let Field::Parameter { number, .. } = field.field else { return None };
            let id = entry.parameters.get(number)?;
            let operand = operands.iter().position(|operand| operand == id)?;
            Some((number, meta.operands.label(operand, count)))
        };
        self.session.invalid_fields().iter().filter_map(role).collect()
    }

    /// The classes that wrap several operands so that their result fits next to them: for windows of 1280 pixels, for
    /// 1440, and for a first operand with the others stacked.
    fn wrap_classes(&self) -> Classes {
        let inputs = &self.selection.inputs[self.list_windows.0.range.clone()];
        let results = &self.selection.results[self.list_windows.1.range.clone()];
        let widths = |arrays: &[usize], is_input: bool| -> Vec<PanelWidths> {
            let width = |i: &usize| {
                let each = &self.run.displayed[*i];
                PanelWidths::new(&each.array, self.highlights(*i, each).base_area.as_ref(), is_input)
            };
            arrays.iter().map(width).collect()
        };
        if inputs.len() < MIN_WRAPPED_OPERANDS || self.selection.inputs.len() > WINDOW_SIZE {
            return Classes::new();
        }
        let (operands, results) = (widths(inputs, true), widths(results, false));
        let total = |width: fn(&PanelWidths) -> i64| operands.iter().chain(&results).map(width).sum::<i64>();
        // Packed operands wrap, so the result fits next to them if it fits next to the widest.
        let fits = |width: fn(&PanelWidths) -> i64, max_width: i64| {
            let widest = operands.iter().map(width).max().unwrap_or(0);
            widest + results.iter().map(width).sum::<i64>() <= max_width
        };
        let is_stacked = || match operands.as_slice() {
            [first, others @ ..] => {
                let others = others.iter().map(|w| w.small).max().unwrap_or(0);
                let width = first.small + others + results.iter().map(|w| w.small).sum::<i64>();
                total(|w| w.small) > MAX_WIDTH_AT_1280 && width <= MAX_WIDTH_AT_1280
            }
            [] => false,
        };
        let is_wrapped = |width, max_width: i64| total(|w| w.wide) > max_width && fits(width, max_width);
        classes!(
            is_wrapped(|w| w.small, MAX_WIDTH_AT_1280).then_some("wrapped-at-1280"),
            is_wrapped(|w| w.medium, MAX_WIDTH_AT_1440).then_some("wrapped-at-1440"),
            (inputs.len() == STACKED_OPERANDS && is_stacked()).then_some("stacked")
        )
    }

    /// The memory strips of an op that moves elements.
    fn element_moves(&self, finished: &FinishedRun) -> Html {
        let current = (self.selection.current.as_ref(), self.selection.result);
        pictures::element_moves(finished, self.focus, &self.run.displayed, current, self.dispatch)
    }

    fn outputs(&self, has_operands: bool) -> Html {
        let (results, window) = (&self.selection.results, self.list_windows.1);
        let outputs: Vec<Html> = results[window.range.clone()].iter().map(|i| self.panel(*i).1).collect();
        if outputs.is_empty() {
            return Html::default();
        }
        html! {
            <div class="outputs">
                if has_operands { <div class="arrow" aria-hidden="true">{"→"}</div> }
                <div class="results">
                    {window_bar(self.context, "results", self.label("results-window"), window)}
                    {for outputs}
                </div>
            </div>
        }
    }

    /// The panel of a result without arrays.
    fn no_array(&self, has_operands: bool) -> Html {
        let Some((name, shape, why)) = undisplayable_result(self.finished(), self.focus) else {
            return Html::default();
        };
        html! {
            <div class="outputs">
                if has_operands { <div class="arrow" aria-hidden="true">{"→"}</div> }
                <section class="panel none" id="no-array">
                    <div class="panel-head"><h3>{"out "}<span class="dim">{name}</span></h3><code class="shape">{shape}</code></div>
                    <p class="dim">{self.context.text(&why)}</p>
                </section>
            </div>
        }
    }

    /// The derivation of the output cell, and its steps.
    fn derivation(&self) -> Html {
        if self.highlighting.derivation.is_none() && self.cell_steps.is_none() {
            return Html::default();
        }
        html! {
            <div class="working">
                if self.is_stale { <p class="stale">{self.label("stale")}</p> }
                if let Some(derivation) = self.highlighting.derivation.clone() { <DerivationLine {derivation} out_of_range_starts={self.highlighting.out_of_range_starts.clone()} winners={self.winners.clone()}
                    slice={self.highlighting.copied_slice.as_ref().map(|(_, slice)| slice.clone()).unwrap_or_default()}
                    skips_padding={self.windows.as_ref().is_some_and(|windows| windows.area.skips_cells())} /> }
                if let Some(steps) = self.cell_steps.cloned() {
                    <CellStepBar {steps} current={self.cell_step.current} move_to={self.cell_step.move_to.clone()} />
                }
            </div>
        }
    }
}

/// The name and the shape of a result that cannot be displayed, and the reason.
fn undisplayable_result(
    finished: Option<&FinishedRun>,
    focus: InstructionId,
) -> Option<(String, String, Message)> {
    fn has_array(shape: &Shape) -> bool {
        match shape {
            Shape::Array(_) | Shape::Buffer(_) => true,
            Shape::Tuple(elements) => elements.iter().any(has_array),
            Shape::Token | Shape::Opaque => false,
        }
    }
    let instruction = finished?.module().entry_computation()?.get(focus)?;
    let why = match finished?.value(focus) {
        _ if !has_array(&instruction.shape) => "result-without-array",
        // Arrays that are too large are reported elsewhere.
        None if !finished?.is_partial() => "result-not-run",
        _ => return None,
    };
    Some((instruction.name.clone(), instruction.shape.to_string(), Message::ops(why)))
}
