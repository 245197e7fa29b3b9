//! The program to write: a module with its arguments, the language, and the names of its parts.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::names::Names;
use crate::module::{Computation, Instruction, InstructionId, Module};
use crate::printer::InstructionPrinter;
use xla_array::{Edition, Literal};
use xla_ops::export::CalledFunctions;
use xla_ops::{ComputationId, ExportContext, Expression, Language};

/// Maximum length of an exported program.
pub const MAX_PROGRAM_BYTES: usize = 1 << 20;

/// An exported program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The source text of the program.
    pub text: String,
    /// The opcodes without an equivalent in the language, each once, in module order.
    pub unsupported: Vec<String>,
}

/// The program being written.
pub(super) struct Program<'m> {
    pub(super) module: &'m Module,
    pub(super) entry: ComputationId,
    pub(super) arguments: &'m [Literal],
    pub(super) language: Language,
    pub(super) edition: Edition,
    pub(super) names: Names,
    /// Created when the first instruction is written as HLO.
    printer: OnceCell<InstructionPrinter<'m>>,
}

impl<'m> Program<'m> {
    /// The program of a module with these arguments.
    pub(super) fn new(
        module: &'m Module,
        entry: ComputationId,
        arguments: &'m [Literal],
        language: Language,
        edition: Edition,
    ) -> Self {
        let names = Names::new(module, language);
        Self { module, entry, arguments, language, edition, names, printer: OnceCell::new() }
    }

    /// Each computation with its id and its name, callees first.
    pub(super) fn computations(&self) -> impl Iterator<Item = (ComputationId, &str, &Computation)> {
        let numbered = (0..).map(ComputationId).zip(&self.module.computations);
        numbered.map(|(id, computation)| (id, self.names.computation(id), computation))
    }

    /// The code of an instruction, given the names of its operands.
    fn code(
        &self,
        computation: &Computation,
        instruction: &Instruction,
        names: &[&str],
    ) -> Option<Expression> {
        let operands = Module::operand_shapes(computation, instruction);
        let cx = self.module.infer(instruction, &operands, Some(&instruction.shape), self.edition)?;
        instruction.op?.export(&ExportContext { language: self.language, cx, names, functions: self })
    }

    /// The code of an instruction of a computation.
    pub(super) fn instruction(
        &self,
        id: ComputationId,
        computation: &Computation,
        instruction: &Instruction,
    ) -> Option<Expression> {
        let names: Vec<&str> =
            instruction.operands.iter().map(|operand| self.names.instruction(id, *operand)).collect();
        self.code(computation, instruction, &names)
    }

    /// The HLO text of an instruction, for a comment.
    pub(super) fn hlo(&self, computation: ComputationId, id: InstructionId) -> String {
        self.printer.get_or_init(|| InstructionPrinter::new(self.module)).text(computation, id)
    }
}

impl CalledFunctions for Program<'_> {
    fn function(&self, id: ComputationId) -> String {
        let name = self.names.computation(id);
        if self.language == Language::Rust {
            return format!("&{name}()?");
        }
        // `def add(x, y): return lax.add(x, y)` simplifies to `lax.add`.
        let count = self.module.get(id).map_or(0, |c| c.parameters.len());
        let parameters: Vec<String> = (0..count).map(|i| format!("p{i}")).collect();
        let parameters: Vec<&str> = parameters.iter().map(String::as_str).collect();
        let expression = self.expression(id, &parameters).unwrap_or_default();
        let callee = expression.strip_suffix(&format!("({})", parameters.join(", ")));
        let is_path = |f: &&str| f.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '_');
        callee.filter(is_path).filter(|f| f.contains('.') && count > 0).unwrap_or(name).to_owned()
    }

    fn expression(&self, id: ComputationId, parameters: &[&str]) -> Option<String> {
        let computation = self.module.get(id)?;
        let numbers: HashMap<&InstructionId, usize> = computation.parameters.iter().zip(0..).collect();
        let name = |id: &InstructionId| parameters.get(*numbers.get(id)?).copied();
        let root = computation.root?;
        if let Some(name) = name(&root) {
            return Some(name.to_owned());
        }
        let instruction = computation.get(root)?;
        let names: Option<Vec<&str>> = instruction.operands.iter().map(name).collect();
        let code = self.code(computation, instruction, &names?)?;
        code.prelude.is_empty().then_some(code.text)
    }
}

/// Whether the text contains a word, delimited by characters that are not part of identifiers.
pub(super) fn contains_word(text: &str, word: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word).any(|(start, _)| {
        let before = text.get(..start).and_then(|t| t.chars().next_back());
        let after = text.get(start + word.len()..).and_then(|t| t.chars().next());
        !before.is_some_and(is_letter) && !after.is_some_and(is_letter)
    })
}
