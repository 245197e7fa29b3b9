//! Identifiers for computations and instructions in an exported program.
//!
//! Invariant: every name is an identifier of the language, not a keyword, not a name that exported programs use, and
//! unique in the whole program, so that no variable shadows a function.

use std::collections::{BTreeMap, BTreeSet};

use super::super::module::{InstructionId, Module};
use xla_messages::bug::OrBug as _;
use xla_ops::{ComputationId, Language};

/// Keywords of Python and Rust, and names that exported programs use.
const RESERVED: &str = "\
    False None True and as assert async await break class continue def del elif else except finally for \
    from global if import in is lambda nonlocal not or pass raise return try while with yield jax jnp \
    lax np ml_dtypes print slice tuple zip complex while_loop cholesky result NotImplementedError left right \
    abstract become box const crate do dyn enum extern false final fn gen impl let loop macro match mod \
    move mut override priv pub ref self static struct super trait true type typeof unsafe unsized use \
    virtual where union main b module _";

/// The names of a program.
pub(super) struct Names {
    computations: Vec<String>,
    instructions: Vec<Vec<String>>,
}

impl Names {
    /// Chooses identifiers for the computations and instructions of a module, similar to their names.
    pub fn new(module: &Module, language: Language) -> Self {
        let mut taken: BTreeSet<String> = RESERVED.split_whitespace().map(str::to_owned).collect();
        // The last suffix of each name, so that many instructions with the same name take linear time.
        let mut suffixes: BTreeMap<String, usize> = BTreeMap::new();
        let mut unique_identifier = |name: &str, stem: &str| {
            let base = identifier(if name.is_empty() { stem } else { name }, language);
            let mut name = base.clone();
            if !taken.insert(name.clone()) {
                let suffix = suffixes.entry(base.clone()).or_insert(1);
                loop {
                    *suffix += 1;
                    name = format!("{base}_{suffix}");
                    if taken.insert(name.clone()) {
                        break;
                    }
                }
            }
            name
        };
        // Computations first, so that on a conflict the function keeps its name.
        let computations = module.computations.iter().map(|c| unique_identifier(&c.name, "region")).collect();
        let instructions = module
            .computations
            .iter()
            .map(|c| c.instructions.iter().map(|i| unique_identifier(&i.name, &i.opcode)).collect())
            .collect();
        Self { computations, instructions }
    }

    /// The name of a computation.
    pub fn computation(&self, id: ComputationId) -> &str {
        self.computations.get(id.0 as usize).map(String::as_str).or_bug("", "a computation of another module")
    }

    /// The name of an instruction.
    pub fn instruction(&self, computation: ComputationId, id: InstructionId) -> &str {
        let names = self.instructions.get(computation.0 as usize);
        let name = names.and_then(|names| names.get(id.index()));
        name.map(String::as_str).or_bug("", "an instruction of another computation")
    }
}

/// Converts an HLO name to an identifier: `fusion.3` becomes `fusion_3`.
fn identifier(name: &str, language: Language) -> String {
    let mut out: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if language == Language::Rust {
        out.make_ascii_lowercase();
    }
    if !out.starts_with(|c: char| c.is_ascii_alphabetic()) {
        out.insert(0, 'v');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_identifiers() {
        let text = "HloModule m\nlambda { in = f32[] parameter(0) ROOT lambda.1 = f32[] negate(in) }\n
            ENTRY e { in = f32[] parameter(0) add.2 = f32[] call(in), to_apply=lambda ROOT Q-x = f32[] negate(add.2) }";
        let module = super::super::super::parse(text).module;
        let all_names = |language| {
            let names = Names::new(&module, language);
            names.computations.into_iter().chain(names.instructions.into_iter().flatten()).collect::<Vec<_>>()
        };
        let python = all_names(Language::Jax);
        assert_eq!(python[..4], ["lambda_2", "e", "in_2", "lambda_1"]);
        assert_eq!(python[4], "in_3");
        let rust = all_names(Language::Rust);
        assert!(rust.contains(&"q_x".to_owned()), "{rust:?}");
        assert_eq!(python.iter().collect::<BTreeSet<_>>().len(), python.len());
    }
}
