//! Rules that concern a whole computation or module; [`xla_ops::check`] has the rules of single instructions.
//!
//! Rules: `hlo-empty`, `hlo-parameters`, `hlo-interface`, `hlo-infeed-order`, `while-nested`.

use std::collections::BTreeSet;

use super::module::{Computation, Instruction, InstructionId, Module};
use super::order::{effect, effects, ids_by_name, predecessors};
use xla_array::{Edition, Shape, shape_util};
use xla_messages::diagnostic::{Diagnostic, Hint, Span};
use xla_messages::i18n::Message;
use xla_ops::{AttrValue, ComputationId, Effect, OpError};

/// Maximum number of diagnostics of one rule; more would be noise.
const MAX_DIAGNOSTICS: usize = 200;

/// Sets [`Computation::parameters`], by their numbers. Reports a computation without instructions, and the first parameter by which
/// the numbers are not those from 0 to n-1.
pub fn number_parameters(computation: &mut Computation) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    if computation.instructions.is_empty() {
        diagnostics.push(Diagnostic::error(computation.span, "hlo-empty", Message::ops("hlo-empty")));
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
    for (expected, (number, id, span)) in numbered.iter().enumerate() {
        if *number != expected {
            let key = if *number < expected { "hlo-parameter-twice" } else { "hlo-parameter-missing" };
            let parameter = if *number < expected { *number } else { expected };
            let message = Message::ops(key).with("number", parameter);
            let mut error = Diagnostic::error(*span, "hlo-parameters", message);
            // The smallest number that is not used.
            let free = numbered.iter().fold(0, |free, (number, ..)| free + usize::from(*number == free));
            if let Some(argument) = computation.get(*id).and_then(Instruction::argument_span) {
                let hint = Message::ops("op-hint-write").with("text", format!("parameter({free})"));
                error = error.with_hint(Hint::replace(hint, argument, free.to_string()));
            }
            diagnostics.push(error);
            break;
        }
    }
    computation.parameters = numbered.into_iter().map(|(_, id, _)| id).collect();
    diagnostics
}

/// Checks that the `entry_computation_layout` matches the entry computation.
pub fn check_entry_layout(module: &Module) -> Vec<Diagnostic> {
    let (Some(layout), Some(entry)) = (&module.entry_layout, module.entry_computation()) else {
        return Vec::new();
    };
    let differs = |written: &Shape, actual: &Shape| !shape_util::compatible(written, actual);
    let mismatch = |written: &Shape, actual: &Shape, span: Span| {
        let message = Message::ops("hlo-interface")
            .with("written", written.human_string())
            .with("found", actual.human_string());
        Diagnostic::error(span, "hlo-interface", message)
    };
    let mut diagnostics = Vec::new();
    if layout.parameters.len() != entry.parameters.len() {
        let message = Message::ops("hlo-interface-count")
            .with("written", layout.parameters.len())
            .with("found", entry.parameters.len());
        diagnostics.push(Diagnostic::error(entry.span, "hlo-interface", message));
    }
    let parameters = entry.parameters.iter().filter_map(|id| entry.get(*id));
    for (written, parameter) in layout.parameters.iter().zip(parameters) {
        if diagnostics.len() < MAX_DIAGNOSTICS && !parameter.is_invalid && differs(written, &parameter.shape)
        {
            diagnostics.push(mismatch(written, &parameter.shape, parameter.spans.shape));
        }
    }
    if let Some(root) = entry.root_instruction()
        && !root.is_invalid
        && differs(&layout.result, &root.shape)
    {
        diagnostics.push(mismatch(&layout.result, &root.shape, root.spans.whole));
    }
    diagnostics
}

/// Checks that the infeeds of each computation, including those in called computations, are totally ordered: of any two, one
/// must depend on the other through operands or control predecessors. Source: "Infeed" in XLA's operation
/// semantics.
pub fn check_infeed_order(module: &Module) -> Vec<Diagnostic> {
    let effects = effects(module);
    let mut diagnostics = Vec::new();
    for (computation, _) in module.computations.iter().zip(&effects).filter(|(_, e)| **e == Effect::Ordered) {
        let names = ids_by_name(computation);
        // Per instruction, the 1-based ordinal of the last infeed it depends on; 0 if there is none.
        let mut last_infeed = vec![0_usize; computation.instructions.len()];
        let mut previous: Option<&Instruction> = None;
        let mut infeed_count = 0;
        for (id, instruction) in computation.iter() {
            let last_dependency = predecessors(computation, id, &names)
                .iter()
                .map(|other| last_infeed[other.index()])
                .max()
                .unwrap_or(0);
            last_infeed[id.index()] = last_dependency;
            if effect(instruction, &effects) != Effect::Ordered {
                continue;
            }
            let is_ordered = last_dependency == infeed_count;
            if let Some(previous) = previous.filter(|_| !is_ordered && diagnostics.len() < MAX_DIAGNOSTICS) {
                let message = Message::ops("hlo-infeed-order")
                    .with("first", previous.name.as_str())
                    .with("second", instruction.name.as_str());
                let text = format!("control-predecessors={{{}}}", previous.name);
                let error = Diagnostic::error(instruction.spans.whole, "hlo-infeed-order", message);
                let hint = Message::ops("op-hint-write").with("text", text.as_str());
                let cannot_append =
                    instruction.annotation("control-predecessors").is_some() || previous.name.is_empty();
                diagnostics.push(if cannot_append {
                    error.with_hint(Hint::advice(Message::ops("hlo-hint-token")))
                } else {
                    let end = Span::at(instruction.spans.whole.end);
                    error.with_hint(Hint::advice(Message::ops("hlo-hint-token"))).with_hint(Hint::replace(
                        hint,
                        end,
                        format!(", {text}"),
                    ))
                });
            }
            infeed_count += 1;
            last_infeed[id.index()] = infeed_count;
            previous = Some(instruction);
        }
    }
    diagnostics
}

/// Finds a `while` in a computation or its callees.
pub fn find_loop(module: &Module, id: ComputationId) -> Option<&Instruction> {
    let mut visited = BTreeSet::new();
    let mut worklist = vec![id];
    while let Some(id) = worklist.pop() {
        if !visited.insert(id) {
            continue;
        }
        for instruction in module.get(id).map_or([].as_slice(), |computation| &computation.instructions) {
            if is_loop(module, instruction) {
                return Some(instruction);
            }
            worklist.extend(instruction.attrs.computations());
        }
    }
    None
}

/// Name prefix of the condition computation of a `map` that the builder lowered to a loop; a numeric suffix may follow.
pub(super) const MAP_CONDITION: &str = "map_condition";
/// Name prefix of the body of such a loop.
pub(super) const MAP_BODY: &str = "map_body";

/// Whether an instruction is a `while`, except for lowered `map`s, which XLA 2017 allows within loops.
fn is_loop(module: &Module, instruction: &Instruction) -> bool {
    let is_named = |attr: &str, name: &str| {
        let Some(AttrValue::Computation(id)) = instruction.attrs.get(attr) else { return false };
        module.get(*id).is_some_and(|computation| computation.name.starts_with(name))
    };
    let is_map = is_named("condition", MAP_CONDITION) && is_named("body", MAP_BODY);
    instruction.opcode == "while" && !is_map
}

/// Checks that no loop contains another loop, which XLA 2017 did not support. Source: "While" in the 2017 operation
/// semantics.
pub fn check_nested_loops(module: &Module) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    // Per computation, the name of its first loop. Callees precede callers, so those of callees are known.
    let mut first_loops: Vec<Option<String>> = Vec::new();
    for computation in &module.computations {
        let mut first = None;
        for instruction in &computation.instructions {
            let mut callees = instruction.attrs.computations();
            let called_loop = callees.find_map(|id| first_loops.get(id.0 as usize)?.clone());
            if let Some(name) = called_loop.clone().filter(|_| is_loop(module, instruction))
                && diagnostics.len() < MAX_DIAGNOSTICS
            {
                let message = Message::ops("edition-while-nested")
                    .with("name", instruction.name.as_str())
                    .with("instruction", name.as_str());
                let error = Diagnostic::error(instruction.spans.opcode, "while-nested", message);
                diagnostics.push(error.with_hint(Hint::advice(Message::ops("instead-while"))));
            }
            if first.is_none() {
                first =
                    if is_loop(module, instruction) { Some(instruction.name.clone()) } else { called_loop };
            }
        }
        first_loops.push(first);
    }
    diagnostics
}

/// The first violation of an edition's rules in a module.
pub struct EditionError {
    /// The instruction; `None` if the rule concerns the module.
    pub at: Option<(ComputationId, InstructionId)>,
    /// The violated rule.
    pub error: Box<OpError>,
}

/// Checks a module that may have been parsed or built by the rules of another edition. The current edition accepts whatever an
/// earlier one does.
pub fn check_edition(module: &Module, edition: Edition) -> Result<(), EditionError> {
    if edition == Edition::Current {
        return Ok(());
    }
    for (index, computation) in (0_u32..).zip(&module.computations) {
        for (id, instruction) in computation.iter() {
            let operands = Module::operand_shapes(computation, instruction);
            let Some(op) = instruction.op else { continue };
            if let Some(cx) = module.infer(instruction, &operands, Some(&instruction.shape), edition) {
                xla_ops::check(op, &cx).map_err(|error| EditionError {
                    at: Some((ComputationId(index), id)),
                    error: Box::new(error),
                })?;
            }
        }
    }
    match check_nested_loops(module).into_iter().next() {
        Some(nested) => {
            let error = Box::new(OpError::new("while", nested.rule, nested.message));
            Err(EditionError { at: None, error })
        }
        None => Ok(()),
    }
}

/// The parameter number, if it is valid.
fn parameter_number(attr: Option<&AttrValue>) -> Option<usize> {
    if let Some(AttrValue::Int(number)) = attr { usize::try_from(*number).ok() } else { None }
}
