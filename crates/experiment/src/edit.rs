//! Changes of one part of an HLO text that leave the rest as it was written.
//!
//! Every editor of the form ends here: it gives the text of one part, and the shapes that follow from it are put
//! right as the parser's own fixes say. Invariant: a text outside the changed parts is never touched.

use xla_array::Edition;
use xla_hlo::parser::parse_edition;
use xla_hlo::{Instruction, Module, Parsed};
use xla_messages::diagnostic::Span;
use xla_ops::OpContext;

/// Passes of [`settle`]: one follows a change through all instructions below it; another is needed where a computation
/// is defined below its call.
const PASSES: usize = 4;

/// Reads a text and rewrites the shapes that no longer follow from the operands.
pub fn settle(text: &str, edition: Edition) -> (String, Parsed) {
    let mut text = text.to_owned();
    let mut parsed = parse_edition(&text, edition);
    for _ in 0..PASSES {
        if !parsed.diagnostics.iter().any(|d| d.rule == DIFFERS) {
            break;
        }
        let edits = followed(parsed.module.clone(), edition);
        let Some(fixed) = applied(&text, edits).filter(|fixed| *fixed != text) else { break };
        text = fixed;
        parsed = parse_edition(&text, edition);
    }
    (text, parsed)
}

/// The rule of a written shape that is not the inferred one.
const DIFFERS: &str = "result-differs";

/// The written shapes that are not the inferred ones, with the inferred ones, in one pass over the module: every
/// instruction is inferred from the new shapes of its operands.
fn followed(mut module: Module, edition: Edition) -> Vec<(Span, String)> {
    let mut edits = Vec::new();
    for c in 0..module.computations.len() {
        for i in 0..module.computations[c].instructions.len() {
            let computation = &module.computations[c];
            let instruction = &computation.instructions[i];
            let Some(op) = instruction.op.filter(|_| !instruction.is_broken) else { continue };
            let operands = Module::operand_shapes(computation, instruction);
            let shape = instruction.spans.shape;
            let written = Some(&instruction.shape).filter(|_| shape.start < shape.end);
            let Some(cx) = module.infer(instruction, &operands, written, edition) else { continue };
            let inferred = match xla_ops::check(op, &cx) {
                Ok(shape) => shape,
                Err(error) if error.rule == DIFFERS => {
                    let Ok(inferred) = xla_ops::check(op, &OpContext { written: None, ..cx }) else {
                        continue;
                    };
                    edits.push((shape, inferred.human_string()));
                    inferred
                }
                Err(_) => continue,
            };
            module.computations[c].instructions[i].shape = inferred;
        }
    }
    edits
}

/// The text with other texts at some places; `None` where they overlap.
fn applied(text: &str, mut edits: Vec<(Span, String)>) -> Option<String> {
    edits.sort_unstable_by_key(|(span, _)| span.start);
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (span, new) in edits {
        out.push_str(text.get(done..span.start)?);
        out.push_str(&new);
        done = span.end;
    }
    out.push_str(text.get(done..)?);
    Some(out)
}

fn replaced(text: &str, span: Span, by: &str) -> Option<String> {
    Some(format!("{}{by}{}", text.get(..span.start)?, text.get(span.end..)?))
}

/// The text with another value of an attribute; without it where `value` is empty. `None` where the instruction's
/// spans do not fit the text.
pub fn attribute(text: &str, instruction: &Instruction, name: &str, value: &str) -> Option<String> {
    let spans = &instruction.spans;
    let argument = instruction.op.and_then(|op| op.meta().argument.as_ref()).is_some_and(|a| a.name == name);
    let Some((_, span)) = spans.attrs.iter().find(|(n, _)| *n == name) else {
        let end = spans.whole.end;
        return if value.is_empty() {
            Some(text.to_owned())
        } else {
            replaced(text, Span::at(end), &format!(", {name}={value}"))
        };
    };
    if !value.is_empty() || argument {
        return replaced(text, *span, value);
    }
    // With its name and the comma before it.
    let before = text.get(..span.start)?;
    let start = before.rfind(name)?;
    let start = before.get(..start)?.rfind(',')?;
    replaced(text, Span::new(start, span.end), "")
}

/// The text with another shape before an opcode; without one where `shape` is empty.
pub fn shape(text: &str, instruction: &Instruction, shape: &str) -> Option<String> {
    let span = instruction.spans.shape;
    match (span.start == span.end, shape.is_empty()) {
        (true, true) => Some(text.to_owned()),
        (true, false) => replaced(text, Span::at(instruction.spans.opcode.start), &format!("{shape} ")),
        (false, _) => replaced(text, span, shape),
    }
}

/// The text without the mark of the root, so that another can follow.
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
    fn a_change_of_an_attribute_carries_through_to_the_shapes_below() {
        let module = xla_hlo::parse(TEXT).module;
        let changed = attribute(TEXT, &instruction(&module, "t"), "dimensions", "{0,1}").unwrap();
        let (settled, parsed) = settle(&changed, Edition::Now);
        assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
        assert_eq!(settled.matches("f32[2,3]").count(), 3, "{settled}");
        let wrong = attribute(TEXT, &instruction(&module, "t"), "dimensions", "{0,0}").unwrap();
        assert_eq!(settle(&wrong, Edition::Now).1.diagnostics.len(), 1);
    }

    #[test]
    fn a_change_of_a_parameter_s_shape_carries_through_too() {
        let module = xla_hlo::parse(TEXT).module;
        let changed = shape(TEXT, &instruction(&module, "x"), "f32[4,5]{0,1}").unwrap();
        let (settled, parsed) = settle(&changed, Edition::Now);
        assert!(parsed.diagnostics.is_empty() && settled.contains("n = f32[5,4]"), "{settled}");
    }

    #[test]
    fn a_change_follows_a_long_chain_in_one_pass() {
        let lines: Vec<String> =
            (1..2_000).map(|i| format!("  x{i} = f32[2] negate(x{})\n", i - 1)).collect();
        let lines = lines.concat();
        let text = format!(
            "HloModule m\nENTRY e {{\n  x0 = f32[3] parameter(0)\n{lines}  ROOT r = f32[2] add(x0, x1999)\n}}\n"
        );
        let module = xla_hlo::parse(&text).module;
        assert_eq!(followed(module, Edition::Now).len(), 2_000);
        let (settled, parsed) = settle(&text, Edition::Now);
        assert!(parsed.diagnostics.is_empty() && !settled.contains("f32[2]"), "{:?}", parsed.diagnostics);
    }

    #[test]
    fn a_change_in_a_called_computation_follows_to_its_call() {
        let text = "HloModule m c { a = f32[3] parameter(0) ROOT n = f32[2] negate(a) }
            ENTRY e { x = f32[3] parameter(0) ROOT r = f32[2] call(x), to_apply=c }";
        let (settled, parsed) = settle(text, Edition::Now);
        assert!(
            parsed.diagnostics.is_empty() && !settled.contains("f32[2]"),
            "{settled} {:?}",
            parsed.diagnostics
        );
    }

    #[test]
    fn attributes_come_and_go() {
        let text = "HloModule m  ENTRY e { x = f32[2] parameter(0) ROOT c = pred[2] compare(x, x), direction=LT, type=FLOAT }";
        let c = instruction(&xla_hlo::parse(text).module, "c");
        let without = attribute(text, &c, "type", "").unwrap();
        assert!(without.ends_with("direction=LT }"), "{without}");
        let c = instruction(&xla_hlo::parse(&without).module, "c");
        assert_eq!(attribute(&without, &c, "type", "FLOAT").unwrap(), text);
        assert!(without_root(text, &c).unwrap().contains("parameter(0) c = pred"));
    }
}
