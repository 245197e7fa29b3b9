//! A module as data: computations in the order of the text, callees first, and in each its instructions.
//!
//! Invariants: an [`InstructionId`] counts within its computation, a [`ComputationId`] within the module; operands
//! and callees have smaller numbers, so that there are no cycles; every name is unique in its scope.

use std::sync::OnceLock;

use smallvec::SmallVec;

use super::lexer::{Lexer, TokenKind};
use xla_array::Shape;
use xla_messages::diagnostic::Span;
use xla_messages::escape;
use xla_ops::{Attrs, ComputationId, OpContext, OpDef, Signature};

/// An instruction of a computation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstructionId(pub u32);

impl InstructionId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where the parts of an instruction stand in its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstructionSpans {
    /// All of it, from `ROOT` or the name on.
    pub whole: Span,
    /// The name; empty for one without.
    pub name: Span,
    /// The shape; empty, and before the opcode, where none is written.
    pub shape: Span,
    /// The opcode.
    pub opcode: Span,
    /// Each operand.
    pub operands: Vec<Span>,
    /// The value of each attribute, by name.
    pub attrs: Vec<(&'static str, Span)>,
}

/// An instruction.
#[derive(Clone)]
pub struct Instruction {
    /// Its name, without `%`; empty for one nested in the operands of another.
    pub name: String,
    /// Its opcode as written.
    pub opcode: String,
    /// Its op; `None` where the opcode is not known.
    pub op: Option<&'static dyn OpDef>,
    /// The shape of its value, with layouts.
    pub shape: Shape,
    /// Whether the shape is only a guess, because of an error told before.
    pub is_broken: bool,
    /// Its operands.
    pub operands: SmallVec<[InstructionId; 3]>,
    /// Its attributes, typed.
    pub attrs: Attrs,
    /// What it carries that does not change its value (`metadata`, `sharding`, …), and all attributes of an
    /// unknown opcode: names and texts, in the order written.
    pub annotations: Vec<(String, String)>,
    /// Where its parts stand in the text it was read from.
    pub spans: InstructionSpans,
}

impl std::fmt::Debug for Instruction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} = {} {}{:?} {:?}", self.name, self.shape, self.opcode, self.operands, self.attrs)
    }
}

impl Instruction {
    /// The text of an annotation.
    pub fn annotation(&self, name: &str) -> Option<&str> {
        self.annotations.iter().find(|(n, _)| n == name).map(|(_, text)| text.as_str())
    }

    /// The `op_name` of its metadata, unescaped: what the program that made it called it.
    pub fn op_name(&self) -> Option<String> {
        let metadata = self.annotation("metadata")?;
        let mut lexer = Lexer::new(metadata);
        loop {
            let token = lexer.next();
            match token.kind {
                TokenKind::AttrName if lexer.text(token.span) == "op_name" => {
                    let text = lexer.text(lexer.peek().span);
                    let bytes = escape::c::unescape(text.get(1..text.len().checked_sub(1)?)?).ok()?;
                    return Some(String::from_utf8_lossy(&bytes).into_owned());
                }
                TokenKind::End => return None,
                _ => {}
            }
        }
    }
}

/// A computation.
#[derive(Clone, Debug)]
pub struct Computation {
    /// Its name, without `%`; empty for a body written within an attribute.
    pub name: String,
    /// Its instructions; operands stand before their users.
    pub instructions: Vec<Instruction>,
    /// Whose value is the result; `None` only where there are no instructions.
    pub root: Option<InstructionId>,
    /// The instruction of each parameter, by number.
    pub parameters: Vec<InstructionId>,
    /// How deep calls go below it.
    pub depth: usize,
    /// What stands behind its closing brace (`execution_thread="…"`): names and texts.
    pub annotations: Vec<(String, String)>,
    /// Where it stands in the text.
    pub span: Span,
    /// Its signature once asked for: callers are many, and parameters may be.
    pub(super) signature: OnceLock<Option<Signature>>,
}

impl Computation {
    /// An instruction.
    pub fn get(&self, id: InstructionId) -> Option<&Instruction> {
        self.instructions.get(id.index())
    }

    /// The instruction of this name.
    pub fn find(&self, name: &str) -> Option<InstructionId> {
        let at = self.instructions.iter().position(|i| !name.is_empty() && i.name == name)?;
        u32::try_from(at).ok().map(InstructionId)
    }

    /// Every instruction with its number, in order.
    pub fn iter(&self) -> impl Iterator<Item = (InstructionId, &Instruction)> {
        (0..).map(InstructionId).zip(&self.instructions)
    }

    /// The instruction whose value is the result.
    pub fn root_instruction(&self) -> Option<&Instruction> {
        self.get(self.root?)
    }

    /// Its parameters and its result.
    ///
    /// It is kept, so the computation must be complete.
    pub fn signature(&self) -> Option<&Signature> {
        let make = || {
            let shapes = self.parameters.iter().filter_map(|id| Some(self.get(*id)?.shape.clone()));
            Some(Signature { parameters: shapes.collect(), result: self.root_instruction()?.shape.clone() })
        };
        self.signature.get_or_init(make).as_ref()
    }
}

/// The layout of the interface: parameters and result of the entry.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryLayout {
    /// The shape of each parameter.
    pub parameters: Vec<Shape>,
    /// The shape of the result.
    pub result: Shape,
}

/// A module.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Its name.
    pub name: String,
    /// What the header says, but for the layout of the interface: names and texts, in the order written. The
    /// interface's place among them is [`Module::entry_layout_at`].
    pub header: Vec<(String, String)>,
    /// How many entries of the header stand before the layout of the interface.
    pub entry_layout_at: usize,
    /// The layout of the interface, where it is written.
    pub entry_layout: Option<EntryLayout>,
    /// The tables of source locations, as written.
    pub tables: String,
    /// The computations, callees before callers.
    pub computations: Vec<Computation>,
    /// The one that is run.
    pub entry: Option<ComputationId>,
}

impl Module {
    /// A computation.
    pub fn get(&self, id: ComputationId) -> Option<&Computation> {
        self.computations.get(id.0 as usize)
    }

    /// The computation of this name.
    pub fn find(&self, name: &str) -> Option<ComputationId> {
        let at = self.computations.iter().position(|c| !name.is_empty() && c.name == name)?;
        u32::try_from(at).ok().map(ComputationId)
    }

    /// The entry computation.
    pub fn entry_computation(&self) -> Option<&Computation> {
        self.get(self.entry?)
    }

    /// The layout of the interface: the written one, else that of the entry's instructions.
    pub fn interface(&self) -> Option<EntryLayout> {
        self.entry_layout.clone().or_else(|| {
            let Signature { parameters, result } = self.entry_computation()?.signature()?.clone();
            Some(EntryLayout { parameters, result })
        })
    }

    /// What shape inference sees of an instruction, with the shapes of its operands (`operands`, by
    /// [`Module::operand_shapes`]) and `written` before its opcode.
    pub fn infer<'a>(
        &'a self,
        instruction: &'a Instruction,
        operands: &'a [&'a Shape],
        written: Option<&'a Shape>,
        edition: xla_array::Edition,
    ) -> Option<OpContext<'a>> {
        let meta = instruction.op?.meta();
        Some(OpContext { meta, operands, attrs: &instruction.attrs, written, computations: self, edition })
    }

    /// The shapes of an instruction's operands.
    pub fn operand_shapes<'a>(computation: &'a Computation, instruction: &Instruction) -> Vec<&'a Shape> {
        instruction.operands.iter().filter_map(|id| Some(&computation.get(*id)?.shape)).collect()
    }
}
