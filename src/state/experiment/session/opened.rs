//! What an editing session has open beside its experiment, as plain data; [`super::opening`] changes it.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::Experiment;
use super::super::start_indices::Join;
use crate::array::Edition;
use crate::i18n::Message;

/// The example that an experiment began with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The name of the op or the entry.
    pub(super) name: String,
    /// The example as its op has it.
    pub example: Experiment,
    /// The example as it was shown: in the form of the edition.
    pub(super) shown: Experiment,
}

/// How an op was left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The experiment.
    pub experiment: Experiment,
    pub(super) start: Option<Start>,
    pub(super) joins: Vec<Join>,
}

/// The chosen edition and its effect on the experiment.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chosen {
    /// The edition that was chosen, which may not be that of the experiment.
    pub edition: Edition,
    /// The start indices that the last change of the edition joined.
    pub joins: Vec<Join>,
    /// What to know about the edition.
    pub note: Option<Message>,
}

impl Chosen {
    pub fn new(edition: Edition) -> Self {
        Self { edition, joins: Vec::new(), note: None }
    }
}

/// The state beside the experiment.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Opening {
    /// The edition that was chosen for [`super::Session::text`].
    pub chosen: Chosen,
    /// The example that the experiment began with.
    pub start: Option<Start>,
    /// How other ops were left.
    pub kept: Rc<BTreeMap<String, Kept>>,
}

impl Opening {
    pub fn new(edition: Edition) -> Self {
        Self { chosen: Chosen::new(edition), start: None, kept: Rc::default() }
    }
}

/// An experiment that undo or redo returns to.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub experiment: Experiment,
    /// The edition that was chosen for it.
    pub chosen: Chosen,
}
