//! Undo and redo: each step is a whole experiment, with the edition that was chosen for it and a text with errors that was
//! being edited.

use super::super::super::session::LinkChange;
use super::super::super::stored_history::History;
use super::super::Experiment;
use super::Session;
use super::workspace::{ChosenEdition, Draft, Step};
use crate::diagnostic::Hint;

/// Maximum number of edits that can be undone.
const MAX_UNDO_STEPS: usize = 200;

impl Session {
    pub(super) fn commit_text(&mut self) {
        self.write_lowered();
        let before = self.before_typing.take();
        if let Some(before) = before.filter(|before| before.text() != self.text) {
            self.push_undo(before);
        }
    }

    /// The current experiment and text as a step.
    pub(super) fn step(&self) -> Step {
        let draft = self.has_invalid_text().then(|| Draft {
            text: self.text.clone(),
            module: self.draft.clone(),
            diagnostics: self.diagnostics.clone(),
            form_edits: self.form_edits.clone(),
            pending_values: self.pending_values.clone(),
            pending_load: self.pending_load.clone(),
            chosen: self.workspace.chosen.clone(),
        });
        Step { draft: draft.map(Box::new), ..self.valid_step() }
    }

    /// The current experiment as a step, without a text with errors.
    fn valid_step(&self) -> Step {
        Step { experiment: self.experiment.clone(), chosen: self.chosen.clone(), draft: None }
    }

    /// Returns to a step.
    fn go_to(&mut self, step: Step) -> LinkChange {
        let before = self.experiment.clone();
        self.workspace.chosen = step.chosen;
        self.pending_values.clear();
        // Settings of the view are not undone.
        let shown_memory = self.experiment.shown_memory.clone();
        let is_valid = self.replace(Experiment { shown_memory, ..step.experiment }).is_some();
        if let Some(draft) = step.draft {
            let Draft { text, module, diagnostics, form_edits, pending_values, pending_load, chosen } =
                *draft;
            (self.text, self.draft, self.diagnostics) = (text, module, diagnostics);
            (self.form_edits, self.pending_values, self.pending_load) =
                (form_edits, pending_values, pending_load);
            self.workspace.chosen = chosen;
            self.update_invalid_fields();
        }
        match self.experiment == before {
            _ if !is_valid => LinkChange::Keep,
            true => LinkChange::Replace,
            false => LinkChange::Push,
        }
    }

    /// The experiments that undo and redo return to, without texts with errors.
    pub fn history(&self) -> History<&Experiment> {
        let is_valid = |step: &&Step| step.draft.is_none();
        // The experiment before a text with errors is the present one.
        let is_present = |step: &&Step| self.has_invalid_text() && step.experiment == self.experiment;
        let undo = self.undo_stack.iter().chain(&self.before_typing);
        let undo = undo.filter(is_valid).filter(|step| !is_present(step)).collect();
        let history = History { undo, redo: self.redo_stack.iter().filter(is_valid).collect() };
        history.map(|steps: Vec<&Step>| steps.into_iter().map(|step| &step.experiment).collect())
    }

    /// Sets the experiments that undo and redo return to, as [`Session::history`] gave them.
    pub fn restore_history(&mut self, history: History<Experiment>) {
        let steps = |experiments: Vec<Experiment>| {
            let step = |experiment: Experiment| Step {
                chosen: ChosenEdition::new(experiment.edition),
                experiment,
                draft: None,
            };
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
        // A text with errors that a link opened has no step before it.
        let before = self.undo_stack.pop().or_else(|| self.has_invalid_text().then(|| self.valid_step()));
        let Some(before) = before else { return LinkChange::Keep };
        self.redo_stack.push(self.step());
        self.go_to(before)
    }

    pub(super) fn redo(&mut self) -> LinkChange {
        self.commit_text();
        self.overlong.clear();
        let Some(after) = self.redo_stack.pop() else { return LinkChange::Keep };
        self.undo_stack.push(self.step());
        self.go_to(after)
    }

    /// Applies a fix to the text.
    pub(super) fn apply_hint(&mut self, hint: &Hint) -> LinkChange {
        if let Some(change) = self.join_start_indices(hint) {
            return change;
        }
        let Some(fixed) = hint.apply(&self.text) else { return LinkChange::Keep };
        let before = self.module.clone();
        let edition = self.edited_experiment().edition;
        let form = self.form_edits.as_ref().and_then(|edits| edits.after_fix(&fixed, edition));
        let change = self.type_text(fixed);
        self.commit_text();
        // Of several errors, a fix may leave some: the fields keep what was entered.
        self.form_edits = form.filter(|_| self.has_invalid_text());
        self.fit_values(&before);
        change
    }
}
