//! Rules that concern a whole computation or module; [`xla_ops::check`] has the rules of single instructions.
//!
//! Labels: `hlo-empty`, `hlo-parameters`, `hlo-interface`, `hlo-infeed-order`.

use super::module::{Computation, InstructionId, Module};
use super::order::{effect, effects, ids_by_name, predecessors};
use xla_array::{Shape, shape_util};
use xla_messages::diagnostic::{Diagnostic, Hint, Span};
use xla_messages::i18n::Message;
use xla_ops::{AttrValue, Effect};

/// Bound on the diagnostics of one rule; more would be noise.
const MAX_DIAGNOSTICS: usize = 200;

/// Checks that a computation has instructions, and parameters 0 to n-1, each once. Sets [`Computation::parameters`].
pub fn computation(computation: &mut Computation) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    if computation.instructions.is_empty() {
        diagnostics.push(Diagnostic::error(computation.span, "hlo-empty", Message::engine("hlo-empty")));
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
            let parameter = if *number < expected { *number } else { expected };
            let message = Message::engine(key).with("number", parameter);
            diagnostics.push(Diagnostic::error(*span, "hlo-parameters", message));
            break;
        }
    }
    computation.parameters = numbered.into_iter().map(|(_, id, _)| id).collect();
    diagnostics
}

/// Checks that the `entry_computation_layout` matches the entry computation.
pub fn interface(module: &Module) -> Vec<Diagnostic> {
    let (Some(layout), Some(entry)) = (&module.entry_layout, module.entry_computation()) else {
        return Vec::new();
    };
    let differs = |written: &Shape, actual: &Shape| !shape_util::compatible(written, actual);
    let mismatch = |written: &Shape, actual: &Shape, span: Span| {
        let message = Message::engine("hlo-interface")
            .with("written", written.human_string())
            .with("found", actual.human_string());
        Diagnostic::error(span, "hlo-interface", message)
    };
    let mut diagnostics = Vec::new();
    if layout.parameters.len() != entry.parameters.len() {
        let message = Message::engine("hlo-interface-count")
            .with("written", layout.parameters.len())
            .with("found", entry.parameters.len());
        diagnostics.push(Diagnostic::error(entry.span, "hlo-interface", message));
    }
    let parameters = entry.parameters.iter().filter_map(|id| entry.get(*id));
    for (written, parameter) in layout.parameters.iter().zip(parameters) {
        if diagnostics.len() < MAX_DIAGNOSTICS && !parameter.is_broken && differs(written, &parameter.shape) {
            diagnostics.push(mismatch(written, &parameter.shape, parameter.spans.shape));
        }
    }
    if let Some(root) = entry.root_instruction()
        && !root.is_broken
        && differs(&layout.result, &root.shape)
    {
        diagnostics.push(mismatch(&layout.result, &root.shape, root.spans.whole));
    }
    diagnostics
}

/// Checks that the infeeds of each computation, including those in called computations, are in a total order: of any
/// two one depends on the other, through operands or control predecessors. Source: "Infeed" of XLA's operation
/// semantics.
pub fn infeed_order(module: &Module) -> Vec<Diagnostic> {
    let effects = effects(module);
    let mut diagnostics = Vec::new();
    for (computation, _) in module.computations.iter().zip(&effects).filter(|(_, e)| **e == Effect::Feeds) {
        let names = ids_by_name(computation);
        // Per instruction, the 1-based ordinal of the last infeed it depends on; 0 if there is none.
        let mut last_infeed = vec![0_usize; computation.instructions.len()];
        let mut last: Option<&super::Instruction> = None;
        let mut count = 0;
        for (id, instruction) in computation.iter() {
            let latest = predecessors(computation, id, &names)
                .iter()
                .map(|other| last_infeed[other.index()])
                .max()
                .unwrap_or(0);
            last_infeed[id.index()] = latest;
            if effect(instruction, &effects) != Effect::Feeds {
                continue;
            }
            if let Some(last) = last.filter(|_| latest < count && diagnostics.len() < MAX_DIAGNOSTICS) {
                let message = Message::engine("hlo-infeed-order")
                    .with("first", last.name.as_str())
                    .with("second", instruction.name.as_str());
                let text = format!("control-predecessors={{{}}}", last.name);
                let error = Diagnostic::error(instruction.spans.whole, "hlo-infeed-order", message);
                let hint = Message::engine("op-hint-write").with("text", text.as_str());
                let cannot_append =
                    instruction.annotation("control-predecessors").is_some() || last.name.is_empty();
                diagnostics.push(if cannot_append {
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
            last_infeed[id.index()] = count;
            last = Some(instruction);
        }
    }
    diagnostics
}

/// The parameter number, if it is valid.
fn parameter_number(attr: Option<&AttrValue>) -> Option<usize> {
    if let Some(AttrValue::Int(number)) = attr { usize::try_from(*number).ok() } else { None }
}
