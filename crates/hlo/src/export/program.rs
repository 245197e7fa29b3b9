//! What is written as a program: a module with its arguments, a language, and the names of things in it.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::names::Names;
use crate::module::{Computation, Instruction, InstructionId, Module};
use crate::printer::InstructionPrinter;
use xla_array::{Edition, Literal};
use xla_ops::code::Functions;
use xla_ops::{Code, Coding, ComputationId, Language};

/// The longest program, bytes: nobody reads or compiles a longer one.
pub const MAX_PROGRAM_BYTES: usize = 1 << 20;

/// A module in another language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The program.
    pub text: String,
    /// The opcodes it has no words for, each once, in the order of the module.
    pub missing: Vec<String>,
}

/// A module that is to be written in a language.
pub(super) struct Program<'m> {
    pub(super) module: &'m Module,
    pub(super) entry: ComputationId,
    pub(super) arguments: &'m [Literal],
    pub(super) language: Language,
    pub(super) edition: Edition,
    pub(super) names: Names,
    /// Made when the first instruction is said in HLO.
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

    /// Each computation with its number and its name, callees first.
    pub(super) fn computations(&self) -> impl Iterator<Item = (ComputationId, &str, &Computation)> {
        let numbered = (0..).map(ComputationId).zip(&self.module.computations);
        numbered.map(|(id, computation)| (id, self.names.computation(id), computation))
    }

    /// What the op says of an instruction, with these names of its operands.
    fn code(&self, of: &Computation, instruction: &Instruction, names: &[&str]) -> Option<Code> {
        let operands = Module::operand_shapes(of, instruction);
        let cx = self.module.infer(instruction, &operands, Some(&instruction.shape), self.edition)?;
        instruction.op?.code(&Coding { language: self.language, cx, names, functions: self })
    }

    /// What the op says of an instruction of computation `number`.
    pub(super) fn instruction(
        &self,
        number: ComputationId,
        of: &Computation,
        instruction: &Instruction,
    ) -> Option<Code> {
        let names: Vec<&str> =
            instruction.operands.iter().map(|id| self.names.instruction(number, *id)).collect();
        self.code(of, instruction, &names)
    }

    /// The instruction in HLO, to be said in a comment.
    pub(super) fn hlo(&self, computation: ComputationId, id: InstructionId) -> String {
        self.printer.get_or_init(|| InstructionPrinter::new(self.module)).text(computation, id)
    }
}

impl Functions for Program<'_> {
    fn function(&self, id: ComputationId) -> String {
        let name = self.names.computation(id);
        if self.language == Language::Rust {
            return format!("&{name}()?");
        }
        // `def add(x, y): return lax.add(x, y)` is `lax.add`.
        let count = self.module.get(id).map_or(0, |c| c.parameters.len());
        let parameters: Vec<String> = (0..count).map(|i| format!("p{i}")).collect();
        let parameters: Vec<&str> = parameters.iter().map(String::as_str).collect();
        let whole = self.expression(id, &parameters).unwrap_or_default();
        let call = whole.strip_suffix(&format!("({})", parameters.join(", ")));
        let is_name = |f: &&str| f.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '_');
        call.filter(is_name).filter(|f| f.contains('.') && count > 0).unwrap_or(name).to_owned()
    }

    fn expression(&self, id: ComputationId, parameters: &[&str]) -> Option<String> {
        let of = self.module.get(id)?;
        let numbers: HashMap<&InstructionId, usize> = of.parameters.iter().zip(0..).collect();
        let name = |id: &InstructionId| parameters.get(*numbers.get(id)?).copied();
        let root = of.root?;
        if let Some(name) = name(&root) {
            return Some(name.to_owned());
        }
        let instruction = of.get(root)?;
        let names: Option<Vec<&str>> = instruction.operands.iter().map(name).collect();
        let code = self.code(of, instruction, &names?)?;
        code.prelude.is_empty().then_some(code.text)
    }
}

/// Whether a word stands in a text by itself.
pub(super) fn contains_word(text: &str, word: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|t| t.chars().next_back());
        let after = text.get(at + word.len()..).and_then(|t| t.chars().next());
        !before.is_some_and(is_letter) && !after.is_some_and(is_letter)
    })
}
