//! Writes programs in Python.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::super::module::{Computation, InstructionId};
use super::program::{Exported, MAX_PROGRAM_BYTES, Program, contains_word};
use xla_array::{Edition, ElementType, Shape};
use xla_messages::escape::{comment, python_string};
use xla_ops::export::literal;
use xla_ops::{ComputationId, Language};

/// Writes a program for JAX or `NumPy`.
pub(super) fn write(program: &Program) -> Exported {
    let mut writer = Writer { program, unsupported: Vec::new(), preludes: BTreeSet::new() };
    let mut body = String::new();
    for (id, name, computation) in program.computations() {
        writer.computation(&mut body, id, name, computation);
    }
    body.push_str(&writer.call());
    let Writer { unsupported, preludes, .. } = writer;
    let definitions: String = preludes.into_iter().flat_map(|prelude| ["\n\n", prelude]).collect();
    let body = definitions + &body;
    Exported { text: head(program, &body, &unsupported) + &body, unsupported }
}

/// The comments and imports at the top of the program.
fn head(program: &Program, body: &str, unsupported: &[String]) -> String {
    let is_jax = program.language == Language::Jax;
    let package = if is_jax { "JAX" } else { "NumPy" };
    let mut out = String::new();
    if program.module.name.contains("coding") {
        // A comment in the first two lines can declare another encoding (PEP 263); only the first declaration counts.
        out.push_str("# -*- coding: utf-8 -*-\n");
    }
    let _ = writeln!(out, "# {} in {package}, from HLO.", comment(&program.module.name));
    if !unsupported.is_empty() {
        let _ = writeln!(
            out,
            "# {package} does not support: {}. The program raises an error there.",
            comment(&unsupported.join(", "))
        );
    }
    if program.edition == Edition::V2017 {
        out.push_str("# The values are those of current XLA, not of XLA 2017.\n");
    }
    out.push('\n');
    if is_jax {
        if uses_64_bit_types(program) {
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
        if uses_64_bit_types(program) {
            out.push_str("\njax.config.update(\"jax_enable_x64\", True)\n");
        }
    }
    out
}

/// Whether the program uses 64-bit types, which JAX narrows to 32 bits by default.
fn uses_64_bit_types(program: &Program) -> bool {
    fn has_64_bit_type(shape: &Shape) -> bool {
        match shape {
            Shape::Array(array) => {
                let element_type = array.element_type;
                element_type.component().map_or(element_type.bits(), ElementType::bits) == 64
            }
            Shape::Tuple(elements) => elements.iter().any(has_64_bit_type),
            Shape::Buffer(_) | Shape::Token | Shape::Opaque => false,
        }
    }
    program.module.computations.iter().flat_map(|c| &c.instructions).any(|i| has_64_bit_type(&i.shape))
}

struct Writer<'p, 'm> {
    program: &'p Program<'m>,
    /// The opcodes without an equivalent, each once.
    unsupported: Vec<String>,
    preludes: BTreeSet<&'static str>,
}

impl Writer<'_, '_> {
    /// Writes a computation as a function.
    fn computation(&mut self, out: &mut String, id: ComputationId, name: &str, computation: &Computation) {
        let names = &self.program.names;
        let parameters: Vec<&str> =
            computation.parameters.iter().map(|p| names.instruction(id, *p)).collect();
        // Writing to a `String` cannot fail.
        let _ = writeln!(out, "\n\ndef {name}({}):", parameters.join(", "));
        let parameters: BTreeSet<InstructionId> = computation.parameters.iter().copied().collect();
        for (instruction_id, instruction) in computation.iter() {
            if out.len() > MAX_PROGRAM_BYTES {
                return;
            }
            if parameters.contains(&instruction_id) {
                continue;
            }
            let is_root = computation.root == Some(instruction_id);
            let Some(code) = self.program.instruction(id, computation, instruction) else {
                self.unsupported_instruction(out, (id, instruction_id), &instruction.opcode);
                if is_root {
                    return;
                }
                continue;
            };
            self.preludes.extend(Some(code.prelude).filter(|text| !text.is_empty()));
            let is_last = instruction_id.index() + 1 == computation.instructions.len();
            let _ = if is_root && is_last {
                writeln!(out, "    return {}", code.text)
            } else {
                writeln!(out, "    {} = {}", names.instruction(id, instruction_id), code.text)
            };
        }
        let last = computation.instructions.len().checked_sub(1);
        let is_unreturned = |root: &InstructionId| Some(root.index()) != last || parameters.contains(root);
        if let Some(root) = computation.root.filter(is_unreturned) {
            let _ = writeln!(out, "    return {}", names.instruction(id, root));
        }
    }

    /// Writes an instruction without an equivalent: its HLO as a comment, and a statement that raises an error.
    fn unsupported_instruction(
        &mut self,
        out: &mut String,
        (computation, id): (ComputationId, InstructionId),
        opcode: &str,
    ) {
        if !self.unsupported.iter().any(|known| known == opcode) {
            self.unsupported.push(opcode.to_owned());
        }
        // Writing to a `String` cannot fail.
        let _ = writeln!(out, "    # {}", comment(&self.program.hlo(computation, id)));
        let _ = writeln!(out, "    raise NotImplementedError({})", python_string(opcode));
    }

    /// The statements that call the entry function with the arguments.
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
                let (described, raised) = (comment(&shape), python_string(&shape));
                let _ = write!(out, "# {name}: {described}\nraise NotImplementedError({raised})\n");
            }
            names.push(name);
        }
        let name = program.names.computation(program.entry);
        let _ = write!(out, "result = {name}({})\nprint(result)\n", names.join(", "));
        out
    }
}
