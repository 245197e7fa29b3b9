//! Modules as programs in other languages: the builder's calls in Rust, JAX and `NumPy` in Python.
//!
//! A program is complete: what it imports, each called computation as a function, the arguments as literals, the result
//! printed. Every op translates itself ([`OpDef::code`](xla_ops::OpDef::code)); an instruction that a language has no
//! expression for stands there as HLO, and raises in its place: what is said is never wrong. Rust has one for every
//! instruction. Read `program` for what both
//! ask of a module, `python` and `rust` for the text, `names` for what things are called.

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

/// The fewest bytes that an instruction takes, parameters included.
const SHORTEST_LINE: usize = 3;

/// The most elements of arguments and constants that are written out.
pub const MOST_ELEMENTS: i64 = 1 << 14;

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
    let program = Program::new(module, entry, arguments, language, edition);
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
