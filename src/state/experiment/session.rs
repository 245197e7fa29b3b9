//! The editing session of an experiment: the actions that change it, with undo, and their effect on the URL.
//!
//! Invariant: [`Session::experiment`] always has text without errors; [`Session::text`], with its diagnostics, may
//! have errors while it is edited, and the last valid experiment stays on screen. Values of parameters may be
//! malformed: [`Session::invalid_fields`] lists them, and nothing runs until they are corrected.

mod history;
mod navigation;
pub mod values;
mod workspace;

use std::rc::Rc;

use super::super::document::ValueRule;
use super::super::session::LinkChange;
use super::Experiment;
pub use super::action::Action;
use super::arguments::{Field, InvalidField};
use super::edit::{self, Reinferred};
use super::form_edits::{FieldModules, FormEdits, field_spans, place_elsewhere};
pub use super::form_edits::{FieldState, FormField};
use super::reading::{parse, read, read_user_text, with_revert_fix};
use super::state::MAX_VALUES_BYTES;
use crate::array::Edition;
use crate::diagnostic::{Diagnostic, Severity};
use crate::documents::{self, Entry};
use crate::hlo::{Instruction, InstructionId, Module};
use workspace::{ChosenEdition, Step, Workspace};
pub use workspace::{OpenedExample, SavedExperiment};

/// An editing session.
#[derive(Clone, Debug)]
pub struct Session {
    experiment: Experiment,
    /// The module of the experiment's text.
    module: Rc<Module>,
    text: String,
    /// What could be parsed of the text being edited.
    draft: Rc<Module>,
    diagnostics: Rc<Vec<Diagnostic>>,
    /// The edits in the form while the text has errors.
    form_edits: Option<FormEdits>,
    /// How the builder lowered the forms of the last text (XLA 2017).
    notes: Rc<Vec<Diagnostic>>,
    /// Whether the text has forms of the builder, which are lowered to plain HLO when the typing ends.
    has_builder_forms: bool,
    invalid_fields: Rc<Vec<InvalidField>>,
    /// Typed values that are too long for undo and links: they stay in their fields, and nothing runs.
    overlong: Vec<(Field, String)>,
    /// Values entered for parameters whose shape changes in the text being edited: they take effect together with it.
    pending_values: Vec<(Field, ValueRule)>,
    /// Whether the gallery is shown: no op was chosen.
    is_gallery: bool,
    /// A loaded experiment whose text has errors: its values belong to that text.
    pending_load: Option<Box<Experiment>>,
    before_typing: Option<Step>,
    undo_stack: Vec<Step>,
    redo_stack: Vec<Step>,
    /// The edition that was chosen for the experiment. It is not that of `workspace` while text with errors is loaded.
    chosen: ChosenEdition,
    workspace: Workspace,
}

impl PartialEq for Session {
    fn eq(&self, other: &Self) -> bool {
        self.experiment == other.experiment
            && self.is_gallery == other.is_gallery
            && self.text == other.text
            && Rc::ptr_eq(&self.diagnostics, &other.diagnostics)
            && Rc::ptr_eq(&self.notes, &other.notes)
            && Rc::ptr_eq(&self.invalid_fields, &other.invalid_fields)
            && self.pending_values == other.pending_values
            && self.workspace == other.workspace
            && (self.can_undo(), self.can_redo()) == (other.can_undo(), other.can_redo())
    }
}

impl Session {
    /// A session that starts with this experiment. If its text has errors, the text is shown for correction and the
    /// experiment is the default one.
    pub fn new(experiment: Experiment) -> Self {
        let default = Experiment::default();
        let module = Rc::new(edit::reinfer_shapes(&default.text, default.edition).1.module);
        let mut session = Self {
            text: default.text.clone(),
            experiment: default,
            draft: module.clone(),
            module,
            diagnostics: Rc::default(),
            form_edits: None,
            notes: Rc::default(),
            has_builder_forms: false,
            invalid_fields: Rc::default(),
            overlong: Vec::new(),
            pending_values: Vec::new(),
            is_gallery: experiment.is_empty(),
            pending_load: None,
            before_typing: None,
            undo_stack: Vec::new(),
            redo_stack: Vec::new(),
            chosen: ChosenEdition::new(Edition::default()),
            workspace: Workspace::new(experiment.edition),
        };
        if !session.is_gallery && session.replace(experiment.clone()).is_none() {
            session.pending_load = Some(Box::new(experiment));
        }
        session
    }

    /// The experiment; its text has no errors.
    pub fn experiment(&self) -> &Experiment {
        &self.experiment
    }

    /// Whether no op was chosen: the screen shows its gallery, and the last experiment is in the background.
    pub fn is_gallery(&self) -> bool {
        self.is_gallery
    }

    /// The module of the experiment.
    pub fn module(&self) -> &Rc<Module> {
        &self.module
    }

    /// The text being edited, which may have errors.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The selected instruction in the text being edited: what the form shows.
    pub fn draft_focus(&self) -> Option<(InstructionId, &Instruction)> {
        let entry = self.draft.entry_computation()?;
        let id = entry.find(&self.experiment.focus).or(entry.root)?;
        Some((id, entry.get(id)?))
    }

    /// The source of [`Session::draft`]: the text being edited, with the builder's forms lowered.
    pub fn draft_text(&self) -> &str {
        if self.has_builder_forms { &self.experiment.text } else { &self.text }
    }

    /// What could be parsed of [`Session::draft_text`].
    pub fn draft(&self) -> &Rc<Module> {
        &self.draft
    }

    /// The text, module and instruction that the form shows. While edits in the form have errors, this is the state before
    /// those edits; [`Session::field`] returns the entered contents.
    pub fn form(&self) -> Option<(&str, &Rc<Module>, InstructionId)> {
        match &self.form_edits {
            Some(edits) => Some(edits.base()),
            None => Some((self.draft_text(), &self.draft, self.draft_focus()?.0)),
        }
    }

    /// The content entered in a field of the form, and the error at that field or caused by it.
    pub fn field(&self, field: FormField) -> FieldState {
        let edits = self.form_edits.as_ref();
        let base = edits.map_or(&self.draft, |edits| edits.base().1);
        // Where a shape caused the errors, an attribute claims only those of its own edit.
        let may_claim = |name: &str| {
            let edits = edits.filter(|edits| matches!(edits.cause(), Some(FormField::Shape(_))));
            edits.is_none_or(|edits| edits.has_edited_attribute(name))
        };
        let modules = FieldModules { draft: &self.draft, valid: &self.module, base };
        let focus = self.draft_focus().map(|(_, instruction)| instruction);
        let spans = |selection| field_spans(&modules, focus, selection, may_claim);
        let state = FieldState::new(field, self.form_edits.as_ref(), &self.diagnostics, spans);
        let place = state.problem.as_ref().and_then(|problem| place_elsewhere(problem, &self.draft, focus));
        FieldState { place, ..state }
    }

    /// The diagnostics of [`Session::text`].
    pub fn diagnostics(&self) -> &Rc<Vec<Diagnostic>> {
        &self.diagnostics
    }

    /// How the builder lowered the forms of the text that was entered last; empty while it is typed.
    pub fn notes(&self) -> &Rc<Vec<Diagnostic>> {
        &self.notes
    }

    /// The parameter values that are malformed or too long; nothing runs until they are corrected.
    pub fn invalid_fields(&self) -> &Rc<Vec<InvalidField>> {
        &self.invalid_fields
    }

    /// Whether [`Session::text`] has errors, so that the experiment is the last valid one.
    pub fn has_invalid_text(&self) -> bool {
        self.text != self.experiment.text && !self.has_builder_forms || self.pending_load.is_some()
    }

    /// The edition in which [`Session::text`] is read. It is not that of the experiment if it rejects the text.
    pub fn edition(&self) -> Edition {
        self.pending_load.as_ref().map_or(self.experiment.edition, |loaded| loaded.edition)
    }

    /// Whether there is an edit to undo.
    pub fn can_undo(&self) -> bool {
        !self.undo_stack.is_empty()
            || self.before_typing.is_some()
            || self.has_invalid_text()
            || !self.overlong.is_empty()
    }

    /// Whether there is an edit to redo.
    pub fn can_redo(&self) -> bool {
        !self.redo_stack.is_empty()
    }

    /// The selected instruction.
    pub fn focus(&self) -> Option<(InstructionId, &Instruction)> {
        let entry = self.module.entry_computation()?;
        let id = entry.find(&self.experiment.focus).or(entry.root)?;
        Some((id, entry.get(id)?))
    }

    /// The entry of the documentation that the experiment was opened from, while the selected instruction is one that
    /// the entry is lowered to.
    ///
    /// Where the entry's instruction is in a called computation, as an infeed in a loop, any selection counts.
    pub fn document_entry(&self) -> Option<&'static Entry> {
        let entry = documents::by_name(&self.experiment.document_entry)?;
        let (_, focus) = self.focus()?;
        let is_of_entry = |instruction: &Instruction| entry.lowers_to(&instruction.opcode);
        let is_only_called = || {
            let main = self.module.entry_computation();
            let is_in_main = main.is_some_and(|main| main.instructions.iter().any(is_of_entry));
            !is_in_main && self.module.computations.iter().flat_map(|c| &c.instructions).any(is_of_entry)
        };
        (is_of_entry(focus) || is_only_called()).then_some(entry)
    }

    /// Applies an action; returns how to update the URL.
    pub fn apply(&mut self, action: Action) -> LinkChange {
        if matches!(action, Action::Load(_) | Action::Open(_) | Action::Example(_)) {
            let leaves_gallery = self.is_gallery;
            self.save_current();
            self.is_gallery = matches!(&action, Action::Load(experiment) if experiment.is_empty());
            if leaves_gallery && !self.is_gallery && self.undo_stack.is_empty() {
                // The experiment behind the gallery was never displayed: undo must not return to it.
                let change = self.perform(action);
                self.undo_stack.clear();
                return change;
            }
        }
        if self.is_gallery {
            return LinkChange::Push;
        }
        self.perform(action)
    }

    fn perform(&mut self, action: Action) -> LinkChange {
        match action {
            Action::Type(text) => self.type_text(text),
            Action::CommitText => {
                self.commit_text();
                LinkChange::Keep
            }
            Action::ApplyHint(hint) => self.apply_hint(&hint),
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            Action::Load(experiment) => self.load(experiment),
            Action::Open(name) => self.open(&name),
            Action::Example(experiment) => self.open_example(*experiment),
            Action::Restart => self.restart(),
            Action::MoveCursor(cursor) => self.change_view(|e| e.select_cell(cursor)),
            Action::MoveWithinCell(step) => self.change_view(|e| e.cell_step = step.max(0)),
            Action::CompareEditions(compares) => self.change_view(|e| e.compares_editions = compares),
            Action::SelectReplica(device) => self.change_view(|e| {
                e.environment.selected_replica = device.min(e.environment.replicas.saturating_sub(1));
            }),
            Action::ToggleMemory(panel) => self.change_view(|e| e.toggle_memory(&panel)),
            Action::SelectLeaf(leaf) => self.change_view(|e| e.select_leaf(leaf)),
            Action::SelectInstruction(id) => {
                let name = self.name_of(id);
                self.change_view(|e| e.select(name.clone()))
            }
            edit => self.edit(edit),
        }
    }

    /// The name by which a link selects an instruction; empty for the root.
    fn name_of(&self, id: InstructionId) -> String {
        let entry = self.module.entry_computation();
        let name = entry.filter(|e| e.root != Some(id)).and_then(|e| e.get(id)).map(|i| i.name.clone());
        name.unwrap_or_default()
    }

    fn edit(&mut self, action: Action) -> LinkChange {
        self.edit_from(self.step(), action)
    }

    /// Applies an edit that undo takes back to `before`.
    fn edit_from(&mut self, before: Step, action: Action) -> LinkChange {
        self.write_lowered();
        let mut next = self.experiment.clone();
        let (mut loaded, mut form) = (None, None);
        match action {
            Action::Load(experiment) => {
                self.overlong.clear();
                self.pending_values.clear();
                next = *experiment;
                loaded = Some(Box::new(next.clone()));
            }
            // Forms edit the current text even if it has errors, so that errors can be corrected one by one.
            Action::SetAttribute(name, value) => {
                (next, form) = self.edit_form(FormField::Attribute(name), value);
            }
            Action::SetConstant(computation, id, literal) => {
                (next, form) = self.edit_form(FormField::Constant(computation, id), literal);
            }
            Action::SetShape(id, shape) => (next, form) = self.edit_form(FormField::Shape(id), shape),
            // These are the values of the selected replica.
            Action::SetValues(number, values) => {
                let field = Field::Parameter { replica: next.environment.selected_replica, number };
                self.overlong.retain(|(other, _)| *other != field);
                let values = match values {
                    ValueRule::Text(text) if text.len() > MAX_VALUES_BYTES => {
                        self.overlong.push((field, text));
                        self.update_invalid_fields();
                        return LinkChange::Keep;
                    }
                    values => values,
                };
                let is_pending = self.new_shape(number).is_some();
                if is_pending && !self.pending_values.contains(&(field, values.clone())) {
                    self.push_undo(before);
                }
                self.pending_values.retain(|(other, _)| *other != field);
                if is_pending {
                    self.pending_values.push((field, values));
                    self.update_invalid_fields();
                    return LinkChange::Keep;
                }
                next.set_values_on(next.environment.selected_replica, number, values);
                return self.set_inputs(next);
            }
            Action::SetEnvironment(environment) => {
                next.environment = *environment;
                return self.set_inputs(next);
            }
            Action::SetSeed(seed) => {
                next.seed = seed;
                return self.set_inputs(next);
            }
            // The text stays unless only the form of start indices differs, also where the edition rejects it: its errors
            // say why, with fixes.
            Action::SetEdition(edition) => {
                next = self.edited_experiment();
                next.text.clone_from(&self.text);
                next = self.change_edition(next, edition);
                loaded = Some(Box::new(next.clone()));
            }
            // `apply` has handled the others.
            _ => return LinkChange::Keep,
        }
        if next == self.experiment && self.diagnostics.is_empty() {
            self.chosen = self.workspace.chosen.clone();
            return LinkChange::Keep;
        }
        let before = self.before_typing.take().unwrap_or(before);
        let module = self.module.clone();
        if self.replace(next).is_some() {
            if form.is_some() {
                self.fit_values(&module);
            }
            self.push_undo(before);
            return LinkChange::Push;
        }
        self.pending_load = loaded.or(self.pending_load.take());
        self.form_edits = form;
        self.push_undo(before);
        LinkChange::Keep
    }

    /// The experiment with another text in a field of the form, and the edits of the form if it has errors.
    fn edit_form(&mut self, field: FormField, text: String) -> (Experiment, Option<FormEdits>) {
        let mut next = self.edited_experiment();
        let focus = self.draft_focus().map(|(id, _)| id).unwrap_or_default();
        let new = || FormEdits::new(self.text.clone(), self.draft.clone(), self.module.clone(), focus);
        let mut edits = self.form_edits.clone().unwrap_or_else(new);
        let text = edits.completed(field, text);
        edits.set(field, text, next.edition);
        next.text = edits.text();
        (next, Some(edits))
    }

    /// Changes the inputs of the run; the text being edited stays as it is.
    fn set_inputs(&mut self, next: Experiment) -> LinkChange {
        if next == self.experiment {
            // The values that were too long may have been replaced by the previous ones.
            self.update_invalid_fields();
            return LinkChange::Keep;
        }
        self.push_undo(self.step());
        self.experiment = next;
        self.update_invalid_fields();
        LinkChange::Push
    }

    /// The experiment that an edit of the text changes: the one loaded with errors, or the one on screen.
    fn edited_experiment(&self) -> Experiment {
        self.pending_load.as_deref().unwrap_or(&self.experiment).clone()
    }

    /// Changes view settings, without an undo step.
    fn change_view(&mut self, change: impl Fn(&mut Experiment)) -> LinkChange {
        if let Some(before) = self.before_typing.as_mut() {
            change(&mut before.experiment);
        }
        let before = self.experiment.clone();
        change(&mut self.experiment);
        if self.experiment == before { LinkChange::Keep } else { LinkChange::Replace }
    }

    /// Replaces the experiment; `None` if its text has errors, and then only the text and its diagnostics are
    /// replaced.
    fn replace(&mut self, next: Experiment) -> Option<()> {
        let Reinferred { text, parsed, notes } = read(&next.text, next.edition);
        self.text.clone_from(&text);
        let has_errors = parsed.error().is_some();
        self.diagnostics = Rc::new(with_revert_fix(parsed.diagnostics, &self.text, &self.experiment.text));
        self.draft = Rc::new(parsed.module);
        self.form_edits = None;
        self.has_builder_forms = false;
        self.set_notes(notes);
        if has_errors {
            self.update_invalid_fields();
            return None;
        }
        self.module = self.draft.clone();
        self.experiment = Experiment { text, ..next };
        self.chosen = self.workspace.chosen.clone();
        self.apply_pending_values();
        // Without an entry computation nothing has values.
        let parameters = self.module.entry_computation().map_or(0, |entry| entry.parameters.len());
        self.experiment.values.truncate(parameters);
        self.pending_load = None;
        self.update_invalid_fields();
        Some(())
    }

    fn type_text(&mut self, text: String) -> LinkChange {
        let is_first_letter = self.before_typing.is_none();
        let before = self.before_typing.clone().unwrap_or_else(|| self.step());
        if text == self.text {
            return LinkChange::Keep;
        }
        // Typed text is parsed as it is: dependent shapes are corrected only after edits by a form.
        let edition = self.edited_experiment().edition;
        let (text, parsed) = read_user_text(text, edition);
        self.text = text;
        self.form_edits = None;
        let has_errors = parsed.error().is_some();
        self.has_builder_forms =
            !has_errors && parsed.diagnostics.iter().any(|d| d.severity == Severity::Note);
        self.notes = Rc::default();
        self.diagnostics = Rc::new(with_revert_fix(parsed.diagnostics, &self.text, &self.experiment.text));
        // The page shows the lowered instructions, whose spans are those of the lowered text.
        let lowered = self.has_builder_forms.then(|| crate::hlo::lower(&self.text, edition).text);
        let module = lowered.as_ref().map_or(parsed.module, |text| parse(text, edition).module);
        self.draft = Rc::new(module);
        self.before_typing = Some(before.clone());
        if has_errors {
            self.update_invalid_fields();
            return LinkChange::Keep;
        }
        self.module = self.draft.clone();
        let base = self.pending_load.take().map_or(before.experiment, |loaded| *loaded);
        let text = lowered.unwrap_or_else(|| self.text.clone());
        self.experiment = Experiment { text, ..base };
        self.chosen = self.workspace.chosen.clone();
        self.apply_pending_values();
        self.update_invalid_fields();
        if is_first_letter { LinkChange::Push } else { LinkChange::Replace }
    }

    fn set_notes(&mut self, mut notes: Vec<Diagnostic>) {
        // Their edits apply to text that no longer exists.
        for hint in notes.iter_mut().flat_map(|note| &mut note.hints) {
            hint.edits.clear();
        }
        if *self.notes != notes {
            self.notes = Rc::new(notes);
        }
    }

    /// Replaces text with forms of the builder by the lowered one.
    fn write_lowered(&mut self) {
        if std::mem::take(&mut self.has_builder_forms) {
            let (notes, others) =
                self.diagnostics.iter().cloned().partition(|d: &Diagnostic| d.severity == Severity::Note);
            self.set_notes(notes);
            self.diagnostics = Rc::new(others);
            self.text.clone_from(&self.experiment.text);
        }
    }
}
