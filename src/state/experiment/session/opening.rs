//! What an editing session has open: the example it began with, the edition that was chosen, and the experiments in
//! which other ops were left.
//!
//! Invariant: the edition changes only by [`Action::SetEdition`], undo, or a link. An example that the chosen edition
//! refuses, or that shows XLA 2017, stays in its own, which [`Session::edition_note`] says.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::super::session::LinkChange;
use super::super::Experiment;
use super::super::reading::read;
use super::super::start_indices::{Rewritten, for_edition};
use super::super::state::Environment;
use super::opened::{Kept, Opening, Start};
use super::{Action, Session};
use crate::array::Edition;
use crate::diagnostic::Hint;
use crate::documents;
use crate::hlo::Instruction;
use crate::i18n::Message;
use crate::ops::OpDef;

/// Whether two experiments differ only in what is selected, and in their editions.
fn is_same(a: &Experiment, b: &Experiment) -> bool {
    let inputs = |of: &Experiment| Environment { selected_replica: 0, ..of.environment.clone() };
    a.text == b.text && a.values == b.values && a.seed == b.seed && inputs(a) == inputs(b)
}

/// Whether an experiment is an example without edits, in the form of either edition.
fn is_start(start: &Start, experiment: &Experiment) -> bool {
    is_same(&start.shown, experiment) || is_same(&start.example, experiment)
}

impl Session {
    /// The name by which the catalogue knows what is open.
    fn catalogue_name(&self) -> Option<&'static str> {
        let op = || self.focus().and_then(|(_, instruction)| instruction.op).map(OpDef::meta);
        self.document_entry().map(|entry| entry.name).or_else(|| op().map(|meta| meta.opcode))
    }

    /// The example that the experiment began with; `None` after a link, or where another op was selected.
    pub fn start(&self) -> Option<&Start> {
        let name = self.catalogue_name();
        self.opening.start.as_ref().filter(|start| Some(start.name.as_str()) == name)
    }

    /// Whether the experiment differs from the example it began with; `None` if it began with none.
    pub fn is_edited(&self) -> Option<bool> {
        self.start().map(|start| self.is_behind() || !is_start(start, &self.experiment))
    }

    /// How other ops were left, by the names of the catalogue.
    pub fn kept(&self) -> &Rc<BTreeMap<String, Kept>> {
        &self.opening.kept
    }

    /// The session with experiments that were kept before the page was loaded.
    #[must_use]
    pub fn with_kept(mut self, kept: impl IntoIterator<Item = (String, Experiment)>) -> Self {
        let kept = kept
            .into_iter()
            .map(|(name, experiment)| (name, Kept { experiment, start: None, joins: Vec::new() }));
        self.opening.kept = Rc::new(kept.collect());
        self
    }

    /// What to know about the edition: that the program was rewritten for it, or why it is not the chosen one.
    pub fn edition_note(&self) -> Option<&Message> {
        self.opening.chosen.note.as_ref()
    }

    /// The experiment as its op was left: under the name of the op or the entry that it began with, with that selected, even
    /// if another instruction of the program is selected now; else under the name of the selected op.
    fn left(&self) -> Option<(String, Experiment)> {
        let mut experiment = self.experiment.clone();
        let selected = self.catalogue_name()?;
        let Some(start) = self.opening.start.as_ref().filter(|start| start.name != selected) else {
            return Some((selected.to_owned(), experiment));
        };
        let entry = documents::by_name(&experiment.document_entry).filter(|entry| entry.name == start.name);
        let is_own = |instruction: &Instruction| match entry {
            Some(entry) => entry.becomes(&instruction.opcode),
            None => instruction.opcode == start.name,
        };
        let computation = self.module.entry_computation()?;
        let first = computation.find(&start.shown.focus).or(computation.root);
        let first = first.filter(|id| computation.get(*id).is_some_and(is_own));
        let own =
            || computation.iter().filter(|(_, instruction)| is_own(instruction)).last().map(|(id, _)| id);
        // The instruction that it began with may have been removed since.
        let Some(id) = first.or_else(own) else { return Some((selected.to_owned(), experiment)) };
        (experiment.focus, experiment.leaf, experiment.cursor) = (self.name_of(id), 0, 0);
        Some((start.name.clone(), experiment))
    }

    /// Keeps the experiment under its name, unless it is what its name opens anyway.
    pub(super) fn leave(&mut self) {
        let left = self.left().filter(|_| !self.is_gallery && self.loaded.is_none());
        let Some((name, experiment)) = left else { return };
        let start = self.opening.start.clone().filter(|start| start.name == name);
        let is_edited = self.is_behind() || start.as_ref().is_none_or(|start| !is_start(start, &experiment));
        let example = start.as_ref().map(|start| &start.example).filter(|_| !is_edited);
        let kept = Rc::make_mut(&mut self.opening.kept);
        if example.is_some() && documents::first_experiment(&name).as_ref() == example {
            kept.remove(&name);
        } else {
            let joins = self.opening.chosen.joins.clone();
            kept.insert(name, Kept { experiment, start, joins });
        }
    }

    /// Loads a link, with its edition.
    pub(super) fn load(&mut self, experiment: Box<Experiment>) -> LinkChange {
        let kept = self.opening.kept.clone();
        self.opening = Opening { kept, ..Opening::new(experiment.edition) };
        self.edit(Action::Load(experiment))
    }

    /// Opens an op or an entry as it was left, or its first example.
    pub(super) fn open(&mut self, name: &str) -> LinkChange {
        if let Some(kept) = self.opening.kept.get(name).cloned() {
            (self.opening.start, self.opening.chosen.joins) = (kept.start, kept.joins);
            return self.load_in_edition(kept.experiment, false);
        }
        match documents::first_experiment(name) {
            Some(example) => self.show_example(example),
            None => LinkChange::Keep,
        }
    }

    /// Shows an example, in the chosen edition if that takes it.
    pub(super) fn show_example(&mut self, example: Experiment) -> LinkChange {
        (self.opening.start, self.opening.chosen.joins) = (None, Vec::new());
        let change = self.load_in_edition(example.clone(), example.edition == Edition::V2017);
        self.begin(example);
        change
    }

    /// Shows the example again that was edited; without one, the first of the op.
    pub(super) fn restart(&mut self) -> LinkChange {
        let first = || documents::first_experiment(self.catalogue_name()?);
        match self.start().map(|start| start.example.clone()).or_else(first) {
            Some(example) => self.show_example(example),
            None => LinkChange::Keep,
        }
    }

    /// The edition that was chosen, which may not be that of the experiment.
    pub fn chosen_edition(&self) -> Edition {
        self.opening.chosen.edition
    }

    /// Remembers the example that the experiment shows: what is edited can return to it.
    pub fn begin(&mut self, example: Experiment) {
        let (name, shown) = (self.catalogue_name(), self.experiment.clone());
        let name = name.filter(|_| self.loaded.is_none());
        self.opening.start = name.map(|name| Start { name: name.to_owned(), example, shown });
    }

    /// Loads an experiment, in the chosen edition unless it is to stay in its own or the chosen one refuses it.
    fn load_in_edition(&mut self, experiment: Experiment, stays: bool) -> LinkChange {
        self.opening.chosen.note = None;
        let chosen = self.opening.chosen.edition;
        let next = if chosen == experiment.edition {
            experiment
        } else {
            let stays = stays.then(|| Message::ops("edition-of-example"));
            self.moved(&experiment, chosen, stays).unwrap_or_else(|note| {
                self.opening.chosen.note = Some(note);
                experiment
            })
        };
        self.edit(Action::Load(Box::new(next)))
    }

    /// An experiment in another edition, or why it stays in its own.
    fn moved(
        &mut self,
        experiment: &Experiment,
        edition: Edition,
        stays: Option<Message>,
    ) -> Result<Experiment, Message> {
        if let Some(stays) = stays {
            return Err(stays);
        }
        if let Some(rewritten) = for_edition(experiment, edition, &self.opening.chosen.joins) {
            return Ok(self.accept(rewritten, edition));
        }
        let moved = Experiment { edition, ..experiment.clone() };
        match read(&moved.text, edition).parsed.error() {
            None => Ok(moved),
            Some(error) => {
                let is_current = experiment.edition == Edition::Current;
                let key = if is_current { "edition-shown-current" } else { "edition-shown-2017" };
                Err(Message::ops(key).with("why", error.message.clone()))
            }
        }
    }

    /// Changes the edition: the experiment, rewritten if that is a matter of form.
    pub(super) fn in_edition(&mut self, experiment: Experiment, edition: Edition) -> Experiment {
        let is_edited = self.is_edited();
        (self.opening.chosen.edition, self.opening.chosen.note) = (edition, None);
        let next = match for_edition(&experiment, edition, &self.opening.chosen.joins) {
            Some(rewritten) => self.accept(rewritten, edition),
            None => Experiment { edition, ..experiment },
        };
        if let Some(start) = self.opening.start.as_mut().filter(|_| is_edited == Some(false)) {
            start.shown.clone_from(&next);
        }
        next
    }

    /// Takes a rewritten experiment, and notes what became of the start indices.
    fn accept(&mut self, rewritten: Rewritten, edition: Edition) -> Experiment {
        let Rewritten { experiment, joins } = rewritten;
        if !joins.is_empty() {
            // Parameters have other numbers.
            self.overlong.clear();
            self.pending.clear();
        }
        let list = |names: &[String]| names.join(", ");
        self.opening.chosen.note = joins.first().map(|first| {
            let key = if edition == Edition::V2017 { "edition-joined" } else { "edition-split" };
            Message::ops(key).with("scalars", list(&first.scalars)).with("vector", first.vector.as_str())
        });
        self.opening.chosen.joins = if edition == Edition::V2017 { joins } else { Vec::new() };
        experiment
    }

    /// Applies the fix that joins start indices: where they are parameters, with their values. `None` for other fixes.
    pub(super) fn join_starts(&mut self, hint: &Hint) -> Option<LinkChange> {
        let edition = self.edition();
        if edition != Edition::V2017 || hint.message != Message::ops("lowering-join-starts") {
            return None;
        }
        let experiment = Experiment { text: self.text.clone(), ..self.edited_experiment() };
        for_edition(&experiment, edition, &[])?;
        Some(self.edit(Action::SetEdition(edition)))
    }
}
