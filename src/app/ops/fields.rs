//! The state of the fields of a form: what was typed, and its error.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::hlo::lowering::arguments::Argument;
use crate::ops;
use crate::state::experiment::session::{FieldState, FormField, Session};

/// The state of each field by the name of its attribute.
pub type Fields = Rc<BTreeMap<&'static str, FieldState>>;

/// The state of the fields of a session's form.
pub fn fields(session: &Session, meta: &'static ops::OpMeta) -> Fields {
    let attributes = meta.attrs.iter().chain(&meta.argument).map(|spec| spec.name);
    let arguments = Argument::of(meta.opcode).map(Argument::name);
    let state = |name| (name, session.field(FormField::Attribute(name)));
    Rc::new(attributes.chain(arguments).map(state).collect())
}
