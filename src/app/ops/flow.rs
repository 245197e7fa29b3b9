//! The flow of an instruction: its operands, its result, and how the output cell was computed.

use std::rc::Rc;

use yew::prelude::*;

use super::inner_steps::InnerSteps;
use super::panel::widths;
use super::pictures::{self, Picture, Within};
use super::run_notice::Notice;
use super::running::Run;
use super::selection::Selection;
use super::stage::{ArrayRole, CellOnScreen, Highlighting, PanelView, Shown};
use super::unreadable::UnreadableNotice;
use super::working_line::WorkingLine;
use crate::app::components::window::{ListWindow, WINDOW, window_bar};
use crate::app::context::Context;
use crate::app::link;
use crate::array::{Dims, Shape};
use crate::hlo::InstructionId;
use crate::i18n::Message;
use crate::ops::{Category, OpMeta};
use crate::state::experiment::Experiment;
use crate::state::experiment::arguments::{Field, UnreadableField};
use crate::state::experiment::run::FinishedRun;
use crate::state::experiment::run::editions::Difference;
use crate::state::experiment::session::{Action, Session};
use crate::view::cell_steps::Steps;
use crate::view::grid::base_area::Windows;
use crate::view::sources::CellHighlights;

/// The operands from which on they are packed if they do not fit side by side with their result, and the number that is
/// packed as a first operand with the others above each other.
const MANY_OPERANDS: usize = 2;
const STACKED_OPERANDS: usize = 3;

/// The widths in pixels for arrays side by side, without the gaps between four, in windows of 1280 and of 1440 pixels.
const ROOM_AT_1280: i64 = 620;
const ROOM_AT_1440: i64 = 780;

/// The width of a result beside which operands have room.
const MAX_RESULT_PIXELS: i64 = 300;

/// All that the flow shows.
pub struct Flow<'a> {
    /// Language and theme.
    pub context: &'a Context,
    /// The editing session.
    pub session: &'a Session,
    /// The displayed measurements.
    pub experiment: &'a Experiment,
    /// The run.
    pub run: &'a Run,
    /// The instruction of the displayed arrays, which may predate the current one.
    pub of: InstructionId,
    /// The op of the observed instruction.
    pub meta: Option<&'static OpMeta>,
    /// The current and hovered cells.
    pub selection: &'a Selection,
    /// Which of the operands' and the result's arrays are displayed.
    pub windows_of: (&'a ListWindow, &'a ListWindow),
    /// The cell under the pointer.
    pub hover: &'a UseStateHandle<Option<CellOnScreen>>,
    /// The cell that stays highlighted.
    pub pinned: &'a UseStateHandle<Option<CellOnScreen>>,
    /// What is highlighted.
    pub highlighting: &'a Highlighting,
    /// The steps within the output cell, and the current one.
    pub inner: Option<&'a Rc<Steps>>,
    /// The current step within the output cell.
    pub within: &'a Within,
    /// The base area that windows slide over.
    pub picture: Option<&'a Picture>,
    /// The windows on it.
    pub windows: Option<Windows>,
    /// The cells that were selected in their windows.
    pub winners: Vec<Dims>,
    /// Moves the first window.
    pub on_drag: Callback<Dims>,
    /// The result of the other edition.
    pub difference: Option<&'a Difference>,
    /// Whether the values are those of an earlier run.
    pub shows_previous_run: bool,
    /// Whether the values predate the current experiment.
    pub is_stale: bool,
    /// Dispatches actions.
    pub dispatch: &'a Callback<Action>,
}

impl Flow<'_> {
    fn finished(&self) -> Option<&FinishedRun> {
        self.run.values.as_ref().map(|of| &of.finished)
    }

    fn label(&self, key: &'static str) -> AttrValue {
        self.context.text(&Message::ops(key))
    }

    fn highlights(&self, i: usize, each: &Shown) -> CellHighlights {
        let cursor = self.selection.current.as_ref().filter(|current| current.shown == i);
        let pinned = self.pinned.as_ref().filter(|p| p.shown == i && each.role != ArrayRole::Result);
        let number = usize::try_from(self.within.at - 1).ok();
        let now = self.inner.and_then(|steps| steps.steps.get(number?));
        CellHighlights {
            cells: self.highlighting.cells.get(i).cloned().unwrap_or_default(),
            cursor: cursor.or(pinned).map(|hovered| hovered.index.clone()),
            hover: self.hover.as_ref().filter(|p| p.shown == i).map(|p| p.index.clone()),
            current_step: pictures::cells_of_step(each, &self.highlighting.sources, now),
            differs: pictures::differing(self.difference, &self.selection.results, i),
            winners: if self.picture.is_some_and(|picture| picture.shown == i) {
                self.winners.clone()
            } else {
                Vec::new()
            },
            base_area: self
                .windows
                .clone()
                .filter(|_| self.picture.is_some_and(|picture| picture.shown == i)),
        }
    }

    /// The panel of an array, and the parameter whose values it edits.
    fn panel(&self, i: usize) -> (Option<usize>, Html) {
        let each = &self.run.shown[i];
        let module = self.finished().map_or(self.session.module(), FinishedRun::module);
        let view = PanelView {
            context: self.context,
            session: self.session,
            experiment: self.experiment,
            module,
            number: i,
            shown: each,
            highlights: self.highlights(i, each),
            // Without windows the counts are unused.
            windows: (
                self.picture.map(|picture| picture.counts.clone()).unwrap_or_default(),
                self.on_drag.clone(),
            ),
            is_stale: self.is_stale,
        };
        let parameter = view.parameter();
        let is_result = self.selection.result == Some(i);
        (parameter, view.panel(&self.highlighting.spoken, is_result, self.dispatch, self.hover, self.pinned))
    }

    /// The flow.
    pub fn html(&self) -> Html {
        let (inputs, operand_window) = (&self.selection.inputs, self.windows_of.0);
        let (in_panels, operands): (Vec<_>, Vec<_>) =
            inputs[operand_window.range.clone()].iter().map(|i| self.panel(*i)).unzip();
        // An embed has no input fields.
        let in_panels: Vec<usize> = in_panels.into_iter().flatten().filter(|_| !link::is_embed()).collect();
        let has_operands = !operands.is_empty();
        html! {
            <>
                <UnreadableNotice fields={self.session.unreadable().clone()} roles={self.roles()} {in_panels}
                    device={self.experiment.environment.selected_replica} shows_previous_run={self.shows_previous_run} dispatch={self.dispatch.clone()} />
                <Notice status={self.run.status.clone()} shows_previous_run={self.shows_previous_run}
                    cancel={self.run.cancel.clone()} rerun={self.run.rerun.clone()} />
                <div class={classes!("flow", self.is_stale.then_some("old"), self.packing())}>
                    if inputs.len() > WINDOW {
                        {window_bar(self.context, "operands", self.label("operands-window"), operand_window)}
                    }
                    if has_operands { <div class="operands">{for operands}</div> }
                    {self.no_array(has_operands)}
                    {self.outputs(has_operands)}
                </div>
                {self.derivation()}
                if let (Some(finished), Some(Category::Movement)) = (self.finished(), self.meta.map(|meta| meta.category)) {
                    {self.moving(finished)}
                }
                if let Some(note) = &self.highlighting.note { <p class="dim" id="note">{self.context.text(note)}</p> }
            </>
        }
    }

    /// The roles of the unreadable parameters that are operands of the selected instruction.
    fn roles(&self) -> Vec<(usize, String)> {
        let Some(((_, instruction), meta)) = self.session.focus().zip(self.meta) else { return Vec::new() };
        let Some(entry) = self.session.module().entry_computation() else { return Vec::new() };
        let (operands, count) = (&instruction.operands, instruction.operands.len());
        // Few fields are unreadable, but a program may have thousands of operands and parameters.
        let role = |field: &UnreadableField| {
            let Field::Parameter { number, .. } = field.field else { return None };
            let id = entry.parameters.get(number)?;
            let operand = operands.iter().position(|operand| operand == id)?;
            Some((number, meta.operands.label(operand, count)))
        };
        self.session.unreadable().iter().filter_map(role).collect()
    }

    /// How two and more operands are packed, so that their result stays beside them: the class for windows of 1280
    /// pixels, that for 1440, and that for a first operand with the others above each other.
    fn packing(&self) -> Classes {
        let inputs = &self.selection.inputs[self.windows_of.0.range.clone()];
        let results = &self.selection.results[self.windows_of.1.range.clone()];
        let sum = |of: &[usize], is_input: bool| {
            of.iter().fold([0, 0], |[wide, small], i| {
                let each = &self.run.shown[*i];
                let own = widths(&each.array, self.highlights(*i, each).base_area.as_ref(), is_input);
                [wide + own[0], small + own[1]]
            })
        };
        let (operands, result) = (sum(inputs, true), sum(results, false));
        let (wide, small) = (operands[0] + result[0], operands[1] + result[1]);
        if inputs.len() < MANY_OPERANDS
            || self.selection.inputs.len() > WINDOW
            || result[1] > MAX_RESULT_PIXELS
        {
            return Classes::new();
        }
        classes!(
            (wide > ROOM_AT_1280).then_some("packed-at-1280"),
            (wide > ROOM_AT_1440).then_some("packed-at-1440"),
            (inputs.len() == STACKED_OPERANDS && small > ROOM_AT_1280).then_some("stacked")
        )
    }

    /// The strips of an op that moves elements.
    fn moving(&self, finished: &FinishedRun) -> Html {
        let current = (self.selection.current.as_ref(), self.selection.result);
        pictures::moving(finished, self.of, &self.run.shown, current, self.dispatch)
    }

    fn outputs(&self, has_operands: bool) -> Html {
        let (results, window) = (&self.selection.results, self.windows_of.1);
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

    /// A result without arrays.
    fn no_array(&self, has_operands: bool) -> Html {
        let Some((name, shape, why)) = without_array(self.finished(), self.of) else {
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

    /// How the output cell was computed.
    fn derivation(&self) -> Html {
        if self.highlighting.derivation.is_none() && self.inner.is_none() {
            return Html::default();
        }
        html! {
            <div class="working">
                if self.is_stale { <p class="stale">{self.label("stale")}</p> }
                if let Some(derivation) = self.highlighting.derivation.clone() { <WorkingLine {derivation} out_of_range_starts={self.highlighting.out_of_range_starts.clone()} winners={self.winners.clone()} /> }
                if let Some(steps) = self.inner.cloned() {
                    <InnerSteps {steps} at={self.within.at} go={self.within.go.clone()} />
                }
            </div>
        }
    }
}

/// The name and the shape of a result that cannot be displayed, and why.
fn without_array(finished: Option<&FinishedRun>, focus: InstructionId) -> Option<(String, String, Message)> {
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
