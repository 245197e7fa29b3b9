//! Programs in Python.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::super::module::{Computation, InstructionId};
use super::program::{Exported, MAX_PROGRAM_BYTES, Program, contains_word};
use xla_array::{Edition, ElementType, Shape};
use xla_messages::escape::{comment, python_string};
use xla_ops::code::literal;
use xla_ops::{ComputationId, Language};

/// The program.
pub(super) fn write(program: &Program) -> Exported {
    let mut writer = Writer { program, missing: Vec::new(), preludes: BTreeSet::new() };
    let mut body = String::new();
    for (id, name, computation) in program.computations() {
        writer.computation(&mut body, id, name, computation);
    }
    body.push_str(&writer.call());
    let Writer { missing, preludes, .. } = writer;
    let definitions: String = preludes.into_iter().flat_map(|prelude| ["\n\n", prelude]).collect();
    let body = definitions + &body;
    Exported { text: head(program, &body, &missing) + &body, missing }
}

/// Comments and imports.
fn head(program: &Program, body: &str, missing: &[String]) -> String {
    let is_jax = program.language == Language::Jax;
    let package = if is_jax { "JAX" } else { "NumPy" };
    let mut out = String::new();
    if program.module.name.contains("coding") {
        // A comment in the first two lines can declare another encoding (PEP 263); only the first declaration counts.
        out.push_str("# -*- coding: utf-8 -*-\n");
    }
    let _ = writeln!(out, "# {} in {package}, from HLO.", comment(&program.module.name));
    if !missing.is_empty() {
        let _ = writeln!(
            out,
            "# {package} has no counterpart of: {}. There it stops.",
            comment(&missing.join(", "))
        );
    }
    if program.edition == Edition::V2017 {
        out.push_str("# The values are those of today's XLA, not of the XLA of 2017.\n");
    }
    out.push('\n');
    if is_jax {
        if is_wide(program) {
            out.push_str("import jax\n");
        }
        if contains_word(body, "jnp") {
            out.push_str("import jax.numpy as jnp\n");
        }
    }
    for module in ["ml_dtypes", "np"] {
        if contains_word(body, module) {
            out.push_str(if module == "np" { "import numpy as np\n" } else { "import ml_dtypes\n" });
        }
    }
    if is_jax {
        if contains_word(body, "lax") {
            out.push_str("from jax import lax\n");
        }
        if is_wide(program) {
            out.push_str("\njax.config.update(\"jax_enable_x64\", True)\n");
        }
    }
    out
}

/// Whether there are 64-bit numbers, which JAX makes narrower where it is not told otherwise.
fn is_wide(program: &Program) -> bool {
    fn has_wide(shape: &Shape) -> bool {
        match shape {
            Shape::Array(array) => {
                let of = array.element_type;
                of.component().map_or(of.bits(), ElementType::bits) == 64
            }
            Shape::Tuple(elements) => elements.iter().any(has_wide),
            Shape::Buffer(_) | Shape::Token | Shape::Opaque => false,
        }
    }
    program.module.computations.iter().flat_map(|c| &c.instructions).any(|i| has_wide(&i.shape))
}

struct Writer<'p, 'm> {
    program: &'p Program<'m>,
    missing: Vec<String>,
    preludes: BTreeSet<&'static str>,
}

impl Writer<'_, '_> {
    fn computation(&mut self, out: &mut String, id: ComputationId, name: &str, of: &Computation) {
        let names = &self.program.names;
        let parameters: Vec<&str> = of.parameters.iter().map(|p| names.instruction(id, *p)).collect();
        // Writing to a `String` cannot fail.
        let _ = writeln!(out, "\n\ndef {name}({}):", parameters.join(", "));
        let is_parameter: BTreeSet<InstructionId> = of.parameters.iter().copied().collect();
        for (number, instruction) in of.iter() {
            if out.len() > MAX_PROGRAM_BYTES {
                return;
            }
            if is_parameter.contains(&number) {
                continue;
            }
            let Some(code) = self.program.instruction(id, of, instruction) else {
                self.missing_one(out, (id, number), &instruction.opcode);
                if of.root == Some(number) {
                    return;
                }
                continue;
            };
            self.preludes.extend(Some(code.prelude).filter(|text| !text.is_empty()));
            let _ = if of.root == Some(number) && number.index() + 1 == of.instructions.len() {
                writeln!(out, "    return {}", code.text)
            } else {
                writeln!(out, "    {} = {}", names.instruction(id, number), code.text)
            };
        }
        let last = of.instructions.len().checked_sub(1);
        if let Some(root) = of.root.filter(|root| Some(root.index()) != last || of.parameters.contains(root))
        {
            let _ = writeln!(out, "    return {}", names.instruction(id, root));
        }
    }

    /// The instruction as HLO, and that it cannot be run.
    fn missing_one(
        &mut self,
        out: &mut String,
        (computation, id): (ComputationId, InstructionId),
        opcode: &str,
    ) {
        if !self.missing.iter().any(|known| known == opcode) {
            self.missing.push(opcode.to_owned());
        }
        // Writing to a `String` cannot fail.
        let _ = writeln!(out, "    # {}", comment(&self.program.hlo(computation, id)));
        let _ = writeln!(out, "    raise NotImplementedError({})", python_string(opcode));
    }

    /// The call of the entry on the arguments.
    fn call(&mut self) -> String {
        let (program, mut out) = (self.program, String::from("\n\n"));
        let Some(entry) = program.module.get(program.entry) else { return out };
        let mut names = Vec::new();
        for (parameter, argument) in entry.parameters.iter().zip(program.arguments) {
            let name = program.names.instruction(program.entry, *parameter);
            if let Some(text) = literal(program.language, argument) {
                let _ = writeln!(out, "{name} = {text}");
            } else {
                let shape = argument.shape().to_string();
                let (said, raised) = (comment(&shape), python_string(&shape));
                let _ = write!(out, "# {name}: {said}\nraise NotImplementedError({raised})\n");
            }
            names.push(name);
        }
        let name = program.names.computation(program.entry);
        let _ = write!(out, "result = {name}({})\nprint(result)\n", names.join(", "));
        out
    }
}
