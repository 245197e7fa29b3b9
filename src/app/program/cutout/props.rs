//! The properties of the view and its forms.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::program::reading::Reading;
use crate::app::program::tasks::TaskHandle;
use crate::state::program::session::{Action, Session};
use crate::worker::program::wire::InstructionPath;

/// Properties of the view.
#[derive(Clone, PartialEq, Properties)]
pub struct CutViewProps {
    /// The program.
    pub reading: Rc<Reading>,
    /// The session.
    pub session: Rc<Session>,
    /// The selected instruction.
    pub selected: Option<InstructionPath>,
    /// The task.
    pub task: TaskHandle,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}
