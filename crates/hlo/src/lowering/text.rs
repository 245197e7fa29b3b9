//! Prints a lowered form as HLO text: new computations, instructions before the user's instruction, and its replacement.

use std::collections::{HashMap, HashSet};

use super::LoweredForm;
use super::forms::{EXISTING_PREFIX, INLINE_PREFIX};
use crate::lexer::{Lexer, TokenKind};
use crate::module::{Computation, Module};
use crate::printer::NamedPrinter;
use xla_array::Edition;
use xla_ops::ComputationId;

/// The names in use: those of the source, and those given to added instructions.
#[derive(Debug, Default)]
pub struct Names {
    taken: HashSet<String>,
    /// The last number given to each stem.
    numbers: HashMap<String, u64>,
}

impl Names {
    /// Every word of a source: a superset of its names.
    pub fn used_in(source: &str) -> Self {
        let mut lexer = Lexer::new(source);
        let mut taken = HashSet::new();
        loop {
            let next = lexer.next();
            match next.kind {
                TokenKind::End => return Self { taken, numbers: HashMap::new() },
                TokenKind::Name | TokenKind::AttrName | TokenKind::ParamName => {
                    taken.insert(lexer.text(next.span).trim_start_matches('%').to_owned());
                }
                _ => {}
            }
        }
    }

    /// An unused name: the stem and a number.
    pub fn fresh(&mut self, stem: &str) -> String {
        let number = self.numbers.entry(stem.to_owned()).or_default();
        loop {
            *number += 1;
            let name = format!("{stem}.{number}");
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// The text of a lowered form.
#[derive(Debug, PartialEq, Eq)]
pub struct Statements {
    /// Computations to be defined above.
    pub computations: Vec<String>,
    /// Instructions to be added before.
    pub before: Vec<String>,
    /// The shape to be written before the operation, if HLO text needs it.
    pub shape: Option<String>,
    /// The operation, from the opcode on.
    pub operation: String,
}

/// The computations that a form adds to the text: those it calls, without those that the text has.
fn added_computations(module: &Module, entry: &Computation) -> HashSet<ComputationId> {
    let mut found = HashSet::new();
    let mut worklist: Vec<&Computation> = vec![entry];
    while let Some(caller) = worklist.pop() {
        for id in caller.instructions.iter().flat_map(|i| i.attrs.computations()) {
            let callee = module.get(id).filter(|callee| !callee.name.starts_with(EXISTING_PREFIX));
            if let Some(callee) = callee.filter(|_| found.insert(id)) {
                worklist.push(callee);
            }
        }
    }
    found
}

/// Prints a form. `operands` are the names of its distinct operands, `original` is the module of the text. `None` only for a
/// module that the builder cannot build.
pub fn statements(
    form: &LoweredForm,
    operands: &[String],
    (original, edition): (&Module, Edition),
    names: &mut Names,
) -> Option<Statements> {
    let module = &form.module;
    let (entry_id, entry) = (module.entry?, module.entry_computation()?);
    let added = added_computations(module, entry);
    let computation_names = module.computations.iter().map(|computation| {
        let number =
            computation.name.strip_prefix(EXISTING_PREFIX).and_then(|number| number.parse::<usize>().ok());
        match number.and_then(|number| original.computations.get(number)) {
            Some(existing) => existing.name.clone(),
            None if computation.name.starts_with(INLINE_PREFIX) => names.fresh("region"),
            None => names.fresh(&computation.name),
        }
    });
    let computation_names: Vec<String> = computation_names.collect();
    let mut instruction_names: Vec<Vec<String>> = module
        .computations
        .iter()
        .map(|computation| computation.instructions.iter().map(|i| i.name.clone()).collect())
        .collect();
    let root = entry.root?;
    let entry_names = instruction_names.get_mut(entry_id.0 as usize)?;
    for (position, instruction) in entry.instructions.iter().enumerate() {
        let parameter = entry.parameters.iter().position(|id| id.index() == position);
        entry_names[position] = match parameter {
            Some(number) => operands.get(number)?.clone(),
            // The root keeps the user's name.
            None if position == root.index() => String::new(),
            None => names.fresh(&instruction.opcode),
        };
    }
    let printer = NamedPrinter::new(module, computation_names, instruction_names);
    let mut before = Vec::new();
    for (id, _) in entry.iter().filter(|(id, _)| *id != root && !entry.parameters.contains(id)) {
        before.push(printer.instruction(entry_id, id)?);
    }
    // HLO text must have the shapes that cannot be inferred from the operands.
    let instruction = entry.get(root)?;
    let shapes = Module::operand_shapes(entry, instruction);
    let inferred = module.infer(instruction, &shapes, None, edition).zip(instruction.op);
    let needs_shape = inferred.is_none_or(|(cx, op)| xla_ops::check(op, &cx).is_err());
    Some(Statements {
        computations: (0..)
            .map(ComputationId)
            .take(module.computations.len())
            .filter(|id| added.contains(id))
            .map(|id| printer.computation(id))
            .collect::<Option<_>>()?,
        before,
        shape: needs_shape.then(|| form.shape.human_string()),
        operation: printer.operation(entry_id, root)?,
    })
}
