//! The edits made in the form while the text has errors: every field keeps its text, and errors are assigned to fields.
//!
//! All edits are applied to the *base text*, that before the first of them. Text with errors cannot be edited by spans: the
//! part that was not parsed has none, and neither have the fields after it.
//!
//! So there are up to three modules: that of the base text, which the form shows (`base`); what could be parsed of the text with
//! all edits, where the errors are (`draft`); and the last valid one, which ran (`valid`).

use std::collections::BTreeSet;
use std::rc::Rc;

use super::edit;
use super::reading::{parse, read};
use crate::array::{Edition, text};
use crate::diagnostic::{Diagnostic, Edit, Severity, Span};
use crate::hlo::{Instruction, InstructionId, Module};
use crate::ops::ComputationId;

/// A field of the form that edits the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormField {
    /// An attribute of the selected instruction.
    Attribute(&'static str),
    /// The shape of an instruction of the entry computation.
    Shape(InstructionId),
    /// The literal of a constant of a called computation, in the module of the form.
    Constant(ComputationId, InstructionId),
}

/// What a field of the form shows instead of and besides its part of the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldState {
    /// The content that the user entered, while the text has errors.
    pub entered: Option<String>,
    /// The error at the field.
    pub problem: Option<Diagnostic>,
    /// The instruction that the error is in, as `name = opcode`, if it is not the one that the form shows.
    pub place: Option<String>,
}

impl FieldState {
    /// The state of a field: the error at its spans, or one that it caused and that no other field claims. Attributes that
    /// were not edited claim none: if sizes no longer match, the error belongs to the shape that was changed. `spans` returns
    /// the spans of some fields.
    pub(super) fn new(
        field: FormField,
        edits: Option<&FormEdits>,
        diagnostics: &[Diagnostic],
        spans: impl Fn(FieldSelection) -> Vec<Span>,
    ) -> Self {
        let entered = edits.and_then(|edits| edits.entered(field));
        let mut errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
        if errors.clone().next().is_none() {
            return Self { entered: entered.map(str::to_owned), ..Self::default() };
        }
        // The text cannot be read past a malformed shape: the errors elsewhere are its consequences, and so are their fixes.
        if let Some(problems) = edits.map(FormEdits::malformed_shapes).filter(|problems| !problems.is_empty())
        {
            let own = problems.into_iter().find(|(other, _)| *other == field);
            let problem = own.map(|(_, problem)| problem);
            return Self { entered: entered.map(str::to_owned), problem, place: None };
        }
        let is_at = |d: &Diagnostic, span: &Span| {
            span.start < span.end && d.span.start < span.end && span.start < d.span.end.max(d.span.start + 1)
        };
        let mut own = spans(FieldSelection::Only(field));
        if let Some((own, entered)) = own.first_mut().zip(entered) {
            // The parser may have given up within the entered text.
            own.end = own.end.max(own.start + entered.len());
        }
        let cause = edits.and_then(FormEdits::cause);
        // An error caused by a shape is shown at another field only if its fix edits that field.
        let is_effect = entered.is_none()
            && matches!((field, cause), (FormField::Attribute(_), Some(FormField::Shape(_))));
        let is_fixed_here = |d: &Diagnostic| {
            let is_in = |edit: &Edit| {
                own.iter().any(|span| span.start <= edit.span.start && edit.span.end <= span.end)
            };
            !is_effect || d.hints.iter().flat_map(|hint| &hint.edits).any(is_in)
        };
        let is_own = |d: &&Diagnostic| own.iter().any(|span| is_at(d, span)) && is_fixed_here(d);
        let problem = errors.clone().find(is_own).or_else(|| {
            let all = spans(FieldSelection::AllClaiming);
            errors.find(|d| cause == Some(field) && !all.iter().any(|span| is_at(d, span)))
        });
        Self { entered: entered.map(str::to_owned), problem: problem.cloned(), place: None }
    }
}

/// The instruction that an error is in, as `name = opcode`; `None` if it is the one that the form shows, or a parameter, which has a
/// field there.
pub(super) fn place_elsewhere(
    error: &Diagnostic,
    draft: &Module,
    focus: Option<&Instruction>,
) -> Option<String> {
    let holds = |instruction: &&Instruction| instruction.spans.whole.range().contains(&error.span.start);
    let found = draft.entry_computation()?.instructions.iter().find(holds)?;
    let is_shown = found.opcode == "parameter" || focus.is_some_and(|focus| focus.name == found.name);
    (!is_shown).then(|| format!("{} = {}", found.name, found.opcode))
}

/// The edits in the form since the text was last valid.
#[derive(Clone, Debug)]
pub(super) struct FormEdits {
    base_text: String,
    /// The module of the base text.
    base: Rc<Module>,
    /// The module whose instructions the ids of shapes are.
    valid: Rc<Module>,
    /// The instruction of the form, in `base`.
    focus: InstructionId,
    /// The entered content of each edited field, in the order in which they were first edited.
    entered: Vec<(FormField, String)>,
    /// The field whose edit made the text invalid; see [`Self::set`].
    cause: Option<FormField>,
}

impl FormEdits {
    /// No edits yet of the text, which becomes the base text. The form shows the shapes of the last valid module.
    pub fn new(base_text: String, base: Rc<Module>, valid: Rc<Module>, focus: InstructionId) -> Self {
        Self { base_text, base, valid, focus, entered: Vec::new(), cause: None }
    }

    /// The instruction in the base text whose shape has a field. The base text may have errors, and other ids than the module that
    /// the form shows.
    fn shaped(&self, id: InstructionId) -> Option<&Instruction> {
        let name = &self.valid.entry_computation()?.get(id)?.name;
        let entry = self.base.entry_computation()?;
        entry.get(entry.find(name)?)
    }

    /// The base text, its module, and the instruction of the form.
    pub fn base(&self) -> (&str, &Rc<Module>, InstructionId) {
        (&self.base_text, &self.base, self.focus)
    }

    /// The content entered in a field, if it was edited.
    pub fn entered(&self, field: FormField) -> Option<&str> {
        self.entered.iter().find(|(other, _)| *other == field).map(|(_, text)| text.as_str())
    }

    /// The entered shapes that are malformed, each with its first error. Its hints, which edit the shape alone, are left out.
    fn malformed_shapes(&self) -> Vec<(FormField, Diagnostic)> {
        let shapes = self.entered.iter().filter(|(field, _)| matches!(field, FormField::Shape(_)));
        let errors = shapes.filter_map(|(field, content)| {
            let parsed = text::parse(content);
            let error = parsed.diagnostics.into_iter().find(|d| d.severity == Severity::Error)?;
            Some((*field, Diagnostic { hints: Vec::new(), ..error }))
        });
        errors.collect()
    }

    /// The content of a field, completed: sizes without an element type have that of the shape they replace.
    pub fn completed(&self, field: FormField, content: String) -> String {
        let FormField::Shape(id) = field else { return content };
        let replaced = self.shaped(id).map(|instruction| &instruction.shape);
        match replaced.and_then(|shape| shape.as_array()) {
            Some(array) if content.trim_start().starts_with('[') => {
                format!("{}{}", array.element_type, content.trim_start())
            }
            _ => content,
        }
    }

    /// Whether an attribute was edited.
    pub fn has_edited_attribute(&self, name: &str) -> bool {
        self.entered.iter().any(|(field, _)| matches!(field, FormField::Attribute(other) if *other == name))
    }

    /// The field whose edit made the text invalid.
    pub fn cause(&self) -> Option<FormField> {
        self.cause
    }

    /// Sets the content of a field. The cause becomes the first field whose edit, after those before it, makes the valid base
    /// text invalid, or this field if there is none.
    pub fn set(&mut self, field: FormField, content: String, edition: Edition) {
        match self.entered.iter_mut().find(|(other, _)| *other == field) {
            Some((_, entered)) => *entered = content,
            None => self.entered.push((field, content)),
        }
        let has_error = |text: &str| read(text, edition).parsed.error().is_some();
        let counts = if has_error(&self.base_text) { 0 } else { self.entered.len() };
        let failing = (0..counts).find(|i| has_error(&self.text_with_first(i + 1)));
        self.cause = Some(failing.map_or(field, |i| self.entered[i].0));
    }

    /// The same edits after a fix has changed the text; `None` if it changes what was entered. The fixed text is the new base text,
    /// in which the fields have their contents already.
    pub fn after_fix(&self, fixed: &str, edition: Edition) -> Option<Self> {
        let base = Rc::new(parse(fixed, edition).module);
        let name = &self.base.entry_computation()?.get(self.focus)?.name;
        let focus = base.entry_computation()?.find(name)?;
        let mut after = Self::new(fixed.to_owned(), base, self.valid.clone(), focus);
        for (field, content) in &self.entered {
            after.set(*field, content.clone(), edition);
        }
        (after.text() == fixed).then_some(after)
    }

    /// The text with all edits.
    pub fn text(&self) -> String {
        self.text_with_first(self.entered.len())
    }

    /// The text with the first `count` edits.
    fn text_with_first(&self, count: usize) -> String {
        let Some(entry) = self.base.entry_computation() else { return self.base_text.clone() };
        let instruction = |field: FormField| match field {
            FormField::Attribute(_) => entry.get(self.focus),
            FormField::Shape(id) => self.shaped(id),
            FormField::Constant(computation, id) => self.base.get(computation)?.get(id),
        };
        // From the end, so that the spans before an edit stay valid.
        let mut edits: Vec<_> = self.entered[..count]
            .iter()
            .filter_map(|(field, content)| Some((edit_offset(instruction(*field)?, *field), *field, content)))
            .collect();
        // Replacing a computation discards edits of its constants.
        let replaced: Vec<Span> = edits
            .iter()
            .filter_map(|(_, field, _)| match field {
                FormField::Attribute(name) => instruction(*field)?.attribute_span(name),
                _ => None,
            })
            .collect();
        edits.retain(|(offset, field, _)| {
            let is_within = |span: &Span| (span.start..span.end).contains(offset);
            !matches!(field, FormField::Constant(..)) || !replaced.iter().any(is_within)
        });
        edits.sort_by_key(|(offset, ..)| std::cmp::Reverse(*offset));
        edits.into_iter().fold(self.base_text.clone(), |text, (_, field, content)| {
            let changed = instruction(field).and_then(|instruction| match field {
                FormField::Attribute(name) => edit::set_attribute(&text, instruction, name, content),
                FormField::Shape(_) => edit::set_shape(&text, instruction, content),
                FormField::Constant(..) => edit::set_attribute(
                    &text,
                    instruction,
                    instruction.op?.meta().inline_attr.as_ref()?.name,
                    content,
                ),
            });
            changed.unwrap_or(text)
        })
    }
}

/// The offset in the text at which a field edits it.
fn edit_offset(instruction: &Instruction, field: FormField) -> usize {
    let spans = &instruction.spans;
    match field {
        FormField::Attribute(name) => {
            instruction.attribute_span(name).map_or(spans.whole.end, |span| span.start)
        }
        FormField::Shape(_) => spans.shape.start,
        FormField::Constant(..) => instruction.argument_span().map_or(spans.whole.end, |span| span.start),
    }
}

/// The fields whose spans are wanted.
#[derive(Clone, Copy, Debug)]
pub(super) enum FieldSelection {
    /// This one.
    Only(FormField),
    /// All that may claim an error.
    AllClaiming,
}

/// The modules that [`field_spans`] looks fields up in; see the module's documentation.
pub(super) struct FieldModules<'m> {
    pub draft: &'m Module,
    /// The ids of shapes refer to it.
    pub valid: &'m Module,
    /// The ids of constants refer to it.
    pub base: &'m Module,
}

/// The spans of fields in the source of the draft; of all attributes, only of those for which `may_claim` is true. The spans of
/// a shape include the selected instruction's reference to the array. Instructions are matched by name. `focus` is the
/// selected instruction in the draft.
pub(super) fn field_spans(
    modules: &FieldModules,
    focus: Option<&Instruction>,
    selection: FieldSelection,
    may_claim: impl Fn(&str) -> bool,
) -> Vec<Span> {
    let entries = modules.draft.entry_computation().zip(modules.valid.entry_computation());
    let Some((draft, valid)) = entries else {
        return Vec::new();
    };
    let attributes = focus.into_iter().flat_map(|instruction| &instruction.spans.attrs);
    let is_selected = |name: &str| match selection {
        FieldSelection::AllClaiming => may_claim(name),
        FieldSelection::Only(field) => matches!(field, FormField::Attribute(n) if n == name),
    };
    let mut spans: Vec<Span> =
        attributes.filter(|(name, _)| is_selected(name)).map(|(_, span)| *span).collect();
    // The constants of the computations that the selected instruction calls.
    let selected_constant = match selection {
        FieldSelection::Only(FormField::Constant(computation, id)) => {
            let computation = modules.base.get(computation);
            computation
                .and_then(|computation| Some((computation.name.as_str(), computation.get(id)?.name.as_str())))
        }
        _ => None,
    };
    let is_selected = |computation: &str, name: &str| match selection {
        FieldSelection::AllClaiming => true,
        FieldSelection::Only(_) => selected_constant == Some((computation, name)),
    };
    let called = focus.into_iter().flat_map(|instruction| instruction.attrs.computations());
    for computation in called.filter_map(|id| modules.draft.get(id)) {
        let constants =
            computation.instructions.iter().filter(|instruction| instruction.opcode == "constant");
        let selected = constants.filter(|constant| is_selected(&computation.name, &constant.name));
        spans.extend(selected.filter_map(Instruction::argument_span));
    }
    // Parameters and the selected instruction have fields for their shapes. There may be thousands, so each is visited once.
    let is_focus = |instruction: &Instruction| focus.is_some_and(|focus| focus.name == instruction.name);
    let has_field = |instruction: &&Instruction| {
        !instruction.name.is_empty() && (instruction.opcode == "parameter" || is_focus(instruction))
    };
    let names: BTreeSet<&str> = match selection {
        FieldSelection::Only(FormField::Shape(id)) => {
            valid.get(id).filter(has_field).map(|instruction| instruction.name.as_str()).into_iter().collect()
        }
        FieldSelection::Only(_) => return spans,
        FieldSelection::AllClaiming => {
            let with_fields = valid.instructions.iter().filter(has_field);
            with_fields.map(|instruction| instruction.name.as_str()).collect()
        }
    };
    let mut ids = BTreeSet::new();
    for (id, instruction) in draft.iter().filter(|(_, instruction)| names.contains(instruction.name.as_str()))
    {
        ids.insert(id);
        spans.push(instruction.spans.shape);
    }
    if let Some(focus) = focus {
        let matching =
            focus.operands.iter().zip(&focus.spans.operands).filter(|(operand, _)| ids.contains(*operand));
        spans.extend(matching.map(|(_, span)| *span));
    }
    spans
}
