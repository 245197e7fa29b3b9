//! Undo and redo: each step is a whole experiment.

use super::super::super::session::LinkChange;
use super::super::Experiment;
use super::Session;
use crate::diagnostic::Hint;

/// Maximum edits that can be undone.
const MAX_UNDO_STEPS: usize = 200;

impl Session {
    pub(super) fn commit_text(&mut self) {
        self.write_lowered();
        if let Some(before) = self.before_typing.take().filter(|before| before.text != self.experiment.text) {
            self.push_past(before);
        }
    }

    pub(super) fn push_past(&mut self, experiment: Experiment) {
        if self.past.len() == MAX_UNDO_STEPS {
            self.past.remove(0);
        }
        self.past.push(experiment);
        self.future.clear();
    }

    pub(super) fn undo(&mut self) -> LinkChange {
        let change = self.undo_step();
        if change != LinkChange::Keep {
            self.follow_edition();
        }
        change
    }

    fn undo_step(&mut self) -> LinkChange {
        self.commit_text();
        // Values that are too long to keep are discarded first.
        if !self.overlong.is_empty() {
            self.overlong.clear();
            self.read_values();
            return LinkChange::Keep;
        }
        // So is a text with errors.
        if self.is_behind() {
            self.pending.clear();
            let last = self.experiment.clone();
            return self.replace(last).map_or(LinkChange::Keep, |()| LinkChange::Replace);
        }
        let Some(before) = self.past.pop() else { return LinkChange::Keep };
        self.future.push(self.experiment.clone());
        self.replace(before).map_or(LinkChange::Keep, |()| LinkChange::Push)
    }

    pub(super) fn redo(&mut self) -> LinkChange {
        self.commit_text();
        self.overlong.clear();
        let Some(after) = self.future.pop() else { return LinkChange::Keep };
        self.past.push(self.experiment.clone());
        let change = self.replace(after).map_or(LinkChange::Keep, |()| LinkChange::Push);
        self.follow_edition();
        change
    }

    /// Applies a fix to the text.
    pub(super) fn apply_hint(&mut self, hint: &Hint) -> LinkChange {
        if let Some(change) = self.join_starts(hint) {
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
