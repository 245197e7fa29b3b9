//! The values of parameters in an editing session: effective values, invalid ones, and pending ones, which belong to a shape
//! that the text does not have yet.

use std::rc::Rc;

use super::super::super::document::ValueRule;
use super::super::arguments::{
    Field, MAX_WRITTEN_ELEMENTS, argument, invalid_fields, invalid_parameter, one_line, overlong_field,
    selected_values,
};
use super::Session;
use crate::array::value::text::Exactness;
use crate::array::{ArrayLiteral, ArrayShape, ElementType, Literal, Shape, Value};
use crate::diagnostic::{Diagnostic, Severity};
use crate::hlo::Module;
use crate::i18n::Message;

impl Session {
    /// The shape and the values of a parameter on the selected replica, as their fields show them: while the text has
    /// errors, those that were entered.
    pub fn parameter(&self, number: usize) -> Option<(Shape, ValueRule)> {
        let replica = self.experiment.environment.selected_replica;
        let field = Field::Parameter { replica, number };
        let entry = self.module.entry_computation()?;
        let current = &entry.get(*entry.parameters.get(number)?)?.shape;
        let shape = self.new_shape(number).unwrap_or(current).clone();
        let pending = self.pending_values.iter().find(|(other, _)| *other == field);
        let values = match (self.invalid_fields.iter().find(|other| other.field == field), pending) {
            (Some(invalid), _) => ValueRule::Text(invalid.text.clone()),
            (None, Some((_, values))) => values.clone(),
            (None, None) => selected_values(&self.experiment, current, number),
        };
        Some((shape, values))
    }

    /// The shape of a parameter in the text being edited, if that has errors and the shape differs from the current one.
    pub(super) fn new_shape(&self, number: usize) -> Option<&Shape> {
        if self.pending_load.is_some() || !self.has_invalid_text() {
            return None;
        }
        let (entry, draft) = self.module.entry_computation().zip(self.draft.entry_computation())?;
        let current = entry.get(*entry.parameters.get(number)?)?;
        let new = draft.get(draft.find(&current.name)?)?;
        (new.opcode == current.opcode && new.shape != current.shape).then_some(&new.shape)
    }

    /// Whether the experiment can run: all its values can be read, even with the shapes of the last valid text, which may
    /// differ from those of the text being edited.
    pub fn can_run(&self) -> bool {
        let fits_experiment = || invalid_fields(&self.experiment, &self.module).is_empty();
        self.invalid_fields.is_empty() && (!self.has_invalid_text() || fits_experiment())
    }

    /// Updates the list of fields with invalid values.
    pub(super) fn update_invalid_fields(&mut self) {
        let mut fields = invalid_fields(&self.experiment, &self.module);
        let long =
            self.overlong.iter().filter_map(|(field, text)| overlong_field(&self.module, *field, text));
        // If the shape is about to change, the values belong to the new one.
        fields.retain_mut(|old| {
            let Field::Parameter { number, .. } = old.field else { return true };
            let Some(shape) = self.new_shape(number) else { return true };
            let values = ValueRule::Text(old.text.clone());
            match invalid_parameter(&self.module, shape, old.field, &values) {
                Some(new) => {
                    *old = new;
                    true
                }
                None => false,
            }
        });
        fields.retain(|old| self.pending_values.iter().all(|(field, _)| *field != old.field));
        let new = self.pending_values.iter().filter_map(|(field, values)| {
            let Field::Parameter { number, .. } = *field else { return None };
            invalid_parameter(&self.module, self.new_shape(number)?, *field, values)
        });
        for field in new.chain(long) {
            fields.retain(|other| other.field != field.field);
            fields.push(field);
        }
        if *self.invalid_fields != fields {
            self.invalid_fields = Rc::new(fields);
        }
    }

    /// Sets the values that were entered for the new shapes of the text.
    pub(super) fn apply_pending_values(&mut self) {
        for (field, values) in std::mem::take(&mut self.pending_values) {
            if let Field::Parameter { replica, number } = field {
                self.experiment.set_values_on(replica, number, values);
            }
        }
    }

    /// Fits typed values to the shapes that an edit of the form gave their parameters, and notes it: consecutive numbers
    /// are continued; other elements keep their index, or their linear index if the rank changes, and new ones are 0.
    pub(super) fn fit_values(&mut self, before: &Module) {
        if self.has_invalid_text() {
            return;
        }
        let module = self.module.clone();
        let Some((old, new)) = before.entry_computation().zip(module.entry_computation()) else { return };
        let mut notes = Vec::new();
        for (number, id) in new.parameters.iter().enumerate() {
            let ValueRule::Text(text) = self.experiment.values(number) else { continue };
            let Some(parameter) = new.get(*id) else { continue };
            let previous = old.find(&parameter.name).and_then(|id| old.get(id));
            let fitted = previous.and_then(|previous| fitted_text(&text, &previous.shape, &parameter.shape));
            if let Some((fitted, key)) = fitted {
                self.experiment.set_values(number, ValueRule::Text(fitted));
                let message = Message::ops(key)
                    .with("name", parameter.name.as_str())
                    .with("shape", parameter.shape.human_string());
                let note = Diagnostic::error(parameter.spans.shape, VALUES_FITTED, message);
                notes.push(Diagnostic { severity: Severity::Note, ..note });
            }
        }
        if !notes.is_empty() {
            notes.extend(self.notes.iter().cloned());
            self.set_notes(notes);
            self.update_invalid_fields();
        }
    }
}

/// The rule of the note that values were fitted.
pub const VALUES_FITTED: &str = "values-fitted";

/// The first of consecutive integers, the placeholder values of examples that give none; `None` if they are not consecutive.
fn first_of_consecutive(values: &[Value], element_type: ElementType) -> Option<i64> {
    let as_integer = |value: &Value| value.text(element_type, Exactness::RoundTrip).parse::<i64>().ok();
    let first = values.first().and_then(as_integer)?;
    let is_consecutive = (first..).zip(values).all(|(expected, value)| as_integer(value) == Some(expected));
    (is_consecutive && values.len() > 1).then_some(first)
}

/// An array of consecutive integers from `first`; `None` if its type cannot represent all of them.
fn consecutive_from(first: i64, to: &ArrayShape) -> Option<ArrayLiteral> {
    let element_type = to.element_type;
    let array = ArrayLiteral::from_fn(to.clone(), |number, _| {
        Value::Int(first.saturating_add(number)).convert(element_type)
    })
    .ok()?;
    let values: Vec<Value> = array.values().collect();
    (first_of_consecutive(&values, element_type) == Some(first)).then_some(array)
}

/// Values of one shape fitted to another of the same type, and the key of the note; `None` if they are invalid for the
/// first shape, or already valid for the second.
fn fitted_text(text: &str, old: &Shape, new: &Shape) -> Option<(String, &'static str)> {
    let (Shape::Array(from), Shape::Array(to)) = (old, new) else { return None };
    let values = ValueRule::Text(text.to_owned());
    let can_be_fitted = from.element_type == to.element_type
        && from.dimensions != to.dimensions
        && to.elements().is_some_and(|count| count <= MAX_WRITTEN_ELEMENTS);
    if !can_be_fitted || argument(new, &values).is_ok() {
        return None;
    }
    let Ok(Literal::Array(array)) = argument(old, &values) else { return None };
    let elements: Vec<Value> = array.values().collect();
    let first = first_of_consecutive(&elements, from.element_type);
    if let Some(consecutive) = first.and_then(|first| consecutive_from(first, to)) {
        return Some((one_line(&Literal::Array(consecutive)), "values-continued"));
    }
    let zero = Value::Int(0).convert(to.element_type);
    let element = |number: i64, index: &[i64]| {
        let previous = if from.rank() == to.rank() {
            array.get(index)
        } else {
            usize::try_from(number).ok().and_then(|number| elements.get(number).copied())
        };
        previous.unwrap_or(zero)
    };
    let fitted = ArrayLiteral::from_fn(to.clone(), element).ok()?;
    Some((one_line(&Literal::Array(fitted)), "values-fitted"))
}
