//! The state of an editing session besides its experiment, as plain data; [`super::navigation`] changes it.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::super::document::ValueRule;
use super::super::Experiment;
use super::super::arguments::Field;
use super::super::form_edits::FormEdits;
use super::super::start_indices::VectorizedStarts;
use crate::array::Edition;
use crate::diagnostic::Diagnostic;
use crate::hlo::Module;
use crate::i18n::Message;

/// An example that was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenedExample {
    /// The catalogue name of its op or entry.
    pub(super) name: String,
    /// The example as its op defines it.
    pub original: Experiment,
    /// The example as it was displayed: possibly rewritten for the chosen edition.
    pub(super) displayed: Experiment,
}

/// The experiment of an op or entry that is not open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedExperiment {
    /// The saved experiment.
    pub experiment: Experiment,
    /// The example that it is an edit of.
    pub(super) opened_example: Option<OpenedExample>,
    /// See [`ChosenEdition::joined_indices`].
    pub(super) joined_indices: Vec<VectorizedStarts>,
}

/// The chosen edition and its effect on the experiment.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ChosenEdition {
    /// The edition that was chosen, which may not be that of the experiment.
    pub edition: Edition,
    /// The start indices that the last change of the edition joined, to split them again.
    pub joined_indices: Vec<VectorizedStarts>,
    /// A note for the user about the edition.
    pub note: Option<Message>,
}

impl ChosenEdition {
    pub fn new(edition: Edition) -> Self {
        Self { edition, joined_indices: Vec::new(), note: None }
    }
}

/// The state besides the experiment.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Workspace {
    /// The edition that was chosen for [`super::Session::text`].
    pub chosen: ChosenEdition,
    /// The example that was opened last.
    pub opened_example: Option<OpenedExample>,
    /// The experiments of other ops and entries, by their catalogue names.
    pub saved: Rc<BTreeMap<String, SavedExperiment>>,
}

impl Workspace {
    pub fn new(edition: Edition) -> Self {
        Self { chosen: ChosenEdition::new(edition), opened_example: None, saved: Rc::default() }
    }
}

/// An experiment that undo or redo returns to.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub experiment: Experiment,
    /// The edition that was chosen for it.
    pub chosen: ChosenEdition,
    /// The text with errors that was being edited.
    pub draft: Option<Box<Draft>>,
}

impl Step {
    /// The text that is shown.
    pub fn text(&self) -> &str {
        self.draft.as_ref().map_or(&self.experiment.text, |draft| &draft.text)
    }
}

/// A text with errors, and what is kept while it is edited.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub text: String,
    /// What could be parsed of the text.
    pub module: Rc<Module>,
    pub diagnostics: Rc<Vec<Diagnostic>>,
    pub form_edits: Option<FormEdits>,
    pub pending_values: Vec<(Field, ValueRule)>,
    pub pending_load: Option<Box<Experiment>>,
    /// The edition that was chosen for the text.
    pub chosen: ChosenEdition,
}
