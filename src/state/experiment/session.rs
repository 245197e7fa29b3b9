//! The editing session of an experiment: the actions that change it, with undo, and their effect on the URL.
//!
//! Invariant: [`Session::experiment`] always has a text without errors; [`Session::text`], with its diagnostics, may
//! have errors while it is edited, and the last valid experiment stays on screen. Values of parameters may be
//! malformed: [`Session::unreadable`] lists them, and nothing runs until they are corrected.

use std::rc::Rc;

use super::super::document::Values;
use super::super::session::LinkChange;
use super::append::append;
use super::arguments::{Field, UnreadableField, overlong, unreadable};
use super::state::{Environment, MAX_TEXT_BYTES, MAX_VALUES_BYTES};
use super::{Experiment, edit};
use crate::array::Edition;
use crate::diagnostic::{Diagnostic, Hint, Span};
use crate::hlo::{Instruction, InstructionId, Module, Parsed};
use crate::i18n::Message;

/// The most edits that can be undone.
const MAX_UNDO_STEPS: usize = 200;

/// A change requested by the user.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Replaces the text while typing; takes effect if it is valid.
    Type(String),
    /// Ends the typing: it becomes one undo step.
    CommitText,
    /// Applies a fix to the text.
    ApplyHint(Hint),
    /// Loads an experiment: a preset or a link.
    Load(Box<Experiment>),
    /// Sets the text of an attribute of the selected instruction; an empty text removes it.
    SetAttribute(&'static str, String),
    /// Sets the shape of an instruction of the entry computation.
    SetShape(InstructionId, String),
    /// Sets the values of a parameter, by its index.
    SetValues(usize, Values),
    /// Selects an instruction.
    SelectInstruction(InstructionId),
    /// Selects an array of the result.
    SelectLeaf(usize),
    /// Moves the cursor to an output cell.
    MoveCursor(i64),
    /// Sets the edition of XLA.
    SetEdition(Edition),
    /// Sets the seed of the random number generator.
    SetSeed(u64),
    /// Sets the host and devices.
    SetEnvironment(Box<Environment>),
    /// Selects a replica.
    SelectReplica(usize),
    /// Applies an op to the result: the root of this experiment, whose first operand becomes the result and whose
    /// other operands become new parameters.
    Append(Box<Experiment>),
    /// Undoes the last edit.
    Undo,
    /// Redoes the last undone edit.
    Redo,
}

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
    unreadable: Rc<Vec<UnreadableField>>,
    /// Typed values that are too long for undo and links: they stay in their fields, and nothing runs.
    overlong: Vec<(Field, String)>,
    /// The experiment loaded with a text that has errors: its values belong to that text.
    loaded: Option<Box<Experiment>>,
    before_typing: Option<Experiment>,
    past: Vec<Experiment>,
    future: Vec<Experiment>,
}

impl PartialEq for Session {
    fn eq(&self, other: &Self) -> bool {
        self.experiment == other.experiment
            && self.text == other.text
            && Rc::ptr_eq(&self.diagnostics, &other.diagnostics)
            && Rc::ptr_eq(&self.unreadable, &other.unreadable)
            && (self.can_undo(), self.can_redo()) == (other.can_undo(), other.can_redo())
    }
}

impl Session {
    /// A session that starts with this experiment. If its text has errors, the text is shown for correction and the
    /// experiment is the default one.
    pub fn new(experiment: Experiment) -> Self {
        let start = Experiment::default();
        let module = Rc::new(edit::update_shapes(&start.text, start.edition).1.module);
        let mut session = Self {
            text: start.text.clone(),
            experiment: start,
            draft: module.clone(),
            module,
            diagnostics: Rc::default(),
            unreadable: Rc::default(),
            overlong: Vec::new(),
            loaded: None,
            before_typing: None,
            past: Vec::new(),
            future: Vec::new(),
        };
        if session.replace(experiment.clone()).is_none() {
            session.loaded = Some(Box::new(experiment));
        }
        session
    }

    /// The experiment; its text has no errors.
    pub fn experiment(&self) -> &Experiment {
        &self.experiment
    }

    /// Its module.
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

    /// What could be parsed of [`Session::text`].
    pub fn draft(&self) -> &Rc<Module> {
        &self.draft
    }

    /// The diagnostics of [`Session::text`].
    pub fn diagnostics(&self) -> &Rc<Vec<Diagnostic>> {
        &self.diagnostics
    }

    /// The parameter values that are malformed or too long; nothing runs until they are corrected.
    pub fn unreadable(&self) -> &Rc<Vec<UnreadableField>> {
        &self.unreadable
    }

    /// Whether [`Session::text`] has errors, so that the experiment is the last valid one.
    pub fn is_behind(&self) -> bool {
        self.text != self.experiment.text
    }

    /// Whether there is an edit to undo.
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty() || self.before_typing.is_some() || self.is_behind() || !self.overlong.is_empty()
    }

    /// Whether there is an edit to redo.
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }

    /// The selected instruction.
    pub fn focus(&self) -> Option<(InstructionId, &Instruction)> {
        let entry = self.module.entry_computation()?;
        let id = entry.find(&self.experiment.focus).or(entry.root)?;
        Some((id, entry.get(id)?))
    }

    /// Performs an action.
    pub fn apply(&mut self, action: Action) -> LinkChange {
        match action {
            Action::Type(text) => self.type_text(text),
            Action::CommitText => {
                self.commit_text();
                LinkChange::Keep
            }
            Action::ApplyHint(hint) => match hint.apply(&self.text) {
                Some(fixed) => {
                    let change = self.type_text(fixed);
                    self.commit_text();
                    change
                }
                None => LinkChange::Keep,
            },
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            Action::MoveCursor(cursor) => self.change_view(|e| e.cursor = cursor.max(0)),
            Action::SelectReplica(device) => self
                .change_view(|e| e.environment.device = device.min(e.environment.replicas.saturating_sub(1))),
            Action::SelectLeaf(leaf) => self.change_view(|e| (e.leaf, e.cursor) = (leaf, 0)),
            Action::SelectInstruction(id) => {
                let name = self.name_of(id);
                self.change_view(|e| (e.focus, e.leaf, e.cursor) = (name.clone(), 0, 0))
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
        let mut next = self.experiment.clone();
        let mut loaded = None;
        match action {
            Action::Load(experiment) => {
                self.overlong.clear();
                next = *experiment;
                loaded = Some(Box::new(next.clone()));
            }
            // Forms edit the current text even if it has errors, so that errors can be corrected one by one.
            Action::SetAttribute(name, value) => {
                let changed =
                    self.draft_focus().and_then(|(_, i)| edit::with_attribute(&self.text, i, name, &value));
                next = self.edited_experiment();
                next.text = changed.unwrap_or_else(|| self.text.clone());
            }
            Action::SetShape(id, shape) => {
                let instruction = self.draft.entry_computation().and_then(|e| e.get(id));
                let changed = instruction.and_then(|i| edit::with_shape(&self.text, i, &shape));
                next = self.edited_experiment();
                next.text = changed.unwrap_or_else(|| self.text.clone());
            }
            // These are the values of the selected replica.
            Action::SetValues(number, values) => {
                let field = Field::Parameter { replica: next.environment.device, number };
                self.overlong.retain(|(other, _)| *other != field);
                let values = match values {
                    Values::Typed(text) if text.len() > MAX_VALUES_BYTES => {
                        self.overlong.push((field, text));
                        self.read_values();
                        return LinkChange::Keep;
                    }
                    values => values,
                };
                match next.environment.device {
                    0 => next.set_values(number, values),
                    device => drop(next.environment.values.insert((device, number), values)),
                }
                return self.set_inputs(next);
            }
            Action::SetEnvironment(world) => {
                next.environment = *world;
                return self.set_inputs(next);
            }
            Action::SetSeed(seed) => {
                next.seed = seed;
                return self.set_inputs(next);
            }
            Action::SetEdition(edition) => next.edition = edition,
            Action::Append(op) => match append(&self.experiment, &self.module, &op) {
                Some(appended) => next = appended,
                None => return LinkChange::Keep,
            },
            // `apply` has handled the others.
            _ => return LinkChange::Keep,
        }
        if next == self.experiment && self.diagnostics.is_empty() {
            return LinkChange::Keep;
        }
        let before = self.before_typing.take().unwrap_or_else(|| self.experiment.clone());
        if self.replace(next).is_some() {
            self.push_past(before);
            return LinkChange::Push;
        }
        self.loaded = loaded.or(self.loaded.take());
        LinkChange::Keep
    }

    /// Changes the inputs of the run; the text being edited stays as it is.
    fn set_inputs(&mut self, next: Experiment) -> LinkChange {
        if next == self.experiment {
            // The values that were too long may have been replaced by the previous ones.
            self.read_values();
            return LinkChange::Keep;
        }
        self.push_past(self.experiment.clone());
        self.experiment = next;
        self.read_values();
        LinkChange::Push
    }

    /// The experiment that an edit of the text changes: the one loaded with errors, or the one on screen.
    fn edited_experiment(&self) -> Experiment {
        self.loaded.as_deref().unwrap_or(&self.experiment).clone()
    }

    fn read_values(&mut self) {
        let mut fields = unreadable(&self.experiment, &self.module);
        let long = self.overlong.iter().filter_map(|(field, text)| overlong(&self.module, *field, text));
        for field in long {
            fields.retain(|other| other.field != field.field);
            fields.push(field);
        }
        if *self.unreadable != fields {
            self.unreadable = Rc::new(fields);
        }
    }

    /// Changes view settings, without an undo step.
    fn change_view(&mut self, change: impl Fn(&mut Experiment)) -> LinkChange {
        if let Some(before) = self.before_typing.as_mut() {
            change(before);
        }
        let before = self.experiment.clone();
        change(&mut self.experiment);
        if self.experiment == before { LinkChange::Keep } else { LinkChange::Replace }
    }

    /// Replaces the experiment; `None` if its text has errors, and then only the text and its diagnostics are
    /// replaced.
    fn replace(&mut self, next: Experiment) -> Option<()> {
        let (text, parsed) = read(&next.text, next.edition);
        self.text.clone_from(&text);
        let has_errors = parsed.error().is_some();
        self.diagnostics = Rc::new(self.with_revert_fix(parsed.diagnostics));
        self.draft = Rc::new(parsed.module);
        if has_errors {
            return None;
        }
        self.module = self.draft.clone();
        self.experiment = Experiment { text, ..next };
        let parameters = self.module.entry_computation().map_or(0, |entry| entry.parameters.len());
        self.experiment.values.truncate(parameters);
        self.loaded = None;
        self.read_values();
        Some(())
    }

    /// The diagnostics; if none has a fix, the first gets one that reverts to the last valid text.
    fn with_revert_fix(&self, mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let is_fix = |hint: &Hint| !hint.edits.is_empty();
        if !diagnostics.iter().any(|diagnostic| diagnostic.hints.iter().any(is_fix))
            && let Some(first) = diagnostics.first_mut()
        {
            let whole = Span::new(0, self.text.len());
            let label = Message::engine("hlo-hint-back");
            first.hints.push(Hint::replace(label, whole, self.experiment.text.clone()));
        }
        diagnostics
    }

    fn type_text(&mut self, text: String) -> LinkChange {
        let is_first_letter = self.before_typing.is_none();
        let before = self.before_typing.clone().unwrap_or_else(|| self.experiment.clone());
        if text == self.text {
            return LinkChange::Keep;
        }
        // Typed text is parsed as it is: dependent shapes are corrected only after edits by a form.
        let parsed = parse(&text, self.edited_experiment().edition);
        self.text = text;
        let has_errors = parsed.error().is_some();
        self.diagnostics = Rc::new(self.with_revert_fix(parsed.diagnostics));
        self.draft = Rc::new(parsed.module);
        self.before_typing = Some(before.clone());
        if has_errors {
            return LinkChange::Keep;
        }
        self.module = self.draft.clone();
        let base = self.loaded.take().map_or(before, |loaded| *loaded);
        self.experiment = Experiment { text: self.text.clone(), ..base };
        self.read_values();
        if is_first_letter { LinkChange::Push } else { LinkChange::Replace }
    }

    fn commit_text(&mut self) {
        if let Some(before) = self.before_typing.take().filter(|before| before.text != self.experiment.text) {
            self.push_past(before);
        }
    }

    fn push_past(&mut self, experiment: Experiment) {
        if self.past.len() == MAX_UNDO_STEPS {
            self.past.remove(0);
        }
        self.past.push(experiment);
        self.future.clear();
    }

    fn undo(&mut self) -> LinkChange {
        self.commit_text();
        // Values that are too long to keep are discarded first.
        if !self.overlong.is_empty() {
            self.overlong.clear();
            self.read_values();
            return LinkChange::Keep;
        }
        // So is a text with errors.
        if self.text != self.experiment.text {
            let last = self.experiment.clone();
            return self.replace(last).map_or(LinkChange::Keep, |()| LinkChange::Replace);
        }
        let Some(before) = self.past.pop() else { return LinkChange::Keep };
        self.future.push(self.experiment.clone());
        self.replace(before).map_or(LinkChange::Keep, |()| LinkChange::Push)
    }

    fn redo(&mut self) -> LinkChange {
        self.commit_text();
        self.overlong.clear();
        let Some(after) = self.future.pop() else { return LinkChange::Keep };
        self.past.push(self.experiment.clone());
        self.replace(after).map_or(LinkChange::Keep, |()| LinkChange::Push)
    }
}

fn read(text: &str, edition: Edition) -> (String, Parsed) {
    if text.len() > MAX_TEXT_BYTES {
        (text.to_owned(), parse(text, edition))
    } else {
        edit::update_shapes(text, edition)
    }
}

fn parse(text: &str, edition: Edition) -> Parsed {
    if text.len() > MAX_TEXT_BYTES {
        let message = Message::new("text-too-long").with("bytes", text.len()).with("limit", MAX_TEXT_BYTES);
        let diagnostic = Diagnostic::error(Span::new(0, text.len()), "hlo-too-long", message);
        return Parsed { module: Module::default(), diagnostics: vec![diagnostic] };
    }
    crate::hlo::parser::parse_edition(text, edition)
}
