//! The state of a builder: adds and removes instructions, imports computations, and finishes the module.

use smallvec::SmallVec;

use crate::module::{
    Computation, Instruction, InstructionId, InstructionSpans, MAX_NESTING_DEPTH, Module, computation_id,
};
use crate::order::unique_names;
use crate::verify;
use xla_array::{ElementType, Shape, validate};
use xla_messages::i18n::Message;
use xla_ops::{AttrValue, Attrs, ComputationId, OpDef, OpError, OpPart};

/// The source of an instruction's shape.
#[derive(Clone, Copy)]
pub(super) enum ShapeSource<'a> {
    /// Inferred, as for an instruction whose shape is omitted in HLO text.
    Inferred,
    /// Given by the caller, and checked.
    Given(&'a Shape),
    /// Inferred by the op's rule, for an op whose shape HLO text must state.
    InferredByOp,
}

/// The sizes of a [`BuilderState`], to restore it.
#[derive(Clone, Copy)]
pub(super) struct Snapshot {
    instructions: usize,
    computations: usize,
    token: Option<InstructionId>,
}

/// A computation under construction.
#[derive(Debug)]
pub(super) struct BuilderState {
    /// The module of the called computations.
    pub module: Module,
    /// The original names of the called computations, before they were made unique.
    original_names: Vec<String>,
    /// The instructions so far.
    pub body: Computation,
    /// The token of the last infeed.
    pub token: Option<InstructionId>,
}

/// Converts a name to a valid HLO name: letters, digits, `_`, `.` and `-`, not beginning with a digit, and not a
/// reserved word. An empty name becomes `default`.
fn identifier(name: &str, default: &str) -> String {
    let is_valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let mut text: String = name.chars().map(|c| if is_valid(c) { c } else { '_' }).collect();
    let reserved = ["token", "opaque", "ROOT", "ENTRY", "HloModule", "true", "false", "inf", "nan", "b"];
    let is_reserved = reserved.contains(&text.as_str()) || ElementType::from_name(&text).is_some();
    if text.is_empty() {
        default.clone_into(&mut text);
    } else if is_reserved || !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        text.insert(0, '_');
    }
    text
}

/// The name, with a number suffix of at least `first_suffix` if it is in use.
fn unique(name: &str, first_suffix: usize, is_taken: impl Fn(&str) -> bool) -> String {
    let (mut unique, mut suffix) = (name.to_owned(), first_suffix);
    while is_taken(&unique) {
        unique = format!("{name}.{suffix}");
        suffix += 1;
    }
    unique
}

/// Whether two computations are equal, except for their names and spans.
fn is_equivalent(a: &Computation, b: &Computation) -> bool {
    let is_equal = |(a, b): (&Instruction, &Instruction)| {
        a.name == b.name
            && a.opcode == b.opcode
            && a.shape == b.shape
            && a.operands == b.operands
            && a.attrs == b.attrs
            && a.annotations == b.annotations
    };
    a.root == b.root
        && a.instructions.len() == b.instructions.len()
        && a.instructions.iter().zip(&b.instructions).all(is_equal)
}

impl BuilderState {
    pub(super) fn new(name: &str) -> Self {
        let name = identifier(name, "computation");
        let body = Computation { name: name.clone(), ..Computation::default() };
        Self { module: Module { name, ..Module::default() }, original_names: Vec::new(), body, token: None }
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

    pub(super) fn restore(&mut self, snapshot: Snapshot) {
        self.body.instructions.truncate(snapshot.instructions);
        self.module.computations.truncate(snapshot.computations);
        self.original_names.truncate(snapshot.computations);
        self.token = snapshot.token;
    }

    /// Checks an instruction and adds it.
    pub(super) fn push(
        &mut self,
        op: &'static dyn OpDef,
        operands: SmallVec<[InstructionId; 3]>,
        attrs: Attrs,
        shape: ShapeSource,
        edition: xla_array::Edition,
    ) -> Result<InstructionId, OpError> {
        let opcode = op.meta().opcode;
        check_attrs(op, &attrs)?;
        let index = self.body.instructions.len();
        let id = InstructionId::from_index(index);
        let callee_depth =
            attrs.computations().filter_map(|id| Some(self.module.get(id)?.depth)).max().unwrap_or(0);
        if callee_depth >= MAX_NESTING_DEPTH {
            let message = Message::ops("hlo-too-deep").with("limit", MAX_NESTING_DEPTH);
            return Err(OpError::new(opcode, "hlo-depth", message));
        }
        let mut instruction = Instruction {
            name: format!("{opcode}.{index}"),
            opcode: opcode.to_owned(),
            op: Some(op),
            shape: Shape::tuple([]),
            is_invalid: false,
            operands,
            attrs,
            annotations: Vec::new(),
            spans: InstructionSpans::default(),
        };
        let operands = Module::operand_shapes(&self.body, &instruction);
        let infer = |written| {
            let cx = self.module.infer(&instruction, &operands, written, edition);
            cx.ok_or_else(|| {
                OpError::new(opcode, "hlo-opcode", Message::ops("hlo-opcode").with("opcode", opcode))
            })
        };
        let shape = match shape {
            ShapeSource::Inferred => xla_ops::check(op, &infer(None)?)?,
            ShapeSource::Given(shape) => {
                validate::shape(shape)
                    .map_err(|error| OpError::new(opcode, error.rule, error.message).at(OpPart::Result))?;
                xla_ops::check(op, &infer(Some(shape))?)?
            }
            ShapeSource::InferredByOp => {
                // The placeholder passes the check that a shape is written; `infer` does not read it.
                let cx = infer(Some(&instruction.shape))?;
                let shape = xla_ops::rules::infer(op, &cx)?;
                xla_ops::since::check_shape(&cx, &shape)?;
                shape
            }
        };
        instruction.shape = shape;
        self.body.instructions.push(instruction);
        Ok(id)
    }

    /// Renames an instruction, to a valid name similar to `name`.
    pub(super) fn rename(&mut self, id: InstructionId, name: &str) {
        if let Some(instruction) = self.body.instructions.get_mut(id.index()) {
            instruction.name = identifier(name, &instruction.name);
        }
    }

    /// Adds the computations of a module and returns the id of its entry.
    pub(super) fn import(&mut self, imported: &Module) -> Result<ComputationId, OpError> {
        let missing = || OpError::new("builder", "hlo-entry", Message::ops("hlo-no-entry"));
        let entry = imported.entry.ok_or_else(missing)?;
        let mut new_ids: Vec<ComputationId> = Vec::new();
        for computation in &imported.computations {
            let mut copy = computation.clone();
            for instruction in &mut copy.instructions {
                instruction.attrs = with_new_ids(&instruction.attrs, &new_ids);
                instruction.spans = InstructionSpans::default();
            }
            copy.span = xla_messages::diagnostic::Span::default();
            let existing = self
                .module
                .computations
                .iter()
                .zip(&self.original_names)
                .position(|(other, name)| *name == copy.name && is_equivalent(other, &copy));
            let index = existing.unwrap_or(self.module.computations.len());
            new_ids.push(computation_id(index));
            if existing.is_none() {
                self.original_names.push(copy.name.clone());
                copy.name =
                    unique(&identifier(&copy.name, "region"), index, |name| self.module.find(name).is_some());
                self.module.computations.push(copy);
            }
        }
        new_ids.get(entry.0 as usize).copied().ok_or_else(missing)
    }

    /// Builds the module with this computation as its entry.
    pub(super) fn finish(mut self, root: Option<InstructionId>) -> Result<Module, OpError> {
        if let Some(error) = verify::number_parameters(&mut self.body).into_iter().next() {
            return Err(OpError::new("builder", error.rule, error.message));
        }
        let last = self.body.instructions.len().checked_sub(1).map(InstructionId::from_index);
        self.body.root = root.or(last);
        let callees = self.body.instructions.iter().flat_map(|i| i.attrs.computations());
        let callee_depth = callees.filter_map(|id| Some(self.module.get(id)?.depth)).max().unwrap_or(0);
        self.body.depth = 1 + callee_depth;
        let names = self.body.instructions.iter().map(|i| (i.name.as_str(), i.opcode.as_str()));
        let names = unique_names(names);
        for (instruction, name) in self.body.instructions.iter_mut().zip(names) {
            instruction.name = name;
        }
        let (name, index) = (std::mem::take(&mut self.body.name), self.module.computations.len());
        self.body.name = unique(&name, index, |name| self.module.find(name).is_some());
        let mut module = self.module;
        module.entry = Some(computation_id(module.computations.len()));
        module.computations.push(self.body);
        match verify::check_infeed_order(&module).into_iter().next() {
            Some(error) => {
                Err(OpError::new("builder", error.rule, error.message)
                    .with_hint(Message::ops("hlo-hint-token")))
            }
            None => Ok(module),
        }
    }
}

/// Replaces the ids of called computations by their new ids.
fn with_new_ids(attrs: &Attrs, new_ids: &[ComputationId]) -> Attrs {
    let new_id = |id: ComputationId| new_ids.get(id.0 as usize).copied().unwrap_or(id);
    attrs.iter().fold(Attrs::new(), |attrs, (name, value)| {
        let value = match value {
            AttrValue::Computation(id) => AttrValue::Computation(new_id(*id)),
            AttrValue::Computations(ids) => {
                AttrValue::Computations(ids.iter().map(|id| new_id(*id)).collect())
            }
            other => other.clone(),
        };
        attrs.with(name, value)
    })
}

/// Checks that the op has these attributes, and that their values have the right kind.
fn check_attrs(op: &dyn OpDef, attrs: &Attrs) -> Result<(), OpError> {
    let meta = op.meta();
    for (name, value) in attrs.iter() {
        if meta.attr(name).is_some_and(|spec| spec.kind.accepts(value)) {
            continue;
        }
        let names =
            meta.attrs.iter().chain(&meta.inline_attr).map(|spec| spec.name).collect::<Vec<_>>().join(", ");
        let message = Message::ops("builder-attribute")
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
    fn names_become_valid_hlo_names() {
        for (name, expected) in [
            ("x", "x"),
            ("", "op"),
            ("2x", "_2x"),
            ("f32", "_f32"),
            ("a b", "a_b"),
            ("ROOT", "_ROOT"),
            ("é", "_"),
        ] {
            assert_eq!(identifier(name, "op"), expected);
        }
        assert_eq!(unique("a", 7, |name| ["a", "a.7"].contains(&name)), "a.8");
    }
}
