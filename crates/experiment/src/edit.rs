//! Edits of parts of HLO text.
//!
//! Every field of the editing form replaces the text of one part; the shapes that depend on it are then re-inferred.
//! Invariant: text outside the changed parts is not touched.

use std::borrow::Cow;

use xla_array::Edition;
use xla_hlo::lowering::arguments::Argument;
use xla_hlo::parser::parse_edition;
use xla_hlo::{Instruction, Module, Parsed, lower};
use xla_messages::diagnostic::{Diagnostic, Span};
use xla_ops::{AttrKind, OpContext};

/// Maximum number of passes of [`reinfer_shapes`]. One pass updates all instructions after a change, callees first; a
/// pass without a change ends earlier.
const MAX_PASSES: usize = 4;

/// The text after an edit, with builder forms lowered to plain HLO (XLA 2017) and all shapes re-inferred.
#[derive(Clone, Debug, Default)]
pub struct Reinferred {
    /// The text after lowering and re-inference.
    pub text: String,
    /// The parsed text, as far as it is valid.
    pub parsed: Parsed,
    /// Notes about the builder forms that were lowered; spans refer to the input text.
    pub notes: Vec<Diagnostic>,
}

/// Lowers the builder forms of the text, and updates the written shapes that differ from the inferred ones.
pub fn lower_and_reinfer(text: &str, edition: Edition) -> Reinferred {
    let lowered = lower(text, edition);
    let (text, parsed) = reinfer_shapes(&lowered.text, edition);
    Reinferred { text, parsed, notes: lowered.notes }
}

/// Parses text and updates the written shapes that differ from the inferred ones.
pub fn reinfer_shapes(text: &str, edition: Edition) -> (String, Parsed) {
    let mut text = text.to_owned();
    let mut parsed = parse_edition(&text, edition);
    for _ in 0..MAX_PASSES {
        if !parsed.diagnostics.iter().any(|d| d.rule == SHAPE_DIFFERS_RULE) {
            break;
        }
        let edits = shape_edits(parsed.module.clone(), edition);
        let Some(fixed) = apply_edits(&text, edits).filter(|fixed| *fixed != text) else { break };
        text = fixed;
        parsed = parse_edition(&text, edition);
    }
    (text, parsed)
}

/// The rule that a written shape equals the inferred one.
const SHAPE_DIFFERS_RULE: &str = "result-differs";

/// The edits that replace written shapes by the inferred ones, from one pass over the module: each shape is inferred
/// from the updated shapes of its operands.
fn shape_edits(mut module: Module, edition: Edition) -> Vec<(Span, String)> {
    let mut edits = Vec::new();
    for c in 0..module.computations.len() {
        for i in 0..module.computations[c].instructions.len() {
            let computation = &module.computations[c];
            let instruction = &computation.instructions[i];
            let Some(op) = instruction.op.filter(|_| !instruction.is_invalid) else { continue };
            let operands = Module::operand_shapes(computation, instruction);
            let shape_span = instruction.spans.shape;
            let written = Some(&instruction.shape).filter(|_| shape_span.start < shape_span.end);
            let Some(cx) = module.infer(instruction, &operands, written, edition) else { continue };
            let inferred = match xla_ops::check(op, &cx) {
                Ok(shape) => shape,
                Err(error) if error.rule == SHAPE_DIFFERS_RULE => {
                    let Ok(inferred) = xla_ops::check(op, &OpContext { written: None, ..cx }) else {
                        continue;
                    };
                    edits.push((shape_span, inferred.human_string()));
                    inferred
                }
                Err(_) => continue,
            };
            module.computations[c].instructions[i].shape = inferred;
        }
    }
    edits
}

/// Applies edits to the text; `None` if they overlap.
pub(crate) fn apply_edits(text: &str, mut edits: Vec<(Span, String)>) -> Option<String> {
    edits.sort_unstable_by_key(|(span, _)| span.start);
    let mut out = String::with_capacity(text.len());
    let mut copied_to = 0;
    for (span, new) in edits {
        out.push_str(text.get(copied_to..span.start)?);
        out.push_str(&new);
        copied_to = span.end;
    }
    out.push_str(text.get(copied_to..)?);
    Some(out)
}

fn replace_span(text: &str, span: Span, replacement: &str) -> Option<String> {
    Some(format!("{}{replacement}{}", text.get(..span.start)?, text.get(span.end..)?))
}

/// Sets an attribute of an instruction, or removes it if `value` is empty. `None` if the instruction's spans do not
/// match the text.
pub fn set_attribute(text: &str, instruction: &Instruction, name: &str, value: &str) -> Option<String> {
    let spans = &instruction.spans;
    let value = &in_braces(instruction, name, value);
    let is_parenthesized =
        instruction.op.and_then(|op| op.meta().inline_attr.as_ref()).is_some_and(|a| a.name == name);
    let Some((_, span)) = spans.attrs.iter().find(|(n, _)| *n == name) else {
        let end = spans.whole.end;
        return if value.is_empty() {
            Some(text.to_owned())
        } else {
            replace_span(text, Span::at(end), &format!(", {name}={value}"))
        };
    };
    if !value.is_empty() || is_parenthesized {
        return replace_span(text, *span, value);
    }
    // Removes the attribute's name and the comma before it, too.
    let before = text.get(..span.start)?;
    let start = before.rfind(name)?;
    let start = before.get(..start)?.rfind(',')?;
    replace_span(text, Span::new(start, span.end), "")
}

/// Adds the braces of a list of numbers if the user omitted them in the attribute's field.
fn in_braces<'v>(instruction: &Instruction, name: &str, value: &'v str) -> Cow<'v, str> {
    let kind = instruction.op.and_then(|op| op.meta().attrs.iter().find(|spec| spec.name == name));
    let text = value.trim();
    let is_builder_list = || {
        let mut arguments = Argument::of_opcode(&instruction.opcode);
        arguments.any(|argument| argument.name() == name && argument != Argument::Padding)
    };
    let is_list = kind.map_or_else(is_builder_list, |spec| spec.kind == AttrKind::Ints);
    // Other values remain unchanged, so that the parser reports them as the user entered them.
    let inner = text.strip_prefix('{').unwrap_or(text);
    let inner = inner.strip_suffix('}').unwrap_or(inner);
    let is_numbers =
        inner.chars().all(|c| c.is_ascii_digit() || ", -".contains(c)) && !inner.trim().is_empty();
    if is_list && is_numbers { format!("{{{}}}", inner.trim()).into() } else { value.into() }
}

/// Sets the shape before the opcode, or removes it if `shape` is empty. `None` if the instruction's spans do not match
/// the text.
pub fn set_shape(text: &str, instruction: &Instruction, shape: &str) -> Option<String> {
    let span = instruction.spans.shape;
    match (span.start == span.end, shape.is_empty()) {
        (true, true) => Some(text.to_owned()),
        (true, false) => replace_span(text, Span::at(instruction.spans.opcode.start), &format!("{shape} ")),
        (false, _) => replace_span(text, span, shape),
    }
}

/// Removes `ROOT` from the root instruction, so that another instruction can become the root.
pub fn without_root(text: &str, root: &Instruction) -> Option<String> {
    let start = root.spans.whole.start;
    let rest = text.get(start..)?.strip_prefix("ROOT")?.trim_start();
    Some(format!("{}{rest}", text.get(..start)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "HloModule m\n\nENTRY e {\n  x = f32[2,3] parameter(0)\n  \
        t = f32[3,2] transpose(x), dimensions={1,0}\n  ROOT n = f32[3,2] negate(t)\n}\n";

    fn instruction(module: &Module, name: &str) -> Instruction {
        let entry = module.entry_computation().unwrap();
        entry.get(entry.find(name).unwrap()).unwrap().clone()
    }

    #[test]
    fn a_changed_attribute_updates_the_shapes_of_its_users() {
        let module = xla_hlo::parse(TEXT).module;
        let changed = set_attribute(TEXT, &instruction(&module, "t"), "dimensions", "{0,1}").unwrap();
        let (updated, parsed) = reinfer_shapes(&changed, Edition::Current);
        assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
        assert_eq!(updated.matches("f32[2,3]").count(), 3, "{updated}");
        let wrong = set_attribute(TEXT, &instruction(&module, "t"), "dimensions", "{0,0}").unwrap();
        assert_eq!(reinfer_shapes(&wrong, Edition::Current).1.diagnostics.len(), 1);
    }

    #[test]
    fn a_list_is_accepted_without_braces() {
        let transpose = instruction(&xla_hlo::parse(TEXT).module, "t");
        let set = |value| set_attribute(TEXT, &transpose, "dimensions", value).unwrap();
        for typed in ["0,1", "{0,1", "0,1}", " {0,1} "] {
            assert_eq!(set(typed), set("{0,1}"), "{typed}");
        }
        assert!(set("0, x").contains("dimensions=0, x"), "text without numbers stays as it was typed");
        assert!(set("{}").contains("dimensions={}"));
        let sum = "HloModule m ENTRY e { x = f32[3] parameter(0) y = f32[2,3] parameter(1) ROOT s = f32[2,3] add(x, y) }";
        let add = instruction(&xla_hlo::parse(sum).module, "s");
        let typed = set_attribute(sum, &add, "broadcast_dimensions", "1").unwrap();
        assert!(typed.contains("add(x, y), broadcast_dimensions={1}"), "an argument of the builder: {typed}");
    }

    #[test]
    fn a_changed_parameter_shape_updates_the_shapes_of_its_users() {
        let module = xla_hlo::parse(TEXT).module;
        let changed = set_shape(TEXT, &instruction(&module, "x"), "f32[4,5]{0,1}").unwrap();
        let (updated, parsed) = reinfer_shapes(&changed, Edition::Current);
        assert!(parsed.diagnostics.is_empty() && updated.contains("n = f32[5,4]"), "{updated}");
    }

    #[test]
    fn a_long_chain_is_updated_in_one_pass() {
        let lines: Vec<String> =
            (1..2_000).map(|i| format!("  x{i} = f32[2] negate(x{})\n", i - 1)).collect();
        let lines = lines.concat();
        let text = format!(
            "HloModule m\nENTRY e {{\n  x0 = f32[3] parameter(0)\n{lines}  ROOT r = f32[2] add(x0, x1999)\n}}\n"
        );
        let module = xla_hlo::parse(&text).module;
        assert_eq!(shape_edits(module, Edition::Current).len(), 2_000);
        let (updated, parsed) = reinfer_shapes(&text, Edition::Current);
        assert!(parsed.diagnostics.is_empty() && !updated.contains("f32[2]"), "{:?}", parsed.diagnostics);
    }

    #[test]
    fn builder_forms_are_lowered_and_shapes_of_users_follow() {
        let text = "HloModule m ENTRY e { x = f32[4,5] parameter(0) y = f32[] parameter(1)
            s = f32[2,3] add(x, y) ROOT n = f32[2,3] negate(s) }";
        let updated = lower_and_reinfer(text, Edition::V2017);
        assert!(updated.parsed.diagnostics.is_empty(), "{:?}", updated.parsed.diagnostics);
        assert!(updated.text.contains("broadcast.1 = f32[4,5] broadcast(y)"), "{}", updated.text);
        assert!(updated.text.contains("s = f32[4,5] add(x, broadcast.1)"), "{}", updated.text);
        assert_eq!(updated.notes.len(), 1);
        assert!(lower_and_reinfer(text, Edition::Current).parsed.error().is_some());
    }

    #[test]
    fn a_changed_computation_updates_its_call() {
        let text = "HloModule m c { a = f32[3] parameter(0) ROOT n = f32[2] negate(a) }
            ENTRY e { x = f32[3] parameter(0) ROOT r = f32[2] call(x), to_apply=c }";
        let (updated, parsed) = reinfer_shapes(text, Edition::Current);
        assert!(
            parsed.diagnostics.is_empty() && !updated.contains("f32[2]"),
            "{updated} {:?}",
            parsed.diagnostics
        );
    }

    #[test]
    fn attributes_are_added_and_removed() {
        let text = "HloModule m  ENTRY e { x = f32[2] parameter(0) ROOT c = pred[2] compare(x, x), direction=LT, type=FLOAT }";
        let c = instruction(&xla_hlo::parse(text).module, "c");
        let without = set_attribute(text, &c, "type", "").unwrap();
        assert!(without.ends_with("direction=LT }"), "{without}");
        let c = instruction(&xla_hlo::parse(&without).module, "c");
        assert_eq!(set_attribute(&without, &c, "type", "FLOAT").unwrap(), text);
        assert!(without_root(text, &c).unwrap().contains("parameter(0) c = pred"));
    }
}
