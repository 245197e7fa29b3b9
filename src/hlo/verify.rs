//! The rules of a computation and of a module; those of an instruction are in [`crate::ops::check`].
//!
//! Labels: `hlo-empty`, `hlo-parameters`, `hlo-interface`.

use super::module::{Computation, InstructionId, Module};
use super::regions::parameter_number;
use crate::array::{Shape, shape_util};
use crate::diagnostic::{Diagnostic, Span};
use crate::i18n::Message;

/// Checks that a computation has instructions and parameters 0 to n-1, each once; notes which instruction each
/// parameter is.
pub fn computation(computation: &mut Computation) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if computation.instructions.is_empty() {
        found.push(Diagnostic::error(computation.span, "hlo-empty", Message::engine("hlo-empty")));
    }
    let mut numbered: Vec<(usize, InstructionId, Span)> = Vec::new();
    for (id, instruction) in computation.iter() {
        if instruction.opcode == "parameter"
            && let Some(number) = parameter_number(instruction.attrs.get("parameter_number"))
        {
            numbered.push((number, id, instruction.spans.whole));
        }
    }
    numbered.sort_unstable_by_key(|(number, id, _)| (*number, *id));
    for (expected, (number, _, span)) in numbered.iter().enumerate() {
        if *number != expected {
            let key = if *number < expected { "hlo-parameter-twice" } else { "hlo-parameter-missing" };
            let told = if *number < expected { *number } else { expected };
            found.push(Diagnostic::error(*span, "hlo-parameters", Message::engine(key).with("number", told)));
            break;
        }
    }
    computation.parameters = numbered.into_iter().map(|(_, id, _)| id).collect();
    found
}

/// Checks that the layout of the interface, where it is written, fits the entry computation.
pub fn interface(module: &Module) -> Vec<Diagnostic> {
    let (Some(layout), Some(entry)) = (&module.entry_layout, module.entry_computation()) else {
        return Vec::new();
    };
    let broken = |shape: &Shape, of: &Shape| !shape_util::compatible(shape, of);
    let told = |written: &Shape, found: &Shape, span: Span| {
        let message = Message::engine("hlo-interface")
            .with("written", written.human_string())
            .with("found", found.human_string());
        Diagnostic::error(span, "hlo-interface", message)
    };
    let mut found = Vec::new();
    if layout.parameters.len() != entry.parameters.len() {
        let message = Message::engine("hlo-interface-count")
            .with("written", layout.parameters.len())
            .with("found", entry.parameters.len());
        found.push(Diagnostic::error(entry.span, "hlo-interface", message));
    }
    let parameters = entry.parameters.iter().filter_map(|id| entry.get(*id));
    for (written, parameter) in layout.parameters.iter().zip(parameters) {
        if !parameter.is_broken && broken(written, &parameter.shape) {
            found.push(told(written, &parameter.shape, parameter.spans.shape));
        }
    }
    if let Some(root) = entry.root_instruction()
        && !root.is_broken
        && broken(&layout.result, &root.shape)
    {
        found.push(told(&layout.result, &root.shape, root.spans.whole));
    }
    found
}
