//! The only place where an experiment changes: the actions, with undo, and what each means for the link.
//!
//! Invariant: [`Session::experiment`] always holds a text without errors; what is being typed and does not hold yet
//! is [`Session::text`], with its diagnostics, and the last good experiment stays on screen. Values of parameters may be
//! text that cannot be read: [`Session::unreadable`] lists it, and while there is any nothing runs.

use std::rc::Rc;

use super::super::document::Values;
use super::super::session::LinkChange;
use super::append::appended;
use super::arguments::{Field, UnreadableField, overlong, unreadable};
use super::state::{Environment, MAX_TEXT_BYTES, MAX_VALUES_BYTES};
use super::{Experiment, edit};
use crate::array::Edition;
use crate::diagnostic::{Diagnostic, Hint, Span};
use crate::hlo::{Instruction, InstructionId, Module, Parsed};
use crate::i18n::Message;

/// Edits kept for undo.
const HISTORY: usize = 200;

/// What the visitor does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The text while it is typed: takes effect at once where it is valid.
    Type(String),
    /// The typing is done: one step of undo.
    CommitText,
    /// A hint's edits are applied to the text.
    ApplyHint(Hint),
    /// Another experiment: a preset or a link.
    Load(Box<Experiment>),
    /// The text of an attribute of the instruction that is looked at; empty takes it away.
    Attribute(&'static str, String),
    /// The shape of an instruction of the entry computation, by its number.
    Shape(InstructionId, String),
    /// What a parameter holds.
    Values(usize, Values),
    /// The instruction that is looked at.
    Focus(InstructionId),
    /// Which array of the result is stepped through.
    Leaf(usize),
    /// Steps to an output cell.
    Cursor(i64),
    /// Which XLA answers.
    Edition(Edition),
    /// What random numbers start from.
    Seed(u64),
    /// What lies outside.
    World(Box<Environment>),
    /// Looks at another replica.
    Device(usize),
    /// Runs an op on the result: an experiment whose last instruction follows, with the result as its first operand
    /// and its further operands as new parameters.
    Append(Box<Experiment>),
    /// Takes the last edit back.
    Undo,
    /// Takes the last undo back.
    Redo,
}

/// One sitting.
#[derive(Clone, Debug)]
pub struct Session {
    experiment: Experiment,
    /// The module of the experiment's text.
    module: Rc<Module>,
    text: String,
    /// What could be read of the text as it is being typed.
    draft: Rc<Module>,
    diagnostics: Rc<Vec<Diagnostic>>,
    unreadable: Rc<Vec<UnreadableField>>,
    /// Typed values that are too long for undo and links to keep; they stay in their fields, and nothing runs.
    overlong: Vec<(Field, String)>,
    /// What was loaded with a text that has errors: its values are for that text.
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
    /// A sitting that starts with this experiment; where its text has errors, the text is there to be mended and the
    /// experiment is the default one.
    pub fn new(experiment: Experiment) -> Self {
        let start = Experiment::default();
        let module = Rc::new(edit::settle(&start.text, start.edition).1.module);
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
        if session.take(experiment.clone()).is_none() {
            session.loaded = Some(Box::new(experiment));
        }
        session
    }

    /// The experiment, always one that can be run.
    pub fn experiment(&self) -> &Experiment {
        &self.experiment
    }

    /// Its module.
    pub fn module(&self) -> &Rc<Module> {
        &self.module
    }

    /// The text as it is being typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The instruction that is looked at, as the text that is being typed has it: what a form shows.
    pub fn drafted(&self) -> Option<(InstructionId, &Instruction)> {
        let entry = self.draft.entry_computation()?;
        let id = entry.find(&self.experiment.focus).or(entry.root)?;
        Some((id, entry.get(id)?))
    }

    /// What could be read of [`Session::text`].
    pub fn draft(&self) -> &Rc<Module> {
        &self.draft
    }

    /// What is wrong with [`Session::text`].
    pub fn diagnostics(&self) -> &Rc<Vec<Diagnostic>> {
        &self.diagnostics
    }

    /// The texts of values that cannot be read or are too long to keep; while there are any nothing runs.
    pub fn unreadable(&self) -> &Rc<Vec<UnreadableField>> {
        &self.unreadable
    }

    /// Whether [`Session::text`] has errors, so that the experiment is the last one without.
    pub fn is_behind(&self) -> bool {
        self.text != self.experiment.text
    }

    /// Whether there is something to undo.
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty() || self.before_typing.is_some() || self.is_behind() || !self.overlong.is_empty()
    }

    /// Whether there is something to redo.
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }

    /// The instruction that is looked at.
    pub fn focus(&self) -> Option<(InstructionId, &Instruction)> {
        let entry = self.module.entry_computation()?;
        let id = entry.find(&self.experiment.focus).or(entry.root)?;
        Some((id, entry.get(id)?))
    }

    /// Carries out an action.
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
            Action::Cursor(cursor) => self.look(|e| e.cursor = cursor.max(0)),
            Action::Device(device) => {
                self.look(|e| e.environment.device = device.min(e.environment.replicas.saturating_sub(1)))
            }
            Action::Leaf(leaf) => self.look(|e| (e.leaf, e.cursor) = (leaf, 0)),
            Action::Focus(id) => {
                let name = self.name_of(id);
                self.look(|e| (e.focus, e.leaf, e.cursor) = (name.clone(), 0, 0))
            }
            edit => self.edit(edit),
        }
    }

    /// The name by which an instruction is found again; empty for the root.
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
            // Forms change the text as it stands, mistakes and all, so that one can be mended after the other.
            Action::Attribute(name, value) => {
                let changed = self.drafted().and_then(|(_, i)| edit::attribute(&self.text, i, name, &value));
                next = self.base();
                next.text = changed.unwrap_or_else(|| self.text.clone());
            }
            Action::Shape(id, shape) => {
                let instruction = self.draft.entry_computation().and_then(|e| e.get(id));
                let changed = instruction.and_then(|i| edit::shape(&self.text, i, &shape));
                next = self.base();
                next.text = changed.unwrap_or_else(|| self.text.clone());
            }
            // Those of the replica that is looked at.
            Action::Values(number, values) => {
                let field = Field::Parameter { replica: next.environment.device, number };
                self.overlong.retain(|(of, _)| *of != field);
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
                return self.run_on(next);
            }
            Action::World(world) => {
                next.environment = *world;
                return self.run_on(next);
            }
            Action::Seed(seed) => {
                next.seed = seed;
                return self.run_on(next);
            }
            Action::Edition(edition) => next.edition = edition,
            Action::Append(op) => match appended(&self.experiment, &self.module, &op) {
                Some(appended) => next = appended,
                None => return LinkChange::Keep,
            },
            // The others are no edits; `apply` has dealt with them.
            _ => return LinkChange::Keep,
        }
        if next == self.experiment && self.diagnostics.is_empty() {
            return LinkChange::Keep;
        }
        let before = self.before_typing.take().unwrap_or_else(|| self.experiment.clone());
        if self.take(next).is_some() {
            self.push_past(before);
            return LinkChange::Push;
        }
        self.loaded = loaded.or(self.loaded.take());
        LinkChange::Keep
    }

    /// The same text on other values; what is being typed stays as it is.
    fn run_on(&mut self, next: Experiment) -> LinkChange {
        if next == self.experiment {
            // What was too long may just have been replaced by what was there before.
            self.read_values();
            return LinkChange::Keep;
        }
        self.push_past(self.experiment.clone());
        self.experiment = next;
        self.read_values();
        LinkChange::Push
    }

    /// What a change of the text goes with: the values that were loaded with it, else those on screen.
    fn base(&self) -> Experiment {
        self.loaded.as_deref().unwrap_or(&self.experiment).clone()
    }

    fn read_values(&mut self) {
        let mut found = unreadable(&self.experiment, &self.module);
        let long = self.overlong.iter().filter_map(|(field, text)| overlong(&self.module, *field, text));
        for long in long {
            found.retain(|other| other.field != long.field);
            found.push(long);
        }
        if *self.unreadable != found {
            self.unreadable = Rc::new(found);
        }
    }

    /// Changes how the experiment is looked at, which is no step of undo.
    fn look(&mut self, change: impl Fn(&mut Experiment)) -> LinkChange {
        if let Some(before) = self.before_typing.as_mut() {
            change(before);
        }
        let before = self.experiment.clone();
        change(&mut self.experiment);
        if self.experiment == before { LinkChange::Keep } else { LinkChange::Replace }
    }

    /// Takes a text with what it is run on; `None` and the text with its diagnostics where it has errors.
    fn take(&mut self, next: Experiment) -> Option<()> {
        let (text, parsed) = read(&next.text, next.edition);
        self.text.clone_from(&text);
        let failed = parsed.error().is_some();
        self.diagnostics = Rc::new(self.with_way_back(parsed.diagnostics));
        self.draft = Rc::new(parsed.module);
        if failed {
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

    /// What is wrong with the text, where nobody knows how to mend it with the way back to what is shown.
    fn with_way_back(&self, mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let is_fix = |hint: &Hint| !hint.edits.is_empty();
        if !diagnostics.iter().any(|diagnostic| diagnostic.hints.iter().any(is_fix))
            && let Some(first) = diagnostics.first_mut()
        {
            let all = Span::new(0, self.text.len());
            let back = Message::engine("hlo-hint-back");
            first.hints.push(Hint::replace(back, all, self.experiment.text.clone()));
        }
        diagnostics
    }

    fn type_text(&mut self, text: String) -> LinkChange {
        let begins = self.before_typing.is_none();
        let before = self.before_typing.clone().unwrap_or_else(|| self.experiment.clone());
        if text == self.text {
            return LinkChange::Keep;
        }
        // As typed: what follows from it is put right only when a form changes it.
        let parsed = parse(&text, self.base().edition);
        self.text = text;
        let failed = parsed.error().is_some();
        self.diagnostics = Rc::new(self.with_way_back(parsed.diagnostics));
        self.draft = Rc::new(parsed.module);
        self.before_typing = Some(before.clone());
        if failed {
            return LinkChange::Keep;
        }
        self.module = self.draft.clone();
        let base = self.loaded.take().map_or(before, |loaded| *loaded);
        self.experiment = Experiment { text: self.text.clone(), ..base };
        self.read_values();
        if begins { LinkChange::Push } else { LinkChange::Replace }
    }

    fn commit_text(&mut self) {
        if let Some(before) = self.before_typing.take().filter(|before| before.text != self.experiment.text) {
            self.push_past(before);
        }
    }

    fn push_past(&mut self, experiment: Experiment) {
        if self.past.len() == HISTORY {
            self.past.remove(0);
        }
        self.past.push(experiment);
        self.future.clear();
    }

    fn undo(&mut self) -> LinkChange {
        self.commit_text();
        // Values that were never taken go first.
        if !self.overlong.is_empty() {
            self.overlong.clear();
            self.read_values();
            return LinkChange::Keep;
        }
        // A text with errors that was never taken is the first thing to go.
        if self.text != self.experiment.text {
            let last = self.experiment.clone();
            return self.take(last).map_or(LinkChange::Keep, |()| LinkChange::Replace);
        }
        let Some(before) = self.past.pop() else { return LinkChange::Keep };
        self.future.push(self.experiment.clone());
        self.take(before).map_or(LinkChange::Keep, |()| LinkChange::Push)
    }

    fn redo(&mut self) -> LinkChange {
        self.commit_text();
        self.overlong.clear();
        let Some(after) = self.future.pop() else { return LinkChange::Keep };
        self.past.push(self.experiment.clone());
        self.take(after).map_or(LinkChange::Keep, |()| LinkChange::Push)
    }
}

fn read(text: &str, edition: Edition) -> (String, Parsed) {
    if text.len() > MAX_TEXT_BYTES {
        (text.to_owned(), parse(text, edition))
    } else {
        edit::settle(text, edition)
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
