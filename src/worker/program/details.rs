//! One instruction as the Program screen shows it.

use super::wire::{At, Called, Details, Row, SourceLine};
use crate::array::Shape;
use crate::hlo::{Computation, Instruction, InstructionId, Module};
use crate::ops::{AttrValue, ComputationId};

/// Maximum operands of an instruction that are shown.
const MAX_OPERANDS: usize = 32;

/// Maximum users of an instruction that are shown.
const MAX_USERS: usize = 32;

/// Maximum characters of a shape in a list.
const MAX_SHAPE_CHARS: usize = 60;

/// Maximum characters of the text of an attribute.
const MAX_ATTRIBUTE_CHARS: usize = 400;

/// The instruction that these ids name.
pub fn find(module: &Module, at: At) -> Option<(&Computation, &Instruction)> {
    let computation = module.get(ComputationId(at.computation))?;
    Some((computation, computation.get(InstructionId(at.instruction))?))
}

/// The name of an instruction; `#` and its position if it has none.
pub fn name(id: InstructionId, instruction: &Instruction) -> String {
    if instruction.name.is_empty() { format!("#{}", id.0) } else { instruction.name.clone() }
}

/// A text of at most this many characters.
pub fn shortened(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The bytes of a value in its layout; `i64::MAX` if they exceed it.
pub fn bytes(shape: &Shape) -> i64 {
    match shape {
        Shape::Array(array) => {
            let slots = crate::array::memory::MemoryMap::new(array).map(|map| map.slot_count());
            let bits = i64::from(array.element_type.bits());
            slots.map_or(0, |slots| slots.saturating_mul(bits).saturating_add(7) / 8)
        }
        Shape::Buffer(array) => bytes(&Shape::Array((**array).clone())),
        Shape::Tuple(elements) => elements.iter().map(bytes).fold(0, i64::saturating_add),
        Shape::Token | Shape::Opaque => 0,
    }
}

/// The bodies that an instruction calls, with the attributes that name them.
pub fn called(module: &Module, instruction: &Instruction) -> Vec<Called> {
    let mut bodies = Vec::new();
    for (attribute, value) in instruction.attrs.iter() {
        let ids: &[ComputationId] = match value {
            AttrValue::Computation(id) => std::slice::from_ref(id),
            AttrValue::Computations(ids) => ids,
            _ => continue,
        };
        for id in ids {
            let Some(body) = module.get(*id) else { continue };
            bodies.push(Called {
                attribute: attribute.to_owned(),
                computation: id.0,
                name: body.name.clone(),
                size: body.instructions.len(),
            });
        }
    }
    bodies
}

/// An instruction in a list.
pub fn row(module: &Module, computation: &Computation, id: InstructionId, instruction: &Instruction) -> Row {
    Row {
        instruction: id.0,
        name: name(id, instruction),
        opcode: instruction.opcode.clone(),
        shape: shortened(&instruction.shape.to_string(), MAX_SHAPE_CHARS),
        is_root: computation.root == Some(id),
        called: called(module, instruction),
        bytes: bytes(&instruction.shape),
    }
}

/// An instruction with its neighbours; `text` is the source of the module.
pub fn details(module: &Module, text: &str, at: At) -> Option<Details> {
    let (computation, instruction) = find(module, at)?;
    let id = InstructionId(at.instruction);
    let row_of = |id: InstructionId| Some(row(module, computation, id, computation.get(id)?));
    let mut users = Vec::new();
    let mut user_count = 0;
    // Users follow their operands.
    for (user, candidate) in computation.iter().skip(id.index() + 1) {
        if candidate.operands.contains(&id) {
            user_count += 1;
            if users.len() < MAX_USERS {
                users.push(row(module, computation, user, candidate));
            }
        }
    }
    let written = |span: crate::diagnostic::Span| {
        let value = text.get(span.range()).unwrap_or_default();
        shortened(&value.split_whitespace().collect::<Vec<_>>().join(" "), MAX_ATTRIBUTE_CHARS)
    };
    let is_own = |name: &str| {
        instruction.annotation(name).is_none() && instruction.attrs.get(name).is_some()
    };
    // Where the text is another dialect, every span is that of the op.
    let whole = instruction.spans.whole;
    let attributes = instruction
        .spans
        .attrs
        .iter()
        .filter(|(name, span)| is_own(name) && *span != whole)
        .map(|(name, span)| ((*name).to_owned(), written(*span)))
        .collect();
    let annotations = instruction
        .annotations
        .iter()
        .map(|(name, text)| (name.clone(), shortened(text, MAX_ATTRIBUTE_CHARS)))
        .collect();
    let metadata = instruction.source_metadata();
    let source = module.source_locations(&metadata).into_iter().map(|location| SourceLine {
        file: location.file.to_owned(),
        function: location.function.to_owned(),
        line: location.line,
    });
    Some(Details {
        at,
        row: row(module, computation, id, instruction),
        span: (whole.start, whole.end),
        shape: instruction.shape.to_string(),
        operands: instruction.operands.iter().take(MAX_OPERANDS).filter_map(|id| row_of(*id)).collect(),
        users,
        user_count,
        attributes,
        annotations,
        op_name: instruction.op_name(),
        source: source.collect(),
    })
}
