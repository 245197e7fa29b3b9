//! Exports modules as programs: Rust with calls of the builder, or Python with JAX or `NumPy`.
//!
//! A program is complete: imports, a function per computation, the arguments as literals, and printing the result.
//! Every op translates itself ([`OpDef::export`](xla_ops::OpDef::export)); an instruction without an equivalent in the
//! language becomes a comment with its HLO and raises an error, so that no program computes wrong values. In Rust,
//! every instruction has an equivalent. `program` has the parts common to all languages, `python` and `rust` write the
//! text, `names` chooses identifiers, `hlo` exports HLO text.

mod hlo;
mod names;
mod program;
mod python;
mod rust;

pub use self::hlo::hlo_text;
use self::program::Program;
pub use self::program::{Exported, MAX_PROGRAM_BYTES};
use super::module::{Computation, Module};
use xla_array::{Edition, Literal};
use xla_ops::Language;

/// Minimum length of the exported text of an instruction, e.g. of a parameter.
const MIN_INSTRUCTION_BYTES: usize = 3;

/// Maximum number of elements of all arguments and constants together, which are written as literals.
pub const MAX_LITERAL_ELEMENTS: i64 = 1 << 14;

/// The error of a module that cannot be exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// The module has no entry computation, an unknown opcode, or errors.
    #[error("the module cannot be run")]
    InvalidModule,
    /// The program, or the literals in it, would be larger than the limits.
    #[error("more than {MAX_PROGRAM_BYTES} bytes of text or {MAX_LITERAL_ELEMENTS} elements")]
    TooLarge,
}

/// Exports a module with its arguments as a program.
///
/// ```
/// use xla_hlo::{export::export, parse};
/// use xla_array::Edition;
/// use xla_ops::Language;
///
/// let text = "HloModule m\nENTRY e { x = f32[2,3] parameter(0) ROOT r = f32[3,2] transpose(x), dimensions={1,0} }";
/// let module = parse(text).into_module().unwrap();
/// let argument = "f32[2,3] {{1, 2, 3}, {4, 5, 6}}".parse()?;
/// let program = export(&module, &[argument], Language::NumPy, Edition::Current)?;
/// assert!(program.text.contains("    return np.transpose(x, (1, 0))\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn export(
    module: &Module,
    arguments: &[Literal],
    language: Language,
    edition: Edition,
) -> Result<Exported, ExportError> {
    let entry = module.entry.ok_or(ExportError::InvalidModule)?;
    // The shape of an invalid instruction is unreliable.
    let is_invalid = |c: &Computation| {
        c.instructions.is_empty() || c.instructions.iter().any(|i| i.op.is_none() || i.is_invalid)
    };
    if module.computations.iter().any(is_invalid) {
        return Err(ExportError::InvalidModule);
    }
    // Detect programs that are too long before writing them.
    let count = module.computations.iter().map(|c| c.instructions.len()).sum::<usize>();
    if count > MAX_PROGRAM_BYTES / MIN_INSTRUCTION_BYTES {
        return Err(ExportError::TooLarge);
    }
    let constants = module.computations.iter().flat_map(|c| &c.instructions).flat_map(|i| i.attrs.iter());
    let constants = constants.filter_map(|(_, value)| match value {
        xla_ops::AttrValue::Literal(literal) => Some(element_count(literal)),
        _ => None,
    });
    let total = arguments.iter().map(element_count).chain(constants).fold(0, i64::saturating_add);
    if total > MAX_LITERAL_ELEMENTS {
        return Err(ExportError::TooLarge);
    }
    let program = Program::new(module, entry, arguments, language, edition);
    let exported = match language {
        Language::Rust => rust::write(&program),
        Language::Jax | Language::NumPy => python::write(&program),
    };
    if exported.text.len() > MAX_PROGRAM_BYTES { Err(ExportError::TooLarge) } else { Ok(exported) }
}

fn element_count(literal: &Literal) -> i64 {
    match literal {
        Literal::Array(array) => array.memory_map().elements(),
        Literal::Tuple(elements) => elements.iter().map(element_count).fold(0, i64::saturating_add),
        Literal::Token => 0,
    }
}
