//! What computations and instructions are called in another language.
//!
//! Invariant: every name is an identifier of the language, none of its words and none of a program's own, and each is
//! there once in the whole program, so that no variable hides a function.

use std::collections::{BTreeMap, BTreeSet};

use super::super::module::{InstructionId, Module};
use xla_ops::{ComputationId, Language};

/// Words that mean something in Python, in Rust, or in the programs.
const TAKEN: &str = "\
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
    /// The names of a module's parts, as near to its own as the language allows.
    pub fn new(module: &Module, language: Language) -> Self {
        let mut taken: BTreeSet<String> = TAKEN.split_whitespace().map(str::to_owned).collect();
        // The last number behind each name, so that many instructions of one name take linear time.
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        let mut one = |name: &str, stem: &str| {
            let plain = plain(if name.is_empty() { stem } else { name }, language);
            let mut name = plain.clone();
            if !taken.insert(name.clone()) {
                let number = numbers.entry(plain.clone()).or_insert(1);
                loop {
                    *number += 1;
                    name = format!("{plain}_{number}");
                    if taken.insert(name.clone()) {
                        break;
                    }
                }
            }
            name
        };
        // Computations first: theirs are the names that are called.
        let computations = module.computations.iter().map(|c| one(&c.name, "region")).collect();
        let instructions = module
            .computations
            .iter()
            .map(|c| c.instructions.iter().map(|i| one(&i.name, &i.opcode)).collect())
            .collect();
        Self { computations, instructions }
    }

    /// The name of a computation.
    pub fn computation(&self, id: ComputationId) -> &str {
        self.computations.get(id.0 as usize).map(String::as_str).unwrap_or_default()
    }

    /// The name of an instruction.
    pub fn instruction(&self, of: ComputationId, id: InstructionId) -> &str {
        let names = self.instructions.get(of.0 as usize);
        names.and_then(|names| names.get(id.index())).map(String::as_str).unwrap_or_default()
    }
}

/// A name as an identifier: `fusion.3` is `fusion_3`.
fn plain(name: &str, language: Language) -> String {
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
    fn names_are_identifiers_and_each_is_there_once() {
        let text = "HloModule m\nlambda { in = f32[] parameter(0) ROOT lambda.1 = f32[] negate(in) }\n
            ENTRY e { in = f32[] parameter(0) add.2 = f32[] call(in), to_apply=lambda ROOT Q-x = f32[] negate(add.2) }";
        let module = super::super::super::parse(text).module;
        let of = |language| {
            let names = Names::new(&module, language);
            names.computations.into_iter().chain(names.instructions.into_iter().flatten()).collect::<Vec<_>>()
        };
        let python = of(Language::Jax);
        assert_eq!(python[..4], ["lambda_2", "e", "in_2", "lambda_1"]);
        assert_eq!(python[4], "in_3");
        assert!(of(Language::Rust).contains(&"q_x".to_owned()), "{:?}", of(Language::Rust));
        assert_eq!(python.iter().collect::<BTreeSet<_>>().len(), python.len());
    }
}
