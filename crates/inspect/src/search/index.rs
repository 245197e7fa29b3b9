//! The texts of every instruction.

use std::fmt::Write as _;

use xla_hlo::{Instruction, Module};

use super::Field;
use super::table::{Table, TableBuilder};
use crate::calls::{InstructionRef, computation_ids};
use crate::flow::instruction_ids;
use crate::shortened::shortened;

/// Bound on the characters of one text; more is not found.
const MAX_CHARS: usize = 400;
/// Bound on the elements of a literal whose values are found.
const MAX_LITERAL_ELEMENTS: i64 = 64;

/// The texts of a module's instructions.
#[derive(Clone, Debug, Default)]
pub struct SearchIndex {
    /// The instructions: those of the entry first, then by computation.
    pub(super) instructions: Vec<InstructionRef>,
    /// For each field, its texts, and the number of each instruction's text.
    pub(super) fields: Vec<(Field, Table, Vec<u32>)>,
}

impl SearchIndex {
    /// Indexes a module.
    pub fn new(module: &Module) -> Self {
        let mut instructions = Vec::new();
        let others = computation_ids(module).filter(|id| Some(*id) != module.entry);
        for id in module.entry.into_iter().chain(others) {
            let Some(computation) = module.get(id) else { continue };
            instructions.extend(instruction_ids(computation).map(|instruction| (id, instruction)));
        }
        let field = |field: Field| {
            let mut table = TableBuilder::default();
            let number = |id: &InstructionRef| table.number(&field_text(module, *id, field));
            let numbers = instructions.iter().map(number).collect();
            (field, table.finish(), numbers)
        };
        let fields = Field::ALL.into_iter().map(field).collect();
        Self { instructions, fields }
    }

    /// The number of instructions.
    pub fn len(&self) -> usize {
        self.instructions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.instructions.is_empty()
    }
}

/// The text of a field of an instruction, as it is written; empty if it has none.
pub(super) fn field_text(module: &Module, (computation, id): InstructionRef, field: Field) -> String {
    let Some(body) = module.get(computation) else { return String::new() };
    let Some(instruction) = body.get(id) else { return String::new() };
    match field {
        Field::Name => shortened(&instruction.name, MAX_CHARS),
        Field::Opcode => shortened(&instruction.opcode, MAX_CHARS),
        Field::Shape => shortened(&instruction.shape, MAX_CHARS),
        Field::OpName => shortened(instruction.op_name().unwrap_or_default(), MAX_CHARS),
        Field::Source => source(module, instruction),
        Field::Attributes => attributes(module, instruction),
        Field::Computation => shortened(&body.name, MAX_CHARS),
    }
}

/// The innermost source location: `model.py:12 forward`.
fn source(module: &Module, instruction: &Instruction) -> String {
    if instruction.annotation("metadata").is_none() {
        return String::new();
    }
    let metadata = instruction.source_metadata();
    let locations = module.source_locations(&metadata);
    locations.first().map_or_else(String::new, |location| {
        shortened(format_args!("{}:{} {}", location.file, location.line, location.function), MAX_CHARS)
    })
}

fn attributes(module: &Module, instruction: &Instruction) -> String {
    let mut text = String::new();
    for (name, value) in instruction.attrs.iter() {
        if text.len() > MAX_CHARS {
            break;
        }
        let separator = if text.is_empty() { "" } else { ", " };
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{separator}{name}=");
        let called = called_names(module, value);
        if !called.is_empty() {
            text.push_str(&called);
        } else if !is_large_literal(instruction, value) {
            text.push_str(&shortened(value, MAX_CHARS));
        }
    }
    for (name, value) in instruction.annotations.iter().filter(|(name, _)| name != "metadata") {
        if text.len() > MAX_CHARS {
            break;
        }
        let separator = if text.is_empty() { "" } else { ", " };
        let _ = write!(text, "{separator}{name}={}", shortened(value, MAX_CHARS));
    }
    shortened(text, MAX_CHARS)
}

/// The names of the computations that an attribute has.
fn called_names(module: &Module, value: &xla_ops::AttrValue) -> String {
    let ids = match value {
        xla_ops::AttrValue::Computation(id) => std::slice::from_ref(id),
        xla_ops::AttrValue::Computations(ids) => ids,
        _ => &[],
    };
    let names = ids.iter().filter_map(|id| Some(module.get(*id)?.name.as_str()));
    let names: Vec<&str> = names.take(MAX_CHARS).collect();
    names.join(", ")
}

/// Whether a value is a literal too large to be written out.
fn is_large_literal(instruction: &Instruction, value: &xla_ops::AttrValue) -> bool {
    let elements = instruction.shape.as_array().and_then(xla_array::ArrayShape::elements);
    matches!(value, xla_ops::AttrValue::Literal(_))
        && elements.is_none_or(|count| count > MAX_LITERAL_ELEMENTS)
}
