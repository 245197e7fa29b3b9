//! The way back: the chosen cells from which others were followed. Each step is an entry of the browser's history, and the way back
//! leads through the same entries, so that it agrees with the browser's buttons.

use std::cell::Cell;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use crate::app::context::Context;
use crate::app::link;
use crate::i18n::Message;
use crate::state::program::references::{CellTarget, ChosenCell, InstructionKey, InstructionPath};
use crate::state::program::session::Action;
use crate::state::program::source_text::SourceText;
use crate::view::derivation::index_text;

/// A chosen cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Visited {
    /// The name of its instruction.
    pub name: String,
    /// Its instruction.
    pub instruction: InstructionPath,
    /// The execution of the instruction, from 0.
    pub execution: u64,
    /// The device, from 0.
    pub device: u32,
    /// The cell.
    pub cell: ChosenCell,
}

/// The cells from which others were followed, the last one at the end.
#[derive(Debug, Default, PartialEq)]
struct Followed {
    cells: Vec<Visited>,
    /// The instruction that the last one led to: the way back is lost where another one is selected.
    to: Option<InstructionKey>,
    /// The text of the program: in another one, the same key is another instruction.
    text: Option<SourceText>,
}

/// The cells that led to the shown instruction.
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
        use_effect_with(followed.cells.len(), move |_| {
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
        Action::OnDevice(_, action) => destination(action),
        _ => None,
    }
}

impl Trail {
    fn cells(&self) -> &[Visited] {
        let leads_here = self.at.is_some()
            && self.followed.to == self.at
            && self.followed.text.as_ref() == Some(&self.text);
        if leads_here { &self.followed.cells } else { &[] }
    }

    /// Performs actions that lead away from a chosen cell.
    pub fn follow(&self, from: Option<Visited>) -> Callback<Action> {
        let Some(from) = from else { return self.dispatch.clone() };
        let (followed, cells) = (self.followed.setter(), self.cells().to_vec());
        let (dispatch, text) = (self.dispatch.clone(), self.text.clone());
        Callback::from(move |action: Action| {
            if let Some(to) = destination(&action) {
                let cells = cells.iter().chain([&from]).cloned().collect();
                followed.set(Followed { cells, to: Some(to), text: Some(text.clone()) });
            }
            dispatch.emit(action);
        })
    }

    /// The button that leads back to the last cell.
    pub fn back(&self, context: &Context) -> Html {
        let Some((last, before)) = self.cells().split_last() else { return Html::default() };
        let (followed, dispatch, entries) =
            (self.followed.setter(), self.dispatch.clone(), self.entries.clone());
        let (last, before, text) = (last.clone(), before.to_vec(), self.text.clone());
        let label = format!("{}{}", last.name, index_text(&last.cell.index));
        let onclick = Callback::from(move |_: MouseEvent| {
            followed.set(Followed {
                cells: before.clone(),
                to: Some(last.instruction.at),
                text: Some(text.clone()),
            });
            if entries.get() == link::added_entries() {
                return link::go_back();
            }
            // Something else was added since then, such as another view.
            let ChosenCell { path, index } = last.cell.clone();
            let cell = CellTarget::Index { path, index };
            let select = Action::SelectCell(last.instruction.clone(), last.execution, cell);
            dispatch.emit(Action::OnDevice(last.device, Box::new(select)));
        });
        let label = context.text(&Message::program("program-trail-back").with("cell", label));
        html! { <button class="btn tiny" id="program-trail-back" {onclick}>{"← "}{label}</button> }
    }
}
