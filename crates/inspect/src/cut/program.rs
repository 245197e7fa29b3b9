//! Builds the entry computation of a cut-out: its inputs, its instructions, its root.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::assemble::assemble;
use super::closure::Selection;
use super::types::{Cut, CutError, CutOptions, Program};
use xla_array::Shape;
use xla_array::literal::slots_of;
use xla_hlo::{Computation, Instruction, InstructionId, Module};
use xla_ops::{AttrValue, Attrs, Data};

pub(super) struct Builder<'m, V> {
    module: &'m Module,
    computation: &'m Computation,
    options: &'m CutOptions,
    value: V,
    instructions: Vec<Instruction>,
    origins: Vec<Option<InstructionId>>,
    arguments: Vec<Option<Data>>,
    ids: BTreeMap<InstructionId, InstructionId>,
}

impl<'m, V: FnMut(InstructionId) -> Option<Data>> Builder<'m, V> {
    pub fn new(module: &'m Module, computation: &'m Computation, options: &'m CutOptions, value: V) -> Self {
        Self {
            module,
            computation,
            options,
            value,
            instructions: Vec::new(),
            origins: Vec::new(),
            arguments: Vec::new(),
            ids: BTreeMap::new(),
        }
    }

    pub fn build(mut self, selected: &Selection, results: &[InstructionId]) -> Result<Cut, CutError> {
        for id in self.inputs(selected) {
            self.input(id, selected.contains(id));
        }
        for id in selected.iter() {
            if !self.ids.contains_key(&id)
                && let Some(instruction) = self.computation.get(id)
            {
                let mut instruction = instruction.clone();
                for operand in &mut instruction.operands {
                    *operand = self.ids.get(operand).copied().unwrap_or_default();
                }
                instruction.annotations = self.annotations(&instruction, selected);
                self.push(instruction, Some(id));
            }
        }
        let root = self.root(results);
        self.finish(root)
    }

    /// The values that become parameters or constants: parameters by number, then captured values in order.
    fn inputs(&self, selected: &Selection) -> Vec<InstructionId> {
        let mut used: BTreeSet<InstructionId> = BTreeSet::new();
        for id in selected.iter() {
            let operands = self.computation.get(id).map_or(&[][..], |i| &i.operands);
            used.extend(operands.iter().filter(|operand| !selected.contains(**operand)));
            used.extend(self.computation.parameters.contains(&id).then_some(id));
        }
        let parameters = self.computation.parameters.iter().copied().filter(|id| used.contains(id));
        let mut inputs: Vec<InstructionId> = parameters.collect();
        let parameters: BTreeSet<InstructionId> = inputs.iter().copied().collect();
        inputs.extend(used.into_iter().filter(|id| !parameters.contains(id)));
        inputs
    }

    fn push(&mut self, instruction: Instruction, origin: Option<InstructionId>) -> InstructionId {
        let id = InstructionId(u32::try_from(self.instructions.len()).unwrap_or(u32::MAX));
        self.instructions.push(instruction);
        self.origins.push(origin);
        if let Some(origin) = origin {
            self.ids.insert(origin, id);
        }
        id
    }

    /// Adds an input: a constant if it is one, or if its value is known and small, else a parameter.
    fn input(&mut self, id: InstructionId, is_selected: bool) {
        let Some(original) = self.computation.get(id) else { return };
        let is_constant = original.opcode == "constant";
        let is_parameter = original.opcode == "parameter";
        let value = if is_constant { None } else { (self.value)(id) };
        let mut instruction = original.clone();
        instruction.operands.clear();
        let is_small = slots_of(&original.shape) <= self.options.max_constant_elements;
        let may_be_constant = !is_parameter && !is_selected && is_small && is_array(&original.shape);
        if is_constant {
            instruction.annotations = self.plain_annotations(original);
        } else if let Some(data) = value.as_ref().filter(|_| may_be_constant) {
            instruction.annotations.clear();
            let literal = AttrValue::Literal(Arc::new(data.to_literal()));
            become_source(&mut instruction, "constant", Attrs::new().with("literal", literal));
        } else {
            instruction.annotations =
                if is_parameter { self.plain_annotations(original) } else { Vec::new() };
            let number = i64::try_from(self.arguments.len()).unwrap_or(i64::MAX);
            let attrs = Attrs::new().with("parameter_number", AttrValue::Int(number));
            become_source(&mut instruction, "parameter", attrs);
            self.arguments.push(value);
        }
        self.push(instruction, Some(id));
    }

    /// The annotations to keep, without those that name instructions.
    fn plain_annotations(&self, instruction: &Instruction) -> Vec<(String, String)> {
        let kept = instruction.annotations.iter().filter(|(name, _)| {
            instruction.op.is_none() || self.options.keeps_annotations && name != "control-predecessors"
        });
        kept.cloned().collect()
    }

    /// The annotations to keep, with the control predecessors that are selected.
    fn annotations(&self, instruction: &Instruction, selected: &Selection) -> Vec<(String, String)> {
        let mut kept = self.plain_annotations(instruction);
        let control = instruction.annotation("control-predecessors").unwrap_or_default();
        if self.options.keeps_annotations && !control.is_empty() {
            let names: BTreeSet<&str> = control.split(|c: char| "{}%, ".contains(c)).collect();
            let known = selected.iter().filter_map(|id| Some(self.computation.get(id)?.name.as_str()));
            let known: Vec<String> = known
                .filter(|name| !name.is_empty() && names.contains(name))
                .map(|n| format!("%{n}"))
                .collect();
            if !known.is_empty() {
                kept.push(("control-predecessors".to_owned(), format!("{{{}}}", known.join(", "))));
            }
        }
        kept
    }

    /// The root: the only result, or a tuple of all.
    fn root(&mut self, results: &[InstructionId]) -> InstructionId {
        let operands: Vec<InstructionId> =
            results.iter().filter_map(|id| self.ids.get(id).copied()).collect();
        if let [only] = operands[..] {
            return only;
        }
        let shape_of = |id: &InstructionId| self.instructions.get(id.index()).map(|i| i.shape.clone());
        let tuple = Instruction {
            name: "results".to_owned(),
            opcode: "tuple".to_owned(),
            op: xla_ops::find("tuple"),
            shape: Shape::Tuple(operands.iter().filter_map(shape_of).collect()),
            is_invalid: false,
            operands: operands.into_iter().collect(),
            attrs: Attrs::new(),
            annotations: Vec::new(),
            spans: xla_hlo::module::InstructionSpans::default(),
        };
        self.push(tuple, None)
    }

    fn finish(self, root: InstructionId) -> Result<Cut, CutError> {
        let mut entry = Computation::default();
        entry.name.clone_from(&self.computation.name);
        entry.instructions = self.instructions;
        entry.root = Some(root);
        let (module, names) = assemble(self.module, entry, self.options.keeps_annotations)?;
        // The text has another order.
        let origin_of: BTreeMap<&String, Option<InstructionId>> = names.iter().zip(self.origins).collect();
        let entry = module.entry_computation().map_or(&[][..], |entry| &entry.instructions);
        let origins = entry.iter().map(|i| origin_of.get(&i.name).copied().flatten()).collect();
        Ok(Cut { program: Program { module, arguments: self.arguments }, origins })
    }
}

/// Makes an instruction a parameter or a constant of the same name and shape.
fn become_source(instruction: &mut Instruction, opcode: &'static str, attrs: Attrs) {
    opcode.clone_into(&mut instruction.opcode);
    instruction.op = xla_ops::find(opcode);
    instruction.attrs = attrs;
}

fn is_array(shape: &Shape) -> bool {
    shape.as_array().is_some_and(|array| array.dynamic.is_empty())
}
