//! Modules as programs in other languages: the builder's calls in Rust, JAX and `NumPy` in Python.
//!
//! A program is complete: what it imports, each called computation as a function, the arguments as literals, the result
//! printed. Every op translates itself ([`OpDef::code`](xla_ops::OpDef::code)); an instruction that a language has no
//! expression for stands there as HLO, and raises in its place: what is said is never wrong. Rust has one for every
//! instruction. Read `python` and `rust` for the text, `names` for what things are called.

mod hlo;
mod names;
mod python;
mod rust;

use std::cell::OnceCell;
use std::collections::HashMap;

pub use self::hlo::hlo_text;
use self::names::Names;
use super::module::{Computation, Instruction, InstructionId, Module};
use super::printer::InstructionPrinter;
use xla_array::{Edition, Literal};
use xla_ops::code::Functions;
use xla_ops::{Code, Coding, ComputationId, Language};

/// The longest program, bytes: nobody reads or compiles a longer one.
pub const MAX_PROGRAM_BYTES: usize = 1 << 20;

/// The fewest bytes that an instruction takes, parameters included.
const SHORTEST_LINE: usize = 3;

/// The most elements of arguments and constants that are written out.
pub const MOST_ELEMENTS: i64 = 1 << 14;

/// A module in another language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The program.
    pub text: String,
    /// The opcodes it has no words for, each once, in the order of the module.
    pub missing: Vec<String>,
}

/// Why there is no program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// There is no entry computation, an opcode is not known, or the text of the module has errors.
    #[error("the module is not one that can be run")]
    Unknown,
    /// The program, or the literals in it, would be larger than the limits.
    #[error("more than {MAX_PROGRAM_BYTES} bytes of text or {MOST_ELEMENTS} elements")]
    TooLarge,
}

/// A module with its arguments as a program. Errors: see [`ExportError`].
///
/// ```
/// use xla_hlo::{export::export, parse};
/// use xla_array::Edition;
/// use xla_ops::Language;
///
/// let text = "HloModule m\nENTRY e { x = f32[2,3] parameter(0) ROOT r = f32[3,2] transpose(x), dimensions={1,0} }";
/// let module = parse(text).into_module().unwrap();
/// let argument = "f32[2,3] {{1, 2, 3}, {4, 5, 6}}".parse()?;
/// let program = export(&module, &[argument], Language::NumPy, Edition::Now)?;
/// assert!(program.text.contains("    return np.transpose(x, (1, 0))\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn export(
    module: &Module,
    arguments: &[Literal],
    language: Language,
    edition: Edition,
) -> Result<Exported, ExportError> {
    let entry = module.entry.ok_or(ExportError::Unknown)?;
    // A guess is no program.
    let is_broken = |c: &Computation| {
        c.instructions.is_empty() || c.instructions.iter().any(|i| i.op.is_none() || i.is_broken)
    };
    if module.computations.iter().any(is_broken) {
        return Err(ExportError::Unknown);
    }
    // Every instruction takes more bytes than this, so that nothing has to be written to know.
    let count = module.computations.iter().map(|c| c.instructions.len()).sum::<usize>();
    if count > MAX_PROGRAM_BYTES / SHORTEST_LINE {
        return Err(ExportError::TooLarge);
    }
    let constants = module.computations.iter().flat_map(|c| &c.instructions).flat_map(|i| i.attrs.iter());
    let constants = constants.filter_map(|(_, value)| match value {
        xla_ops::AttrValue::Literal(literal) => Some(elements(literal)),
        _ => None,
    });
    let total = arguments.iter().map(elements).chain(constants).fold(0, i64::saturating_add);
    if total > MOST_ELEMENTS {
        return Err(ExportError::TooLarge);
    }
    let (names, printer) = (Names::new(module, language), OnceCell::new());
    let program = Program { module, entry, arguments, language, edition, names, printer };
    let exported = match language {
        Language::Rust => rust::write(&program),
        Language::Jax | Language::NumPy => python::write(&program),
    };
    if exported.text.len() > MAX_PROGRAM_BYTES { Err(ExportError::TooLarge) } else { Ok(exported) }
}

fn elements(literal: &Literal) -> i64 {
    match literal {
        Literal::Array(array) => array.map().elements(),
        Literal::Tuple(parts) => parts.iter().map(elements).fold(0, i64::saturating_add),
        Literal::Token => 0,
    }
}

/// Whether a word stands in a text by itself.
fn contains_word(text: &str, word: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|t| t.chars().next_back());
        let after = text.get(at + word.len()..).and_then(|t| t.chars().next());
        !before.is_some_and(is_letter) && !after.is_some_and(is_letter)
    })
}

/// What is being written.
struct Program<'m> {
    module: &'m Module,
    entry: ComputationId,
    arguments: &'m [Literal],
    language: Language,
    edition: Edition,
    names: Names,
    /// Made when the first instruction is said in HLO.
    printer: OnceCell<InstructionPrinter<'m>>,
}

impl Program<'_> {
    /// Each computation with its number and its name, callees first.
    fn computations(&self) -> impl Iterator<Item = (ComputationId, &str, &Computation)> {
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
    fn instruction(
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
    fn hlo(&self, computation: ComputationId, id: InstructionId) -> String {
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
