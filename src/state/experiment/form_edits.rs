//! The edits made in the form while the text has errors: every field keeps its text, and errors are assigned to fields.
//!
//! All edits are applied to the text before the first of them. A text with errors cannot be edited by spans: the part
//! that was not parsed has none, and neither have the fields after it.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::edit;
use super::reading::read;
use crate::array::Edition;
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

/// What a field of the form shows besides the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldState {
    /// What was typed, while the text has errors.
    pub typed: Option<String>,
    /// The error at the field.
    pub problem: Option<Diagnostic>,
}

impl FieldState {
    /// The state of a field: the error at its spans, or one that it caused and that no other field claims. Attributes that
    /// were not edited claim none: if sizes no longer match, the error belongs to the shape that was changed. `spans` returns
    /// the spans of a field or, for `None`, of all fields that claim errors.
    pub(super) fn of(
        field: FormField,
        form: Option<&FormEdits>,
        diagnostics: &[Diagnostic],
        spans: impl Fn(Option<FormField>) -> Vec<Span>,
    ) -> Self {
        let typed = form.and_then(|form| form.typed(field));
        let mut errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
        if errors.clone().next().is_none() {
            return Self { typed: typed.map(str::to_owned), problem: None };
        }
        let is_at = |d: &Diagnostic, span: &Span| {
            span.start < span.end && d.span.start < span.end && span.start < d.span.end.max(d.span.start + 1)
        };
        let mut own = spans(Some(field));
        if let Some((own, typed)) = own.first_mut().zip(typed) {
            // The parser may have given up within the typed text.
            own.end = own.end.max(own.start + typed.len());
        }
        let cause = form.and_then(FormEdits::cause);
        // An error caused by a shape is shown at another field only if its fix edits that field.
        let is_effect =
            typed.is_none() && matches!((field, cause), (FormField::Attribute(_), Some(FormField::Shape(_))));
        let is_fixed_here = |d: &Diagnostic| {
            let is_in = |edit: &Edit| {
                own.iter().any(|span| span.start <= edit.span.start && edit.span.end <= span.end)
            };
            !is_effect || d.hints.iter().flat_map(|hint| &hint.edits).any(is_in)
        };
        let is_own = |d: &&Diagnostic| own.iter().any(|span| is_at(d, span)) && is_fixed_here(d);
        let problem = errors.clone().find(is_own).or_else(|| {
            let all = spans(None);
            errors.find(|d| cause == Some(field) && !all.iter().any(|span| is_at(d, span)))
        });
        Self { typed: typed.map(str::to_owned), problem: problem.cloned() }
    }
}

/// The edits in the form since the text was last valid.
#[derive(Clone, Debug)]
pub(super) struct FormEdits {
    /// The text before them.
    text: String,
    module: Rc<Module>,
    focus: InstructionId,
    /// What was typed, in the order in which the fields were first edited.
    typed: Vec<(FormField, String)>,
    /// The field that caused the first error.
    cause: Option<FormField>,
}

impl FormEdits {
    pub fn new(text: String, module: Rc<Module>, focus: InstructionId) -> Self {
        Self { text, module, focus, typed: Vec::new(), cause: None }
    }

    /// The text before the edits, its module, and the instruction of the form.
    pub fn base(&self) -> (&str, &Rc<Module>, InstructionId) {
        (&self.text, &self.module, self.focus)
    }

    /// What was typed in a field.
    pub fn typed(&self, field: FormField) -> Option<&str> {
        self.typed.iter().find(|(other, _)| *other == field).map(|(_, text)| text.as_str())
    }

    /// Whether an attribute was edited.
    pub fn has_typed_attribute(&self, name: &str) -> bool {
        self.typed.iter().any(|(field, _)| matches!(field, FormField::Attribute(other) if *other == name))
    }

    /// The field that caused the first error.
    pub fn cause(&self) -> Option<FormField> {
        self.cause
    }

    /// Sets what was typed in a field.
    pub fn set(&mut self, field: FormField, text: String, edition: Edition) {
        match self.typed.iter_mut().find(|(other, _)| *other == field) {
            Some((_, typed)) => *typed = text,
            None => self.typed.push((field, text)),
        }
        let has_error = |text: &str| read(text, edition).parsed.error().is_some();
        let mut first_edits = (1..=self.typed.len()).filter(|_| !has_error(&self.text));
        let first = first_edits.find(|count| has_error(&self.text_with_first(*count)));
        self.cause = Some(first.map_or(field, |count| self.typed[count - 1].0));
    }

    /// The text with all edits.
    pub fn text(&self) -> String {
        self.text_with_first(self.typed.len())
    }

    /// The text with the first `count` edits.
    fn text_with_first(&self, count: usize) -> String {
        let Some(entry) = self.module.entry_computation() else { return self.text.clone() };
        let instruction = |field: FormField| match field {
            FormField::Attribute(_) => entry.get(self.focus),
            FormField::Shape(id) => entry.get(id),
            FormField::Constant(computation, id) => self.module.get(computation)?.get(id),
        };
        // From the end, so that the spans before an edit stay valid.
        let mut edits: Vec<_> = self.typed[..count]
            .iter()
            .filter_map(|(field, typed)| Some((position(instruction(*field)?, *field), *field, typed)))
            .collect();
        // Replacing a computation discards edits of its constants.
        let replaced: Vec<Span> = edits
            .iter()
            .filter_map(|(_, field, _)| match field {
                FormField::Attribute(name) => instruction(*field)?.attribute_span(name),
                _ => None,
            })
            .collect();
        edits.retain(|(position, field, _)| {
            let is_within = |span: &Span| (span.start..span.end).contains(position);
            !matches!(field, FormField::Constant(..)) || !replaced.iter().any(is_within)
        });
        edits.sort_by_key(|(position, ..)| std::cmp::Reverse(*position));
        edits.into_iter().fold(self.text.clone(), |text, (_, field, typed)| {
            let changed = instruction(field).and_then(|instruction| match field {
                FormField::Attribute(name) => edit::set_attribute(&text, instruction, name, typed),
                FormField::Shape(_) => edit::set_shape(&text, instruction, typed),
                FormField::Constant(..) => edit::set_attribute(
                    &text,
                    instruction,
                    instruction.op?.meta().inline_attr.as_ref()?.name,
                    typed,
                ),
            });
            changed.unwrap_or(text)
        })
    }
}

/// Where a field edits the text.
fn position(instruction: &Instruction, field: FormField) -> usize {
    let spans = &instruction.spans;
    match field {
        FormField::Attribute(name) => {
            instruction.attribute_span(name).map_or(spans.whole.end, |span| span.start)
        }
        FormField::Shape(_) => spans.shape.start,
        FormField::Constant(..) => instruction.argument_span().map_or(spans.whole.end, |span| span.start),
    }
}

/// The spans of a field in the source of `draft_module`; for `None`, of all fields, but only of attributes for which
/// `has_claim` is true. The spans of a shape include the selected instruction's reference to the array. Ids of shapes refer to
/// `module`, which ran, ids of constants to `form`.
pub(super) fn field_spans(
    draft_module: &Module,
    focus: Option<(InstructionId, &Instruction)>,
    (module, form): (&Module, &Module),
    field: Option<FormField>,
    has_claim: impl Fn(&str) -> bool,
) -> Vec<Span> {
    let Some((draft, entry)) = draft_module.entry_computation().zip(module.entry_computation()) else {
        return Vec::new();
    };
    let attributes = focus.into_iter().flat_map(|(_, instruction)| &instruction.spans.attrs);
    let is_named = |name: &str| match field {
        None => has_claim(name),
        Some(field) => matches!(field, FormField::Attribute(n) if n == name),
    };
    let mut spans: Vec<Span> = attributes.filter(|(name, _)| is_named(name)).map(|(_, span)| *span).collect();
    // The constants of the computations that the selected instruction calls, which are matched by names.
    let edited_constant = match field {
        Some(FormField::Constant(computation, id)) => {
            let computation = form.get(computation);
            computation
                .and_then(|computation| Some((computation.name.as_str(), computation.get(id)?.name.as_str())))
        }
        _ => None,
    };
    let is_wanted = |computation: &str, name: &str| match field {
        None => true,
        Some(_) => edited_constant == Some((computation, name)),
    };
    let called = focus.into_iter().flat_map(|(_, instruction)| instruction.attrs.computations());
    for computation in called.filter_map(|id| draft_module.get(id)) {
        let constants =
            computation.instructions.iter().filter(|instruction| instruction.opcode == "constant");
        let wanted = constants.filter(|constant| is_wanted(&computation.name, &constant.name));
        spans.extend(wanted.filter_map(Instruction::argument_span));
    }
    // Parameters and the selected instruction have fields for their shapes. There may be thousands, so each is visited once.
    let is_focused = |shown: &Instruction| focus.is_some_and(|(_, own)| own.name == shown.name);
    let has_field =
        |shown: &&Instruction| !shown.name.is_empty() && (shown.opcode == "parameter" || is_focused(shown));
    let names: BTreeSet<&str> = match field {
        Some(FormField::Shape(id)) => {
            entry.get(id).filter(has_field).map(|shown| shown.name.as_str()).into_iter().collect()
        }
        Some(_) => return spans,
        None => entry.instructions.iter().filter(has_field).map(|shown| shown.name.as_str()).collect(),
    };
    let mut ids = BTreeSet::new();
    for (id, instruction) in draft.iter().filter(|(_, instruction)| names.contains(instruction.name.as_str()))
    {
        ids.insert(id);
        spans.push(instruction.spans.shape);
    }
    if let Some((_, user)) = focus {
        let matching =
            user.operands.iter().zip(&user.spans.operands).filter(|(operand, _)| ids.contains(*operand));
        spans.extend(matching.map(|(_, span)| *span));
    }
    spans
}
