//! Appends an op to an experiment: its instructions as text, renamed if a name is in use.

use super::{Experiment, edit};
use crate::hlo::{Instruction, Module};

/// Applies the op of another experiment to the root of this one: the op's text, with one of its operands replaced by the root.
/// `None` if either has no root.
pub(super) fn append(
    experiment: &Experiment,
    module: &Module,
    (op, operand): (&Experiment, usize),
) -> Option<Experiment> {
    let entry = module.entry_computation()?;
    let root = entry.root_instruction()?;
    let parsed = crate::hlo::parse(&op.text);
    let other = parsed.module.entry_computation()?;
    let last = other.root_instruction()?;
    let mut next = experiment.clone();
    let text = edit::without_root(&next.text, root).unwrap_or_else(|| next.text.clone());
    // The end of the entry computation's body: it comes last.
    let end = text.rfind('}')?;
    let mut added = String::new();
    let is_taken = |name: &str| entry.find(name).is_some();
    let mut renames: Vec<(String, String)> = Vec::new();
    let first = last.operands.get(operand).and_then(|id| other.get(*id))?;
    renames.push((first.name.clone(), root.name.clone()));
    let mut index = entry.parameters.len();
    for (id, instruction) in other.iter() {
        if instruction.name == first.name {
            continue;
        }
        let mut name = instruction.name.clone();
        while is_taken(&name) || renames.iter().any(|(_, used)| *used == name) {
            name.push('_');
        }
        let mut line =
            op.text.get(instruction.spans.whole.range())?.trim_start_matches("ROOT").trim_start().to_owned();
        if let Some(parameter) = other.parameters.iter().position(|p| *p == id) {
            line = format!("{name} = {} parameter({index})", instruction.shape);
            next.set_values(index, op.values(parameter));
            index += 1;
        } else {
            line = rename(&line, instruction, &op.text, &name, &renames)?;
        }
        renames.push((instruction.name.clone(), name));
        added.push_str(if other.root == Some(id) { "  ROOT " } else { "  " });
        added.push_str(&line);
        added.push('\n');
    }
    next.text = format!("{}{added}{}", &text[..end], &text[end..]);
    next.document_entry.clear();
    next.select(String::new());
    Some(next)
}

/// The text of an instruction with its name and operands renamed.
fn rename(
    line: &str,
    instruction: &Instruction,
    source: &str,
    name: &str,
    renames: &[(String, String)],
) -> Option<String> {
    let spans = &instruction.spans;
    let head = spans.whole.end - line.len();
    let mut parts = vec![(spans.name, name.to_owned())];
    for span in &spans.operands {
        let operand = source.get(span.range())?;
        let new = renames.iter().rev().find(|(old, _)| old == operand.trim_start_matches('%'));
        parts.push((*span, new.map_or_else(|| operand.to_owned(), |(_, new)| new.clone())));
    }
    let mut out = String::new();
    let mut copied_to = head;
    for (span, text) in parts {
        out.push_str(source.get(copied_to..span.start)?);
        out.push_str(&text);
        copied_to = span.end;
    }
    out.push_str(source.get(copied_to..spans.whole.end)?);
    Some(out)
}
