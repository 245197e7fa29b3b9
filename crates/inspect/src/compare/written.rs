//! The text of a compared instruction, in pieces that are marked where they differ from the other module.
//!
//! The pieces follow the matching, not the characters: an operand that is only renamed does not differ.

use xla_array::{Edition, Shape};
use xla_hlo::{Computation, Instruction, InstructionId, Module};

use super::changes::{Change, Detail, attribute_text};
use crate::instruction_at::InstructionAt;
use crate::shortened::shortened;

/// Maximum number of characters of a shape.
const MAX_SHAPE_CHARS: usize = 400;

/// Maximum number of operands that are written.
const MAX_OPERANDS: usize = 64;

/// The result of comparing a piece with the other module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It is equal, or is not compared.
    Same,
    /// Only a name differs.
    Renamed,
    /// It differs.
    Different,
}

/// A piece of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The text.
    pub text: String,
    /// Whether it differs.
    pub mark: Mark,
}

/// The text of an instruction without annotations. `change` is its difference from the other module, if there is one; `side`
/// is 0 in the first module and 1 in the second.
///
/// ```
/// use xla_inspect::compare::written::{Mark, written};
/// use xla_inspect::compare::diff;
///
/// let parse = |order: &str| {
///     let text = format!("HloModule m ENTRY e {{ x = f32[2,2] parameter(0) ROOT t = f32[2,2] transpose(x), dimensions={order} }}");
///     xla_hlo::parse(&text).into_module().unwrap()
/// };
/// let (a, b) = (parse("{1,0}"), parse("{0,1}"));
/// let found = diff(&a, &b);
/// let pieces = written(&b, found.changes[0].b.unwrap(), Some(&found.changes[0]), 1);
/// let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
/// assert_eq!(text, "t = f32[2,2]{1,0} transpose(x), dimensions={0,1}");
/// let marked: Vec<&str> = pieces.iter().filter(|p| p.mark == Mark::Different).map(|p| p.text.as_str()).collect();
/// assert_eq!(marked, ["dimensions={0,1}"]);
/// ```
pub fn written(module: &Module, at: InstructionAt, change: Option<&Change>, side: usize) -> Vec<Piece> {
    let Some(computation) = module.get(at.computation) else { return Vec::new() };
    let Some(instruction) = computation.get(at.instruction) else { return Vec::new() };
    let details = change.filter(|c| c.a.is_some() && c.b.is_some()).map_or(&[][..], |c| &c.details);
    let mut writer = Writer { details, out: Vec::new() };
    writer.put(name(at.instruction, instruction), writer.renamed(|d| *d == Detail::Name));
    writer.same(" = ");
    writer.shape(&instruction.shape);
    writer.same(" ");
    writer.put(instruction.opcode.clone(), writer.differs(|d| *d == Detail::Opcode));
    writer.same("(");
    let inline = instruction.op.and_then(|op| op.meta().inline_attr.as_ref()).map(|spec| spec.name);
    match inline {
        Some(inline) => {
            let value = attribute_text(module, instruction.attrs.get(inline)).unwrap_or_default();
            writer.put(value, writer.differs(|d| is_attribute(d, inline)));
        }
        None => writer.operands(computation, instruction, side),
    }
    writer.same(")");
    writer.attributes(module, computation, instruction, inline);
    writer.out
}

fn is_attribute(detail: &Detail, wanted: &str) -> bool {
    matches!(detail, Detail::Attribute { name, .. } if name == wanted)
}

fn name(id: InstructionId, instruction: &Instruction) -> String {
    if instruction.name.is_empty() { format!("#{}", id.0) } else { instruction.name.clone() }
}

struct Writer<'d> {
    details: &'d [Detail],
    out: Vec<Piece>,
}

impl Writer<'_> {
    fn put(&mut self, text: impl Into<String>, mark: Mark) {
        let text = text.into();
        match self.out.last_mut() {
            Some(last) if last.mark == mark && mark == Mark::Same => last.text.push_str(&text),
            _ if text.is_empty() => {}
            _ => self.out.push(Piece { text, mark }),
        }
    }

    fn same(&mut self, text: &str) {
        self.put(text, Mark::Same);
    }

    fn differs(&self, is_it: impl Fn(&Detail) -> bool) -> Mark {
        if self.details.iter().any(is_it) { Mark::Different } else { Mark::Same }
    }

    fn renamed(&self, is_it: impl Fn(&Detail) -> bool) -> Mark {
        if self.details.iter().any(is_it) { Mark::Renamed } else { Mark::Same }
    }

    /// Type and sizes apart from the layout, where only that differs.
    fn shape(&mut self, shape: &Shape) {
        let whole = shortened(shape, MAX_SHAPE_CHARS);
        if self.differs(|d| *d == Detail::Shape) == Mark::Different {
            return self.put(whole, Mark::Different);
        }
        let sizes = shape.human_string();
        let layout_mark = self.differs(|d| *d == Detail::Layout);
        match whole.strip_prefix(&sizes) {
            Some(layout) if shape.as_array().is_some() => {
                self.same(&sizes);
                self.put(layout, layout_mark);
            }
            _ => self.put(whole, layout_mark),
        }
    }

    fn operands(&mut self, computation: &Computation, instruction: &Instruction, side: usize) {
        for (index, operand) in instruction.operands.iter().enumerate().take(MAX_OPERANDS) {
            if index > 0 {
                self.same(", ");
            }
            let is_other = |detail: &Detail| matches!(detail, Detail::Operand(at, ids) if *at == index && ids.get(side) == Some(&Some(*operand)));
            let mark = self.differs(is_other);
            let text = computation.get(*operand).map(|of| name(*operand, of)).unwrap_or_default();
            self.put(text, mark);
        }
        let more = instruction.operands.len().saturating_sub(MAX_OPERANDS);
        if more > 0 {
            self.same(&format!(", … {more}"));
        }
    }

    fn attributes(
        &mut self,
        module: &Module,
        computation: &Computation,
        instruction: &Instruction,
        inline: Option<&str>,
    ) {
        let operands = Module::operand_shapes(computation, instruction);
        let context = module.infer(instruction, &operands, Some(&instruction.shape), Edition::Current);
        for (attribute, value) in instruction.attrs.iter().filter(|(name, _)| Some(*name) != inline) {
            let mark = self.differs(|d| is_attribute(d, attribute));
            let is_default = instruction
                .op
                .zip(context.as_ref())
                .is_some_and(|(op, context)| op.is_default_attr(attribute, context));
            if is_default && mark == Mark::Same {
                continue;
            }
            self.same(", ");
            let value = attribute_text(module, Some(value)).unwrap_or_default();
            self.put(format!("{attribute}={value}"), mark);
        }
    }
}
