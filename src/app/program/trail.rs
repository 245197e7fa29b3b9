//! The way back: the instructions, with their chosen cells, from which others were followed. Each step is an entry of the browser's history, and the way back
//! leads through the same entries, so that it agrees with the browser's buttons.

use std::cell::Cell;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use crate::app::context::Context;
use crate::app::link;
use crate::array::Dims;
use crate::i18n::Message;
use crate::ops::Role;
use crate::state::program::references::{CellTarget, ChosenCell, InstructionKey, InstructionPath};
use crate::state::program::session::Action;
use crate::state::program::source_text::SourceText;
use crate::view::derivation::index_text;
use crate::view::sources::HighlightedCell;

/// Cells of a value that a trace has found.
#[derive(Clone, Debug, PartialEq)]
pub struct Marks {
    /// The path through tuples to their array.
    pub path: Vec<usize>,
    /// Their indices.
    pub cells: Vec<Vec<i64>>,
    /// What they are.
    pub label: String,
}

/// The cells that are in a part of an array, which begins at `start`.
pub fn marked_cells(cells: &[Vec<i64>], start: &[i64], sizes: &[i64]) -> Vec<HighlightedCell> {
    let within = cells.iter().filter_map(|cell| {
        let index: Dims = cell.iter().zip(start).map(|(at, start)| at - start).collect();
        let is_within = index.iter().zip(sizes).all(|(at, size)| (0..*size).contains(at));
        is_within.then_some(HighlightedCell { index, role: Role::Value, order: 0, times: 1 })
    });
    within.collect()
}

/// An action that leads elsewhere, and the cells that are marked there.
#[derive(Clone, Debug, PartialEq)]
pub struct Jump {
    /// The action.
    pub action: Action,
    /// The cells.
    pub marks: Option<Rc<Marks>>,
}

impl From<Action> for Jump {
    fn from(action: Action) -> Self {
        Self { action, marks: None }
    }
}

/// An instruction that was followed from.
#[derive(Clone, Debug, PartialEq)]
pub struct Visited {
    /// Its name.
    pub name: String,
    /// The instruction.
    pub instruction: InstructionPath,
    /// Its execution, from 0.
    pub execution: u64,
    /// The device, from 0.
    pub device: u32,
    /// The chosen cell, if any.
    pub cell: Option<ChosenCell>,
}

impl Visited {
    fn label(&self) -> String {
        format!("{}{}", self.name, self.cell.as_ref().map(|cell| index_text(&cell.index)).unwrap_or_default())
    }
}

/// The instructions from which others were followed, the last one at the end.
#[derive(Debug, Default, PartialEq)]
struct Followed {
    /// Each with the cells that were marked in it.
    visited: Vec<(Visited, Option<Rc<Marks>>)>,
    /// The cells that are marked in the instruction that the last one led to.
    marks: Option<Rc<Marks>>,
    /// The instruction that the last one led to: the way back is lost where another one is selected.
    to: Option<InstructionKey>,
    /// The text of the program: in another one, the same key is another instruction.
    text: Option<SourceText>,
}

/// The instructions that led to the shown one.
#[derive(Clone)]
pub struct Trail {
    followed: UseStateHandle<Followed>,
    /// The number of history entries after the last step.
    entries: Rc<Cell<u32>>,
    /// The shown instruction.
    at: Option<InstructionKey>,
    /// The text of the program.
    text: SourceText,
    dispatch: Callback<Action>,
}

/// The trail to the shown instruction of a program.
#[hook]
pub fn use_trail(text: &SourceText, at: Option<InstructionKey>, dispatch: &Callback<Action>) -> Trail {
    let followed = use_state_eq(Followed::default);
    let entries = use_memo((), |()| Cell::new(0));
    {
        let entries = entries.clone();
        use_effect_with(followed.visited.len(), move |_| {
            // The page adds the entry of a step after the same rendering.
            let timer = Timeout::new(0, move || entries.set(link::added_entries()));
            move || drop(timer)
        });
    }
    Trail { followed, entries, at, text: text.clone(), dispatch: dispatch.clone() }
}

/// The instruction that an action selects.
fn destination(action: &Action) -> Option<InstructionKey> {
    match action {
        Action::SelectCell(instruction, ..) | Action::SelectExecution(instruction, _) => Some(instruction.at),
        Action::OnDevice(_, action) | Action::Jump(action) => destination(action),
        _ => None,
    }
}

impl Trail {
    fn leads_here(&self) -> bool {
        self.at.is_some() && self.followed.to == self.at && self.followed.text.as_ref() == Some(&self.text)
    }

    /// The cells that are marked in the shown instruction.
    pub fn marks(&self) -> Option<Rc<Marks>> {
        self.followed.marks.clone().filter(|_| self.leads_here())
    }

    fn visited(&self) -> &[(Visited, Option<Rc<Marks>>)] {
        if self.leads_here() { &self.followed.visited } else { &[] }
    }

    /// Performs actions that lead away from an instruction.
    pub fn follow(&self, from: Option<Visited>) -> Callback<Jump> {
        let Some(from) = from else { return self.dispatch.reform(|jump: Jump| jump.action) };
        let (followed, visited, marked) = (self.followed.setter(), self.visited().to_vec(), self.marks());
        let (dispatch, text) = (self.dispatch.clone(), self.text.clone());
        Callback::from(move |Jump { action, marks }: Jump| {
            let to = destination(&action);
            // Within an instruction, the way back to no cell would lead nowhere.
            let leads_away = to.is_some_and(|to| from.cell.is_some() || to != from.instruction.at);
            if leads_away {
                let visited = visited.iter().cloned().chain([(from.clone(), marked.clone())]).collect();
                followed.set(Followed { visited, marks, to, text: Some(text.clone()) });
                dispatch.emit(Action::Jump(Box::new(action)));
            } else {
                dispatch.emit(action);
            }
        })
    }

    /// The button that leads back to the last instruction.
    pub fn back(&self, context: &Context) -> Html {
        let Some(((last, marks), before)) = self.visited().split_last() else { return Html::default() };
        let (followed, dispatch, entries) =
            (self.followed.setter(), self.dispatch.clone(), self.entries.clone());
        let (last, marks, before, text) = (last.clone(), marks.clone(), before.to_vec(), self.text.clone());
        let label = last.label();
        let onclick = Callback::from(move |_: MouseEvent| {
            followed.set(Followed {
                visited: before.clone(),
                marks: marks.clone(),
                to: Some(last.instruction.at),
                text: Some(text.clone()),
            });
            if entries.get() == link::added_entries() {
                return link::go_back();
            }
            // Something else was added since then, such as another view.
            let (instruction, execution) = (last.instruction.clone(), last.execution);
            let select = match last.cell.clone() {
                Some(ChosenCell { path, index }) => {
                    Action::SelectCell(instruction, execution, CellTarget::Index { path, index })
                }
                None => Action::SelectExecution(instruction, execution),
            };
            dispatch.emit(Action::OnDevice(last.device, Box::new(select)));
        });
        let label = context.text(&Message::program("program-trail-back").with("cell", label));
        html! { <button class="btn tiny" id="program-trail-back" {onclick}>{"← "}{label}</button> }
    }
}
