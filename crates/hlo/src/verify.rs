//! The rules of a computation and of a module; those of an instruction are in [`xla_ops::check`].
//!
//! Labels: `hlo-empty`, `hlo-parameters`, `hlo-interface`, `hlo-infeed-order`.

use super::module::{Computation, InstructionId, Module};
use super::order::{before, effect, effects, names};
use xla_array::{Shape, shape_util};
use xla_messages::diagnostic::{Diagnostic, Hint, Span};
use xla_messages::i18n::Message;
use xla_ops::{AttrValue, Effect};

/// The most diagnostics of one rule.
const MAX_DIAGNOSTICS: usize = 200;

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
        if found.len() < MAX_DIAGNOSTICS && !parameter.is_broken && broken(written, &parameter.shape) {
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

/// Checks that what takes from a stream is in a total order in each computation: of any two such instructions, or
/// instructions that call some, one depends on the other, through operands or control predecessors. Source:
/// "Infeed" of the documents.
pub fn streams(module: &Module) -> Vec<Diagnostic> {
    let effects = effects(module);
    let mut found = Vec::new();
    for (computation, _) in module.computations.iter().zip(&effects).filter(|(_, e)| **e == Effect::Feeds) {
        let names = names(computation);
        // The last of such instructions that each instruction comes after; they are counted from 1.
        let mut after = vec![0_usize; computation.instructions.len()];
        let mut last: Option<&super::Instruction> = None;
        let mut count = 0;
        for (id, instruction) in computation.iter() {
            let latest =
                before(computation, id, &names).iter().map(|other| after[other.index()]).max().unwrap_or(0);
            after[id.index()] = latest;
            if effect(instruction, &effects) != Effect::Feeds {
                continue;
            }
            if let Some(last) = last.filter(|_| latest < count && found.len() < MAX_DIAGNOSTICS) {
                let message = Message::engine("hlo-infeed-order")
                    .with("first", last.name.as_str())
                    .with("second", instruction.name.as_str());
                let text = format!("control-predecessors={{{}}}", last.name);
                let error = Diagnostic::error(instruction.spans.whole, "hlo-infeed-order", message);
                let hint = Message::engine("op-hint-write").with("text", text.as_str());
                let has = instruction.annotation("control-predecessors").is_some() || last.name.is_empty();
                found.push(if has {
                    error.hint(Hint::advice(Message::engine("hlo-hint-token")))
                } else {
                    let end = Span::at(instruction.spans.whole.end);
                    error.hint(Hint::advice(Message::engine("hlo-hint-token"))).hint(Hint::replace(
                        hint,
                        end,
                        format!(", {text}"),
                    ))
                });
            }
            count += 1;
            after[id.index()] = count;
            last = Some(instruction);
        }
    }
    found
}

/// The number of a parameter instruction.
fn parameter_number(attr: Option<&AttrValue>) -> Option<usize> {
    if let Some(AttrValue::Int(number)) = attr { usize::try_from(*number).ok() } else { None }
}
