//! The texts of every instruction.

use std::collections::HashMap;
use std::fmt::Write as _;

use xla_array::Shape;
use xla_hlo::{Instruction, Module};
use xla_ops::{AttrValue, ComputationId};

use super::Field;
use super::table::{Table, TableBuilder};
use crate::calls::{InstructionRef, computation_ids};
use crate::flow::instruction_ids;
use crate::shortened::{BoundedText, shortened};

/// Maximum number of characters of an indexed text.
const MAX_TEXT_CHARS: usize = 400;
/// Maximum number of elements of a literal whose values are indexed.
const MAX_LITERAL_ELEMENTS: i64 = 64;

/// The texts of a module's instructions.
#[derive(Clone, Debug, Default)]
pub struct SearchIndex {
    /// The instructions: those of the entry first, then by computation.
    pub(super) instructions: Vec<InstructionRef>,
    /// For each field, its texts, and the index of each instruction's text.
    pub(super) fields: Vec<(Field, Table, Vec<u32>)>,
}

impl SearchIndex {
    /// Indexes a module.
    pub fn new(module: &Module) -> Self {
        let mut builder = IndexBuilder::new(module);
        builder.advance(module, usize::MAX);
        builder.finish()
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

/// Indexes a module in steps.
#[derive(Clone, Debug)]
pub struct IndexBuilder {
    instructions: Vec<InstructionRef>,
    fields: Vec<(Field, TableBuilder, Vec<u32>)>,
    /// The number of each shape's text: printing is slower than hashing, and shapes repeat.
    shapes: HashMap<Shape, u32>,
    /// The index of the last computation's name.
    computation: Option<(ComputationId, u32)>,
    indexed: usize,
}

impl IndexBuilder {
    /// Starts with no instruction indexed.
    pub fn new(module: &Module) -> Self {
        let mut instructions = Vec::new();
        let others = computation_ids(module).filter(|id| Some(*id) != module.entry);
        for id in module.entry.into_iter().chain(others) {
            let Some(computation) = module.get(id) else { continue };
            instructions.extend(instruction_ids(computation).map(|instruction| (id, instruction)));
        }
        let fields = Field::ALL.map(|field| (field, TableBuilder::new(), Vec::new()));
        Self { instructions, fields: fields.into(), shapes: HashMap::new(), computation: None, indexed: 0 }
    }

    /// Indexes up to `count` further instructions of the same module; returns whether all are indexed.
    pub fn advance(&mut self, module: &Module, count: usize) -> bool {
        let end = self.indexed.saturating_add(count).min(self.instructions.len());
        for id in &self.instructions[self.indexed..end] {
            let shape =
                module.get(id.0).and_then(|body| body.get(id.1)).map(|instruction| &instruction.shape);
            for (field, table, numbers) in &mut self.fields {
                let known = match field {
                    Field::Shape => shape.and_then(|shape| self.shapes.get(shape)).copied(),
                    Field::Computation => {
                        self.computation.filter(|(last, _)| *last == id.0).map(|(_, number)| number)
                    }
                    _ => None,
                };
                let number = known.unwrap_or_else(|| {
                    let text = field_text(module, *id, *field);
                    // Names are unique in their computations.
                    if *field == Field::Name { table.number_of_new(&text) } else { table.number(&text) }
                });
                numbers.push(number);
                match (*field, known, shape) {
                    (Field::Computation, ..) => self.computation = Some((id.0, number)),
                    (Field::Shape, None, Some(shape)) => {
                        self.shapes.insert(shape.clone(), number);
                    }
                    _ => {}
                }
            }
        }
        self.indexed = end;
        end == self.instructions.len()
    }

    /// The index of the instructions that are indexed so far.
    pub fn finish(mut self) -> SearchIndex {
        self.instructions.truncate(self.indexed);
        let fields = self.fields.into_iter().map(|(field, table, numbers)| (field, table.finish(), numbers));
        SearchIndex { instructions: self.instructions, fields: fields.collect() }
    }
}

/// The text of a field of an instruction, as it is written; empty if it has none.
pub(super) fn field_text(module: &Module, (computation, id): InstructionRef, field: Field) -> String {
    let Some(body) = module.get(computation) else { return String::new() };
    let Some(instruction) = body.get(id) else { return String::new() };
    match field {
        Field::Name => shortened(&instruction.name, MAX_TEXT_CHARS),
        Field::Opcode => shortened(&instruction.opcode, MAX_TEXT_CHARS),
        Field::Shape => shortened(&instruction.shape, MAX_TEXT_CHARS),
        Field::OpName => shortened(instruction.op_name().unwrap_or_default(), MAX_TEXT_CHARS),
        Field::Source => source(module, instruction),
        Field::Attributes => attributes(module, instruction),
        Field::Computation => shortened(&body.name, MAX_TEXT_CHARS),
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
        shortened(format_args!("{}:{} {}", location.file, location.line, location.function), MAX_TEXT_CHARS)
    })
}

fn attributes(module: &Module, instruction: &Instruction) -> String {
    let mut text = BoundedText::new(MAX_TEXT_CHARS);
    // The only error is that the text is long enough.
    let _ = write_attributes(module, instruction, &mut text);
    text.finish()
}

fn write_attributes(module: &Module, instruction: &Instruction, text: &mut BoundedText) -> std::fmt::Result {
    let separator = |text: &BoundedText| if text.is_empty() { "" } else { ", " };
    for (name, value) in instruction.attrs.iter() {
        write!(text, "{}{name}=", separator(text))?;
        match value {
            AttrValue::Computation(id) => write_names(module, std::slice::from_ref(id), text)?,
            AttrValue::Computations(ids) => write_names(module, ids, text)?,
            _ if is_large_literal(instruction, value) => {}
            _ => write!(text, "{value}")?,
        }
    }
    for (name, value) in instruction.annotations.iter().filter(|(name, _)| name != "metadata") {
        write!(text, "{}{name}={value}", separator(text))?;
    }
    Ok(())
}

/// Writes the names of called computations.
fn write_names(module: &Module, ids: &[ComputationId], text: &mut BoundedText) -> std::fmt::Result {
    for (index, id) in ids.iter().enumerate() {
        let name = module.get(*id).map_or("", |computation| computation.name.as_str());
        write!(text, "{}{name}", if index > 0 { ", " } else { "" })?;
    }
    Ok(())
}

/// Whether a value is a literal too large to be written out.
fn is_large_literal(instruction: &Instruction, value: &AttrValue) -> bool {
    let elements = instruction.shape.as_array().and_then(xla_array::ArrayShape::elements);
    matches!(value, AttrValue::Literal(_)) && elements.is_none_or(|count| count > MAX_LITERAL_ELEMENTS)
}
