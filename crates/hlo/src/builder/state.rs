//! A computation while it is built: how an instruction is added, taken back, and the module finished.

use smallvec::SmallVec;

use crate::module::{Computation, Instruction, InstructionId, InstructionSpans, Module};
use crate::order::unique_names;
use crate::parser::MAX_NESTING_DEPTH;
use crate::verify;
use xla_array::{ElementType, Shape, validate};
use xla_messages::i18n::Message;
use xla_ops::{At, AttrValue, Attrs, ComputationId, OpDef, OpError};

/// What is said of an instruction's shape.
#[derive(Clone, Copy)]
pub(super) enum Shaped<'a> {
    /// Nothing.
    Inferred,
    /// This.
    As(&'a Shape),
    /// Nothing, though HLO text must write it; the op infers it all the same.
    Unwritten,
}

/// How much there was of a computation.
#[derive(Clone, Copy)]
pub(super) struct Snapshot {
    instructions: usize,
    computations: usize,
    token: Option<InstructionId>,
}

/// A computation while it is built.
#[derive(Debug)]
pub(super) struct State {
    /// The computations it calls; it is not among them yet.
    pub module: Module,
    /// The names those had before they were made unique.
    names: Vec<String>,
    /// The instructions so far.
    pub body: Computation,
    /// The token of the last infeed.
    pub token: Option<InstructionId>,
}

/// A name that HLO text can write: letters, digits, `_`, `.` and `-`, not beginning with a digit, and no word that
/// means something.
fn identifier(name: &str, otherwise: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let mut text: String = name.chars().map(|c| if is_part(c) { c } else { '_' }).collect();
    let words = ["token", "opaque", "ROOT", "ENTRY", "HloModule", "true", "false", "inf", "nan", "b"];
    let is_word = words.contains(&text.as_str()) || ElementType::from_name(&text).is_some();
    if text.is_empty() {
        otherwise.clone_into(&mut text);
    } else if is_word || !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        text.insert(0, '_');
    }
    text
}

/// The name, or, where it is taken, the name with a number behind it, from this one on.
fn unique(name: &str, from: usize, is_taken: impl Fn(&str) -> bool) -> String {
    let (mut free, mut number) = (name.to_owned(), from);
    while is_taken(&free) {
        free = format!("{name}.{number}");
        number += 1;
    }
    free
}

/// Whether two computations say the same, names and places in the text apart.
fn same(a: &Computation, b: &Computation) -> bool {
    let same = |(a, b): (&Instruction, &Instruction)| {
        a.name == b.name
            && a.opcode == b.opcode
            && a.shape == b.shape
            && a.operands == b.operands
            && a.attrs == b.attrs
            && a.annotations == b.annotations
    };
    a.root == b.root
        && a.instructions.len() == b.instructions.len()
        && a.instructions.iter().zip(&b.instructions).all(same)
}

impl State {
    pub(super) fn new(name: &str) -> Self {
        let name = identifier(name, "computation");
        let body = Computation { name: name.clone(), ..Computation::default() };
        Self { module: Module { name, ..Module::default() }, names: Vec::new(), body, token: None }
    }

    pub(super) fn shape(&self, id: InstructionId) -> Option<&Shape> {
        self.body.get(id).map(|instruction| &instruction.shape)
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot {
            instructions: self.body.instructions.len(),
            computations: self.module.computations.len(),
            token: self.token,
        }
    }

    pub(super) fn restore(&mut self, to: Snapshot) {
        self.body.instructions.truncate(to.instructions);
        self.module.computations.truncate(to.computations);
        self.names.truncate(to.computations);
        self.token = to.token;
    }

    /// Checks an instruction and adds it.
    pub(super) fn push(
        &mut self,
        op: &'static dyn OpDef,
        operands: SmallVec<[InstructionId; 3]>,
        attrs: Attrs,
        shaped: Shaped,
        edition: xla_array::Edition,
    ) -> Result<InstructionId, OpError> {
        let opcode = op.meta().opcode;
        check_kinds(op, &attrs)?;
        let number = self.body.instructions.len();
        // Memory ends before the numbers do.
        let id = InstructionId(u32::try_from(number).unwrap_or(u32::MAX));
        let deepest =
            attrs.computations().filter_map(|id| Some(self.module.get(id)?.depth)).max().unwrap_or(0);
        if deepest >= MAX_NESTING_DEPTH {
            let message = Message::engine("hlo-too-deep").with("limit", MAX_NESTING_DEPTH);
            return Err(OpError::new(opcode, "hlo-depth", message));
        }
        let mut instruction = Instruction {
            name: format!("{opcode}.{number}"),
            opcode: opcode.to_owned(),
            op: Some(op),
            shape: Shape::tuple([]),
            is_broken: false,
            operands,
            attrs,
            annotations: Vec::new(),
            spans: InstructionSpans::default(),
        };
        let of = Module::operand_shapes(&self.body, &instruction);
        let infer = |written| {
            let cx = self.module.infer(&instruction, &of, written, edition);
            cx.ok_or_else(|| {
                OpError::new(opcode, "hlo-opcode", Message::engine("hlo-opcode").with("opcode", opcode))
            })
        };
        let shape = match shaped {
            Shaped::Inferred => xla_ops::check(op, &infer(None)?)?,
            Shaped::As(shape) => {
                validate::shape(shape)
                    .map_err(|found| OpError::new(opcode, found.rule, found.message).at(At::Result))?;
                xla_ops::check(op, &infer(Some(shape))?)?
            }
            Shaped::Unwritten => {
                // What stands there is not looked at by an op that infers.
                let cx = infer(Some(&instruction.shape))?;
                cx.check_count()?;
                cx.check_attrs()?;
                op.infer(&cx)?
            }
        };
        instruction.shape = shape;
        self.body.instructions.push(instruction);
        Ok(id)
    }

    /// Gives an instruction the name the caller wants, or one like it.
    pub(super) fn rename(&mut self, id: InstructionId, name: &str) {
        if let Some(instruction) = self.body.instructions.get_mut(id.index()) {
            instruction.name = identifier(name, &instruction.name);
        }
    }

    /// Adds the computations of a module; gives the number of its entry.
    pub(super) fn import(&mut self, from: &Module) -> Result<ComputationId, OpError> {
        let missing = || OpError::new("builder", "hlo-entry", Message::engine("hlo-no-entry"));
        let entry = from.entry.ok_or_else(missing)?;
        let mut numbers: Vec<ComputationId> = Vec::new();
        for computation in &from.computations {
            let mut moved = computation.clone();
            for instruction in &mut moved.instructions {
                instruction.attrs = renumbered(&instruction.attrs, &numbers);
                instruction.spans = InstructionSpans::default();
            }
            moved.span = xla_messages::diagnostic::Span::default();
            let there = self
                .module
                .computations
                .iter()
                .zip(&self.names)
                .position(|(other, name)| *name == moved.name && same(other, &moved));
            let number = there.unwrap_or(self.module.computations.len());
            numbers.push(ComputationId(u32::try_from(number).unwrap_or(u32::MAX)));
            if there.is_none() {
                self.names.push(moved.name.clone());
                moved.name = unique(&identifier(&moved.name, "region"), number, |name| {
                    self.module.find(name).is_some()
                });
                self.module.computations.push(moved);
            }
        }
        numbers.get(entry.0 as usize).copied().ok_or_else(missing)
    }

    /// The module, of which this is the entry.
    pub(super) fn finish(mut self, root: Option<InstructionId>) -> Result<Module, OpError> {
        if let Some(told) = verify::computation(&mut self.body).into_iter().next() {
            return Err(OpError::new("builder", told.rule, told.message));
        }
        let last = self.body.instructions.len().checked_sub(1).and_then(|n| u32::try_from(n).ok());
        self.body.root = root.or(last.map(InstructionId));
        let callees = self.body.instructions.iter().flat_map(|i| i.attrs.computations());
        let deepest = callees.filter_map(|id| Some(self.module.get(id)?.depth)).max().unwrap_or(0);
        self.body.depth = 1 + deepest;
        let names = self.body.instructions.iter().map(|i| (i.name.as_str(), i.opcode.as_str()));
        let names = unique_names(names);
        for (instruction, name) in self.body.instructions.iter_mut().zip(names) {
            instruction.name = name;
        }
        let (name, number) = (std::mem::take(&mut self.body.name), self.module.computations.len());
        self.body.name = unique(&name, number, |name| self.module.find(name).is_some());
        let mut module = self.module;
        module.entry = u32::try_from(module.computations.len()).ok().map(ComputationId);
        module.computations.push(self.body);
        match verify::streams(&module).into_iter().next() {
            Some(told) => {
                Err(OpError::new("builder", told.rule, told.message)
                    .advise(Message::engine("hlo-hint-token")))
            }
            None => Ok(module),
        }
    }
}

/// The attributes with the numbers that computations have now.
fn renumbered(attrs: &Attrs, numbers: &[ComputationId]) -> Attrs {
    let of = |id: ComputationId| numbers.get(id.0 as usize).copied().unwrap_or(id);
    attrs.iter().fold(Attrs::new(), |attrs, (name, value)| {
        let value = match value {
            AttrValue::Computation(id) => AttrValue::Computation(of(*id)),
            AttrValue::Computations(ids) => AttrValue::Computations(ids.iter().map(|id| of(*id)).collect()),
            other => other.clone(),
        };
        attrs.with(name, value)
    })
}

/// That every attribute is one the op takes, of the kind it takes.
fn check_kinds(op: &dyn OpDef, attrs: &Attrs) -> Result<(), OpError> {
    let meta = op.meta();
    for (name, value) in attrs.iter() {
        if meta.attr(name).is_some_and(|spec| spec.kind.takes(value)) {
            continue;
        }
        let names =
            meta.attrs.iter().chain(&meta.argument).map(|spec| spec.name).collect::<Vec<_>>().join(", ");
        let message = Message::engine("builder-attribute")
            .with("op", meta.opcode)
            .with("name", name)
            .with("value", value.to_string())
            .with("allowed", names);
        return Err(OpError::new(meta.opcode, "builder-attribute", message).at_attr(name));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_can_be_written() {
        for (name, want) in [
            ("x", "x"),
            ("", "op"),
            ("2x", "_2x"),
            ("f32", "_f32"),
            ("a b", "a_b"),
            ("ROOT", "_ROOT"),
            ("é", "_"),
        ] {
            assert_eq!(identifier(name, "op"), want);
        }
        assert_eq!(unique("a", 7, |name| ["a", "a.7"].contains(&name)), "a.8");
    }
}
