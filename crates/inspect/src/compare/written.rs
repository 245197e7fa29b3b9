//! The text of a compared instruction, in pieces that are marked where they differ from the other module.
//!
//! The pieces follow the matching, not the characters: an operand that is only renamed does not differ, and one that differs under
//! the same name is written with the name of its counterpart.

use xla_array::{Edition, Shape};
use xla_hlo::{Computation, Instruction, InstructionId, Module};

use super::changes::{Change, Detail, attribute_text};
use super::matching::Matching;
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
    /// The matched instruction of the other module, after an operand that differs although both modules have the same name there.
    Counterpart,
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
/// Where the names of an operand are equal in both modules but the operands are not matched, the name of the matched instruction
/// follows: `(→ b)` in the second module, `(← b)` in the first, `–` if there is none.
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
/// let change = &found.changes[0];
/// let pieces = written([&a, &b], &found.matching, change.b.unwrap(), Some(change), 1);
/// let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
/// assert_eq!(text, "t = f32[2,2]{1,0} transpose(x), dimensions={0,1}");
/// let marked: Vec<&str> = pieces.iter().filter(|p| p.mark == Mark::Different).map(|p| p.text.as_str()).collect();
/// assert_eq!(marked, ["dimensions={0,1}"]);
/// ```
pub fn written(
    modules: [&Module; 2],
    matching: &Matching,
    at: InstructionAt,
    change: Option<&Change>,
    side: usize,
) -> Vec<Piece> {
    let [a, b] = modules;
    let module = if side == 0 { a } else { b };
    let Some(computation) = module.get(at.computation) else { return Vec::new() };
    let Some(instruction) = computation.get(at.instruction) else { return Vec::new() };
    let change = change.filter(|change| change.a.is_some() && change.b.is_some());
    let details = change.map_or(&[][..], |change| &change.details);
    let mut writer = Writer { details, out: Vec::new() };
    writer.put(instruction.unique_name(at.instruction), writer.renamed(|d| *d == Detail::Name));
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
        None => writer.operands(&Operands { modules, matching, at, change, side }, computation, instruction),
    }
    writer.same(")");
    writer.attributes(module, computation, instruction, inline);
    writer.out
}

/// The name of an instruction; of one without a name, its number.
fn name_at(module: &Module, at: InstructionAt) -> Option<String> {
    Some(module.get(at.computation)?.get(at.instruction)?.unique_name(at.instruction))
}

/// The counterparts of an operand that differs, in the notation of [`written`] for each module, if the names of both operands
/// are equal; they are the instructions of `change` at the position of `operands`.
pub fn counterparts(
    [a, b]: [&Module; 2],
    matching: &Matching,
    change: &Change,
    operands: [Option<InstructionId>; 2],
) -> Option<[String; 2]> {
    let at = |at: Option<InstructionAt>, id: Option<InstructionId>| {
        Some(InstructionAt { instruction: id?, ..at? })
    };
    let (in_a, in_b) = (at(change.a, operands[0])?, at(change.b, operands[1])?);
    if name_at(a, in_a)? != name_at(b, in_b)? {
        return None;
    }
    let or_none = |name: Option<String>| name.unwrap_or_else(|| "–".to_owned());
    let later = or_none(matching.instruction_in_b(in_a).and_then(|at| name_at(b, at)));
    let earlier = or_none(matching.instruction_in_a(in_b).and_then(|at| name_at(a, at)));
    Some([format!("(→ {later})"), format!("(← {earlier})")])
}

fn is_attribute(detail: &Detail, wanted: &str) -> bool {
    matches!(detail, Detail::Attribute { name, .. } if name == wanted)
}

/// The instruction whose operands are written.
struct Operands<'m> {
    modules: [&'m Module; 2],
    matching: &'m Matching,
    at: InstructionAt,
    change: Option<&'m Change>,
    side: usize,
}

impl Operands<'_> {
    /// The operand at a position as both modules have it, if it differs.
    fn difference(&self, position: usize, operand: InstructionId) -> Option<[Option<InstructionId>; 2]> {
        self.change?.details.iter().find_map(|detail| match detail {
            Detail::Operand(at, ids) if *at == position && ids.get(self.side) == Some(&Some(operand)) => {
                Some(*ids)
            }
            _ => None,
        })
    }

    /// Whether the other module has another name for an operand.
    fn is_renamed(&self, operand: InstructionId, own: &str) -> bool {
        let at = InstructionAt { instruction: operand, ..self.at };
        let [a, b] = self.modules;
        let other = if self.side == 0 {
            self.matching.instruction_in_b(at).and_then(|at| name_at(b, at))
        } else {
            self.matching.instruction_in_a(at).and_then(|at| name_at(a, at))
        };
        other.is_some_and(|other| other != own)
    }
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

    fn operands(&mut self, operands: &Operands<'_>, computation: &Computation, instruction: &Instruction) {
        for (index, operand) in instruction.operands.iter().enumerate().take(MAX_OPERANDS) {
            if index > 0 {
                self.same(", ");
            }
            let text = computation.get(*operand).map(|of| of.unique_name(*operand)).unwrap_or_default();
            let difference = operands.difference(index, *operand);
            let mark = match difference {
                Some(_) => Mark::Different,
                None if operands.is_renamed(*operand, &text) => Mark::Renamed,
                None => Mark::Same,
            };
            self.put(text, mark);
            let both = difference
                .zip(operands.change)
                .and_then(|(ids, change)| counterparts(operands.modules, operands.matching, change, ids));
            if let Some([later, earlier]) = both {
                self.same(" ");
                self.put(if operands.side == 0 { later } else { earlier }, Mark::Counterpart);
            }
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
