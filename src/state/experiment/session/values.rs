//! The values of parameters in an editing session: those that take effect, that cannot be read, and that wait for a shape.

use std::rc::Rc;

use super::super::super::document::Values;
use super::super::arguments::{Field, overlong, selected_values, unreadable, unreadable_parameter};
use super::Session;
use crate::array::Shape;

impl Session {
    /// The shape and the values of a parameter on the selected replica, as their fields show them: while the text has
    /// errors, those that were entered.
    pub fn parameter(&self, number: usize) -> Option<(Shape, Values)> {
        let replica = self.experiment.environment.selected_replica;
        let field = Field::Parameter { replica, number };
        let entry = self.module.entry_computation()?;
        let own = &entry.get(*entry.parameters.get(number)?)?.shape;
        let shape = self.new_shape(number).unwrap_or(own).clone();
        let pending = self.pending.iter().find(|(other, _)| *other == field);
        let values = match (self.unreadable.iter().find(|other| other.field == field), pending) {
            (Some(unreadable), _) => Values::Typed(unreadable.text.clone()),
            (None, Some((_, values))) => values.clone(),
            (None, None) => selected_values(&self.experiment, own, number),
        };
        Some((shape, values))
    }

    /// The shape of a parameter in the text being edited, if that has errors and the shape is another one.
    pub(super) fn new_shape(&self, number: usize) -> Option<&Shape> {
        if self.loaded.is_some() || !self.is_behind() {
            return None;
        }
        let (entry, draft) = self.module.entry_computation().zip(self.draft.entry_computation())?;
        let own = entry.get(*entry.parameters.get(number)?)?;
        let new = draft.get(draft.find(&own.name)?)?;
        (new.opcode == own.opcode && new.shape != own.shape).then_some(&new.shape)
    }

    pub(super) fn read_values(&mut self) {
        let mut fields = unreadable(&self.experiment, &self.module);
        let long = self.overlong.iter().filter_map(|(field, text)| overlong(&self.module, *field, text));
        // Where the shape is about to change, values are those of the new one.
        fields.retain_mut(|old| {
            let Field::Parameter { number, .. } = old.field else { return true };
            let Some(shape) = self.new_shape(number) else { return true };
            let values = Values::Typed(old.text.clone());
            match unreadable_parameter(&self.module, shape, old.field, &values) {
                Some(new) => {
                    *old = new;
                    true
                }
                None => false,
            }
        });
        fields.retain(|old| self.pending.iter().all(|(field, _)| *field != old.field));
        let new = self.pending.iter().filter_map(|(field, values)| {
            let Field::Parameter { number, .. } = *field else { return None };
            unreadable_parameter(&self.module, self.new_shape(number)?, *field, values)
        });
        for field in new.chain(long) {
            fields.retain(|other| other.field != field.field);
            fields.push(field);
        }
        if *self.unreadable != fields {
            self.unreadable = Rc::new(fields);
        }
    }

    /// Sets the values that waited for the shapes of the text.
    pub(super) fn accept_pending(&mut self) {
        for (field, values) in std::mem::take(&mut self.pending) {
            if let Field::Parameter { replica, number } = field {
                self.experiment.set_values_on(replica, number, values);
            }
        }
    }
}
