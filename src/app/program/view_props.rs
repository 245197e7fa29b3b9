//! The properties of every view of a program.

use std::rc::Rc;

use yew::prelude::*;

use super::answers::Answers;
use super::reading::Reading;
use crate::state::program::session::Action;
use crate::worker::program::wire::{InstructionPath, Query};

/// Properties of a view.
#[derive(Clone, PartialEq, Properties)]
pub struct ViewProps {
    /// The program.
    pub reading: Rc<Reading>,
    /// The selected instruction, which all views share.
    pub selected: Option<InstructionPath>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
    /// Asks the query worker; the answers to a view's own queries arrive by [`super::answers::use_answers`].
    pub ask: Callback<Query>,
    /// Searches; an empty text ends the search.
    pub search: Callback<String>,
    /// The answers to the view's own queries.
    pub answers: Answers,
}
