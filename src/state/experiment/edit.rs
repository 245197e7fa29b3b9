//! Changes of one part of an HLO text that leave the rest as it was written.
//!
//! Every editor of the form ends here: it gives the text of one part, and the shapes that follow from it are put
//! right as the parser's own fixes say. Invariant: a text outside the changed parts is never touched.

use crate::array::Edition;
use crate::diagnostic::Span;
use crate::hlo::parser::parse_as;
use crate::hlo::{Instruction, Parsed};

/// Rounds of [`settle`]: a change of one shape can change those of all instructions below it.
const ROUNDS: usize = 256;
/// Bytes that all rounds of [`settle`] read together, so that a long text is not read 256 times.
const MAX_READ: usize = 1 << 24;

/// Reads a text and applies the fixes of shapes that no longer follow from the operands, one after the other.
pub fn settle(text: &str, edition: Edition) -> (String, Parsed) {
    let mut text = text.to_owned();
    let mut parsed = parse_as(&text, edition);
    for _ in 0..ROUNDS.min(MAX_READ / text.len().max(1)) {
        let fix =
            parsed.diagnostics.iter().find(|d| d.rule == "result-differs").and_then(|d| d.hints.first());
        let Some(fixed) = fix.and_then(|hint| hint.apply(&text)).filter(|fixed| *fixed != text) else {
            break;
        };
        text = fixed;
        parsed = parse_as(&text, edition);
    }
    (text, parsed)
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
    use crate::hlo::Module;

    const TEXT: &str = "HloModule m\n\nENTRY e {\n  x = f32[2,3] parameter(0)\n  \
        t = f32[3,2] transpose(x), dimensions={1,0}\n  ROOT n = f32[3,2] negate(t)\n}\n";

    fn instruction(module: &Module, name: &str) -> Instruction {
        let entry = module.entry_computation().unwrap();
        entry.get(entry.find(name).unwrap()).unwrap().clone()
    }

    #[test]
    fn a_change_of_an_attribute_carries_through_to_the_shapes_below() {
        let module = crate::hlo::parse(TEXT).module;
        let changed = attribute(TEXT, &instruction(&module, "t"), "dimensions", "{0,1}").unwrap();
        let (settled, parsed) = settle(&changed, Edition::Now);
        assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
        assert_eq!(settled.matches("f32[2,3]").count(), 3, "{settled}");
        let wrong = attribute(TEXT, &instruction(&module, "t"), "dimensions", "{0,0}").unwrap();
        assert_eq!(settle(&wrong, Edition::Now).1.diagnostics.len(), 1);
    }

    #[test]
    fn a_change_of_a_parameter_s_shape_carries_through_too() {
        let module = crate::hlo::parse(TEXT).module;
        let changed = shape(TEXT, &instruction(&module, "x"), "f32[4,5]{0,1}").unwrap();
        let (settled, parsed) = settle(&changed, Edition::Now);
        assert!(parsed.diagnostics.is_empty() && settled.contains("n = f32[5,4]"), "{settled}");
    }

    #[test]
    fn attributes_come_and_go() {
        let text = "HloModule m  ENTRY e { x = f32[2] parameter(0) ROOT c = pred[2] compare(x, x), direction=LT, type=FLOAT }";
        let c = instruction(&crate::hlo::parse(text).module, "c");
        let without = attribute(text, &c, "type", "").unwrap();
        assert!(without.ends_with("direction=LT }"), "{without}");
        let c = instruction(&crate::hlo::parse(&without).module, "c");
        assert_eq!(attribute(&without, &c, "type", "FLOAT").unwrap(), text);
        assert!(without_root(text, &c).unwrap().contains("parameter(0) c = pred"));
    }
}
