//! Navigation between ops, examples and editions.
//!
//! An op that was edited is saved when another one is opened, and restored when it is opened again. Invariant: the
//! chosen edition changes only by [`Action::SetEdition`], undo, or a link. An example that the chosen edition rejects, or
//! that demonstrates XLA 2017, keeps its edition; [`Session::edition_note`] explains why.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::super::session::LinkChange;
use super::super::Experiment;
use super::super::reading::read;
use super::super::start_indices::{RewrittenExperiment, convert_start_indices};
use super::super::state::Environment;
use super::workspace::{OpenedExample, SavedExperiment, Step, Workspace};
use super::{Action, Session};
use crate::array::Edition;
use crate::diagnostic::Hint;
use crate::documents;
use crate::hlo::Instruction;
use crate::i18n::Message;
use crate::ops::OpDef;

/// Whether two experiments differ at most in their selections and editions.
fn has_same_inputs(a: &Experiment, b: &Experiment) -> bool {
    let inputs =
        |experiment: &Experiment| Environment { selected_replica: 0, ..experiment.environment.clone() };
    a.text == b.text && a.values == b.values && a.seed == b.seed && inputs(a) == inputs(b)
}

/// Whether an experiment is an example without edits, in the form of either edition.
fn is_unedited(example: &OpenedExample, experiment: &Experiment) -> bool {
    has_same_inputs(&example.displayed, experiment) || has_same_inputs(&example.original, experiment)
}

impl Session {
    /// The catalogue's name of the open entry or op.
    fn catalogue_name(&self) -> Option<&'static str> {
        let op = || self.focus().and_then(|(_, instruction)| instruction.op).map(OpDef::meta);
        self.document_entry().map(|entry| entry.name).or_else(|| op().map(|meta| meta.opcode))
    }

    /// The example that was opened; `None` after a link, or if another op is selected.
    pub fn opened_example(&self) -> Option<&OpenedExample> {
        let name = self.catalogue_name();
        self.workspace.opened_example.as_ref().filter(|example| Some(example.name.as_str()) == name)
    }

    /// Whether the experiment differs from the opened example; `None` if there is none.
    pub fn is_edited(&self) -> Option<bool> {
        self.opened_example()
            .map(|example| self.has_invalid_text() || !is_unedited(example, &self.experiment))
    }

    /// The experiments of other ops and entries, by their catalogue names.
    pub fn saved_experiments(&self) -> &Rc<BTreeMap<String, SavedExperiment>> {
        &self.workspace.saved
    }

    /// The session with experiments that an earlier page load saved.
    #[must_use]
    pub fn with_saved_experiments(mut self, saved: impl IntoIterator<Item = (String, Experiment)>) -> Self {
        let saved = saved.into_iter().map(|(name, experiment)| {
            (name, SavedExperiment { experiment, opened_example: None, joined_indices: Vec::new() })
        });
        self.workspace.saved = Rc::new(saved.collect());
        self
    }

    /// A note about the edition: that the program was rewritten for it, or why the experiment is not in the chosen one.
    pub fn edition_note(&self) -> Option<&Message> {
        self.workspace.chosen.note.as_ref()
    }

    /// The experiment with the name to save it under: that of the opened example, with its instruction selected, even if
    /// another instruction of the program is selected now; without an opened example, that of the selected op.
    fn experiment_to_save(&self) -> Option<(String, Experiment)> {
        let mut experiment = self.experiment.clone();
        let selected = self.catalogue_name()?;
        let example = self.workspace.opened_example.as_ref().filter(|example| example.name != selected);
        let Some(example) = example else { return Some((selected.to_owned(), experiment)) };
        let entry = documents::by_name(&experiment.document_entry).filter(|entry| entry.name == example.name);
        let is_of_example = |instruction: &Instruction| match entry {
            Some(entry) => entry.lowers_to(&instruction.opcode),
            None => instruction.opcode == example.name,
        };
        let computation = self.module.entry_computation()?;
        let original = computation.find(&example.displayed.focus).or(computation.root);
        let original = original.filter(|id| computation.get(*id).is_some_and(is_of_example));
        // The example's instruction may have been removed since.
        let last = || {
            let matching = computation.iter().filter(|(_, instruction)| is_of_example(instruction));
            matching.last().map(|(id, _)| id)
        };
        let Some(id) = original.or_else(last) else { return Some((selected.to_owned(), experiment)) };
        (experiment.focus, experiment.leaf, experiment.cursor) = (self.name_of(id), 0, 0);
        Some((example.name.clone(), experiment))
    }

    /// Saves the experiment under its name, unless opening that name gives the same experiment anyway.
    pub(super) fn save_current(&mut self) {
        let to_save = self.experiment_to_save().filter(|_| !self.is_gallery && self.pending_load.is_none());
        let Some((name, experiment)) = to_save else { return };
        let opened_example = self.workspace.opened_example.clone().filter(|example| example.name == name);
        let is_edited = self.has_invalid_text()
            || opened_example.as_ref().is_none_or(|example| !is_unedited(example, &experiment));
        let original = opened_example.as_ref().map(|example| &example.original).filter(|_| !is_edited);
        let saved = Rc::make_mut(&mut self.workspace.saved);
        if original.is_some() && documents::first_experiment(&name).as_ref() == original {
            saved.remove(&name);
        } else {
            let joined_indices = self.workspace.chosen.joined_indices.clone();
            saved.insert(name, SavedExperiment { experiment, opened_example, joined_indices });
        }
    }

    /// Loads a link, with its edition.
    pub(super) fn load(&mut self, experiment: Box<Experiment>) -> LinkChange {
        let before = self.step();
        let saved = self.workspace.saved.clone();
        self.workspace = Workspace { saved, ..Workspace::new(experiment.edition) };
        self.edit_from(before, Action::Load(experiment))
    }

    /// Opens the saved experiment of an op or an entry, or its first example.
    pub(super) fn open(&mut self, name: &str) -> LinkChange {
        if let Some(saved) = self.workspace.saved.get(name).cloned() {
            let before = self.step();
            self.workspace.opened_example = saved.opened_example;
            self.workspace.chosen.joined_indices = saved.joined_indices;
            return self.load_in_chosen_edition(before, saved.experiment, false);
        }
        match documents::first_experiment(name) {
            Some(example) => self.open_example(example),
            None => LinkChange::Keep,
        }
    }

    /// Opens an example, in the chosen edition if that supports it.
    pub(super) fn open_example(&mut self, example: Experiment) -> LinkChange {
        let before = self.step();
        (self.workspace.opened_example, self.workspace.chosen.joined_indices) = (None, Vec::new());
        let keeps_edition = example.edition == Edition::V2017;
        let change = self.load_in_chosen_edition(before, example.clone(), keeps_edition);
        self.set_opened_example(example);
        change
    }

    /// Discards the edits of the opened example; without one, opens the first example of the op.
    pub(super) fn restart(&mut self) -> LinkChange {
        let first = || documents::first_experiment(self.catalogue_name()?);
        match self.opened_example().map(|example| example.original.clone()).or_else(first) {
            Some(example) => self.open_example(example),
            None => LinkChange::Keep,
        }
    }

    /// The edition that was chosen, which may not be that of the experiment.
    pub fn chosen_edition(&self) -> Edition {
        self.workspace.chosen.edition
    }

    /// Records that the current experiment shows this example, to which [`Action::Restart`] returns.
    pub fn set_opened_example(&mut self, original: Experiment) {
        let (name, displayed) = (self.catalogue_name(), self.experiment.clone());
        let name = name.filter(|_| self.pending_load.is_none());
        self.workspace.opened_example =
            name.map(|name| OpenedExample { name: name.to_owned(), original, displayed });
    }

    /// Loads an experiment in the chosen edition; in its own if `keeps_edition`, or if the chosen one rejects it. Undo
    /// returns to `before`.
    fn load_in_chosen_edition(
        &mut self,
        before: Step,
        experiment: Experiment,
        keeps_edition: bool,
    ) -> LinkChange {
        self.workspace.chosen.note = None;
        let chosen = self.workspace.chosen.edition;
        let converted = if chosen == experiment.edition {
            Ok(experiment.clone())
        } else if keeps_edition {
            Err(Message::ops("edition-of-example"))
        } else {
            self.convert_edition(&experiment, chosen)
        };
        let next = converted.unwrap_or_else(|note| {
            self.workspace.chosen.note = Some(note);
            experiment
        });
        self.edit_from(before, Action::Load(Box::new(next)))
    }

    /// The experiment in another edition.
    ///
    /// # Errors
    /// The note that says why it stays in its own.
    fn convert_edition(&mut self, experiment: &Experiment, edition: Edition) -> Result<Experiment, Message> {
        if let Some(rewritten) =
            convert_start_indices(experiment, edition, &self.workspace.chosen.joined_indices)
        {
            return Ok(self.accept_rewritten(rewritten, edition));
        }
        let converted = Experiment { edition, ..experiment.clone() };
        match read(&converted.text, edition).parsed.error() {
            None => Ok(converted),
            Some(error) => {
                let is_current = experiment.edition == Edition::Current;
                let key = if is_current { "edition-shown-current" } else { "edition-shown-2017" };
                Err(Message::ops(key).with("why", error.message.clone()))
            }
        }
    }

    /// Changes the chosen edition; returns the experiment in it, rewritten if the editions differ only in notation.
    pub(super) fn change_edition(&mut self, experiment: Experiment, edition: Edition) -> Experiment {
        let is_edited = self.is_edited();
        (self.workspace.chosen.edition, self.workspace.chosen.note) = (edition, None);
        let next = match convert_start_indices(&experiment, edition, &self.workspace.chosen.joined_indices) {
            Some(rewritten) => self.accept_rewritten(rewritten, edition),
            None => Experiment { edition, ..experiment },
        };
        if let Some(example) = self.workspace.opened_example.as_mut().filter(|_| is_edited == Some(false)) {
            example.displayed.clone_from(&next);
        }
        next
    }

    /// Accepts a rewritten experiment, and notes which start indices were joined or split.
    fn accept_rewritten(&mut self, rewritten: RewrittenExperiment, edition: Edition) -> Experiment {
        let RewrittenExperiment { experiment, vectorized } = rewritten;
        if !vectorized.is_empty() {
            // Parameters are numbered differently.
            self.overlong.clear();
            self.pending_values.clear();
        }
        let list = |names: &[String]| names.join(", ");
        self.workspace.chosen.note = vectorized.first().map(|first| {
            // A single start index may keep its name.
            let keeps_name = first.scalars.iter().all(|scalar| *scalar == first.vector);
            let key = match (edition == Edition::V2017, keeps_name) {
                (true, true) => "edition-joined-one",
                (true, false) => "edition-joined",
                (false, true) => "edition-split-one",
                (false, false) => "edition-split",
            };
            Message::ops(key).with("scalars", list(&first.scalars)).with("vector", first.vector.as_str())
        });
        self.workspace.chosen.joined_indices =
            if edition == Edition::V2017 { vectorized } else { Vec::new() };
        experiment
    }

    /// Applies the fix that joins start indices, together with their values if they are parameters. `None` for other fixes.
    pub(super) fn join_start_indices(&mut self, hint: &Hint) -> Option<LinkChange> {
        let edition = self.edition();
        if edition != Edition::V2017 || hint.message != Message::ops("lowering-join-starts") {
            return None;
        }
        let experiment = Experiment { text: self.text.clone(), ..self.edited_experiment() };
        convert_start_indices(&experiment, edition, &[])?;
        Some(self.edit(Action::SetEdition(edition)))
    }
}
