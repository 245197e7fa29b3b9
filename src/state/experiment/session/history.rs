//! Undo and redo: each step is a whole experiment, with the edition that was chosen for it.

use super::super::super::session::LinkChange;
use super::super::super::stored_history::History;
use super::super::Experiment;
use super::Session;
use super::workspace::{ChosenEdition, Step};
use crate::diagnostic::Hint;

/// Maximum number of edits that can be undone.
const MAX_UNDO_STEPS: usize = 200;

impl Session {
    pub(super) fn commit_text(&mut self) {
        self.write_lowered();
        let before = self.before_typing.take();
        if let Some(before) = before.filter(|before| before.experiment.text != self.experiment.text) {
            self.push_undo(before);
        }
    }

    /// The current experiment as a step.
    pub(super) fn step(&self) -> Step {
        Step { experiment: self.experiment.clone(), chosen: self.chosen.clone() }
    }

    /// Returns to a step; `None` if its text has errors.
    fn go_to(&mut self, step: Step) -> Option<()> {
        self.workspace.chosen = step.chosen;
        // Settings of the view are not undone.
        let shown_memory = self.experiment.shown_memory.clone();
        self.replace(Experiment { shown_memory, ..step.experiment })
    }

    /// The experiments that undo and redo return to.
    pub fn history(&self) -> History<&Experiment> {
        let undo = self.undo_stack.iter().chain(&self.before_typing).collect();
        let history = History { undo, redo: self.redo_stack.iter().collect() };
        history.map(|steps: Vec<&Step>| steps.into_iter().map(|step| &step.experiment).collect())
    }

    /// Sets the experiments that undo and redo return to, as [`Session::history`] gave them.
    pub fn restore_history(&mut self, history: History<Experiment>) {
        let steps = |experiments: Vec<Experiment>| {
            let step =
                |experiment: Experiment| Step { chosen: ChosenEdition::new(experiment.edition), experiment };
            experiments.into_iter().map(step).collect()
        };
        History { undo: self.undo_stack, redo: self.redo_stack } = history.map(steps);
    }

    pub(super) fn push_undo(&mut self, step: Step) {
        if self.undo_stack.len() == MAX_UNDO_STEPS {
            self.undo_stack.remove(0);
        }
        self.undo_stack.push(step);
        self.redo_stack.clear();
    }

    pub(super) fn undo(&mut self) -> LinkChange {
        self.commit_text();
        // Values that are too long to keep are discarded first.
        if !self.overlong.is_empty() {
            self.overlong.clear();
            self.update_invalid_fields();
            return LinkChange::Keep;
        }
        // Next, a text with errors.
        if self.has_invalid_text() {
            self.pending_values.clear();
            return self.go_to(self.step()).map_or(LinkChange::Keep, |()| LinkChange::Replace);
        }
        let Some(before) = self.undo_stack.pop() else { return LinkChange::Keep };
        self.redo_stack.push(self.step());
        self.go_to(before).map_or(LinkChange::Keep, |()| LinkChange::Push)
    }

    pub(super) fn redo(&mut self) -> LinkChange {
        self.commit_text();
        self.overlong.clear();
        let Some(after) = self.redo_stack.pop() else { return LinkChange::Keep };
        self.undo_stack.push(self.step());
        self.go_to(after).map_or(LinkChange::Keep, |()| LinkChange::Push)
    }

    /// Applies a fix to the text.
    pub(super) fn apply_hint(&mut self, hint: &Hint) -> LinkChange {
        if let Some(change) = self.join_start_indices(hint) {
            return change;
        }
        let Some(fixed) = hint.apply(&self.text) else { return LinkChange::Keep };
        let before = self.module.clone();
        let change = self.type_text(fixed);
        self.commit_text();
        self.fit_values(&before);
        change
    }
}
