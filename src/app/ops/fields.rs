//! The state of the fields of a form: what was typed, and its error.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::constants::constants;
use crate::hlo::InstructionId;
use crate::hlo::lowering::arguments::Argument;
use crate::ops::{self, ComputationId};
use crate::state::experiment::session::{FieldState, FormField, Session};

/// The state of each field.
#[derive(Clone, Default, PartialEq)]
pub struct Fields {
    /// By the name of its attribute.
    pub attributes: BTreeMap<&'static str, FieldState>,
    /// By its constant in a called computation.
    pub constants: BTreeMap<(ComputationId, InstructionId), FieldState>,
}

/// The state of the fields of a session's form.
pub fn fields(session: &Session, meta: &'static ops::OpMeta) -> Rc<Fields> {
    let attributes = meta.attrs.iter().chain(&meta.argument).map(|spec| spec.name);
    let arguments = Argument::of(meta.opcode).map(Argument::name);
    let state = |name| (name, session.field(FormField::Attribute(name)));
    let attributes = attributes.chain(arguments).map(state).collect();
    let mut found = Fields { attributes, ..Fields::default() };
    if let Some((text, module, focus)) = session.form()
        && let Some(instruction) = module.entry_computation().and_then(|entry| entry.get(focus))
    {
        for callee in instruction.attrs.computations() {
            for (id, ..) in constants(module, text, callee) {
                found.constants.insert((callee, id), session.field(FormField::Constant(callee, id)));
            }
        }
    }
    Rc::new(found)
}
