//! The state of the fields of a form: the entered text, and its error.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::hlo::lowering::arguments::Argument;
use crate::hlo::{Instruction, InstructionId, Module};
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
    let attributes = meta.attrs.iter().chain(&meta.inline_attr).map(|spec| spec.name);
    let arguments = Argument::of_opcode(meta.opcode).map(Argument::name);
    let state = |name| (name, session.field(FormField::Attribute(name)));
    let attributes = attributes.chain(arguments).map(state).collect();
    let mut fields = Fields { attributes, ..Fields::default() };
    if let Some((text, module, focus)) = session.form()
        && let Some(instruction) = module.entry_computation().and_then(|entry| entry.get(focus))
    {
        for callee in instruction.attrs.computations() {
            for (id, ..) in constants(module, text, callee) {
                fields.constants.insert((callee, id), session.field(FormField::Constant(callee, id)));
            }
        }
    }
    Rc::new(fields)
}

/// Maximum number of constants of a computation that get a field.
const MAX_CONSTANTS: usize = 8;

/// Maximum number of bytes of a literal that is edited in a field.
const MAX_LITERAL_BYTES: usize = 200;

/// The constants of a computation that are edited in fields, and the texts of their literals.
pub fn constants<'a>(
    module: &'a Module,
    text: &'a str,
    computation: ComputationId,
) -> impl Iterator<Item = (InstructionId, &'a Instruction, &'a str)> {
    let instructions = module.get(computation).into_iter().flat_map(crate::hlo::Computation::iter);
    instructions
        .filter(|(_, instruction)| instruction.opcode == "constant" && !instruction.name.is_empty())
        .filter_map(move |(id, instruction)| {
            let span = instruction.argument_span()?;
            let literal = text.get(span.range()).filter(|literal| literal.len() <= MAX_LITERAL_BYTES)?;
            Some((id, instruction, literal))
        })
        .take(MAX_CONSTANTS)
}
