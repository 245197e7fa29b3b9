//! Calls, loops and conditionals: computations inlined, with jumps between their steps.

use std::collections::BTreeSet;

use super::Lowering;
use super::unsupported::{Reason, Unsupported};
use crate::array::{Array, Location, ValueTree};
use crate::step::{Action, Loop};
use xla_array::Shape;
use xla_hlo::Instruction;
use xla_ops::{AttrValue, ComputationId};

impl Lowering<'_> {
    fn computation_of(&self, instruction: &Instruction, attr: &str) -> Result<ComputationId, Unsupported> {
        match instruction.attrs.get(attr) {
            Some(AttrValue::Computation(id)) => Ok(*id),
            _ => Err(self.unsupported(Reason::Invalid)),
        }
    }

    /// Lowers a computation that an instruction calls, in its place.
    fn inline_call(&mut self, id: ComputationId, arguments: &[ValueTree]) -> Result<ValueTree, Unsupported> {
        self.call_depth += 1;
        let result = self.lower_computation(id, arguments);
        self.call_depth -= 1;
        result
    }

    /// Lowers an instruction that calls computations. Rejects ops that need the host or other devices.
    pub(super) fn lower_control_flow(
        &mut self,
        instruction: &Instruction,
        operands: &[ValueTree],
    ) -> Result<ValueTree, Unsupported> {
        match instruction.opcode.as_str() {
            "call" => self.inline_call(self.computation_of(instruction, "to_apply")?, operands),
            "fusion" => self.inline_call(self.computation_of(instruction, "calls")?, operands),
            "while" => self.lower_while(instruction, operands),
            "conditional" => self.lower_conditional(instruction, operands),
            _ => Err(self.unsupported(Reason::Effect)),
        }
    }

    /// Creates values with the layouts of a shape, without a step that writes them.
    fn new_values(&mut self, shape: &Shape) -> Result<ValueTree, Unsupported> {
        Ok(match shape {
            Shape::Array(shape) => ValueTree::Array(self.new_value(shape, Location::Allocated, false)?),
            Shape::Tuple(elements) => ValueTree::Tuple(
                elements.iter().map(|element| self.new_values(element)).collect::<Result<_, _>>()?,
            ),
            Shape::Token => ValueTree::Token,
            Shape::Opaque | Shape::Buffer(_) => return Err(self.unsupported(Reason::Shape)),
        })
    }

    /// Moves the results of a loop body or branch to `to`. A value that the body or branch has computed (id ≥ `first_local`) is
    /// swapped with its target; any other value is copied first.
    fn assign_results(
        &mut self,
        from: &ValueTree,
        to: &ValueTree,
        first_local: usize,
    ) -> Result<(), Unsupported> {
        let (from, to) = (from.arrays(), to.arrays());
        if from.len() != to.len() {
            return Err(self.unsupported(Reason::Invalid));
        }
        let mut swapped = BTreeSet::new();
        let mut swaps = Vec::new();
        for (from, to) in from.iter().zip(&to) {
            let from = &Array { shape: to.shape.clone(), ..from.clone() };
            let info = self.value_info(from.value);
            let is_whole = from.is_whole(&info);
            if from.value == to.value && is_whole {
                continue;
            }
            let is_local = info.location == Location::Allocated && from.value.0 >= first_local;
            let from = if is_local && is_whole && swapped.insert(from.value) {
                from.value
            } else {
                self.emit_copy(from)?.value
            };
            swaps.push(Action::Swap(from, to.value));
        }
        for swap in swaps {
            self.emit_into(swap, Vec::new(), Vec::new())?;
        }
        Ok(())
    }

    fn lower_while(
        &mut self,
        instruction: &Instruction,
        operands: &[ValueTree],
    ) -> Result<ValueTree, Unsupported> {
        let condition = self.computation_of(instruction, "condition")?;
        let body = self.computation_of(instruction, "body")?;
        let [init] = operands else { return Err(self.unsupported(Reason::Invalid)) };
        let state = self.new_values(&instruction.shape)?;
        for (from, to) in init.arrays().iter().zip(state.arrays()) {
            self.emit_initialize(from, &to)?;
        }
        let (start, first_local) = (self.lowered.steps.len(), self.lowered.values.len());
        self.control_depth += 1;
        let continues = self.inline_call(condition, std::slice::from_ref(&state))?;
        let continues = continues.as_array().cloned().ok_or_else(|| self.unsupported(Reason::Invalid))?;
        let exit = self.emit_into(Action::JumpUnless(usize::MAX), vec![continues], Vec::new())?;
        let next = self.inline_call(body, std::slice::from_ref(&state))?;
        self.assign_results(&next, &state, first_local)?;
        let end = self.emit_into(Action::Jump(start), Vec::new(), Vec::new())?;
        self.control_depth -= 1;
        self.lowered.steps[exit].action = Action::JumpUnless(end + 1);
        self.lowered.loops.push(Loop { start, exit, end });
        Ok(state)
    }

    fn lower_conditional(
        &mut self,
        instruction: &Instruction,
        operands: &[ValueTree],
    ) -> Result<ValueTree, Unsupported> {
        let branches = match instruction.attrs.get("branch_computations") {
            Some(AttrValue::Computations(ids)) => ids.clone(),
            _ => vec![
                self.computation_of(instruction, "true_computation")?,
                self.computation_of(instruction, "false_computation")?,
            ],
        };
        let Some((ValueTree::Array(branch_index), arguments)) = operands.split_first() else {
            return Err(self.unsupported(Reason::Invalid));
        };
        let result = self.new_values(&instruction.shape)?;
        let switch =
            self.emit_into(Action::Switch(Vec::new()), vec![branch_index.clone()], result.arrays())?;
        let (mut targets, mut ends) = (Vec::new(), Vec::new());
        self.control_depth += 1;
        for (id, argument) in branches.iter().zip(arguments) {
            targets.push(self.lowered.steps.len());
            let first_local = self.lowered.values.len();
            let value = self.inline_call(*id, std::slice::from_ref(argument))?;
            self.assign_results(&value, &result, first_local)?;
            ends.push(self.emit_into(Action::Jump(usize::MAX), Vec::new(), Vec::new())?);
        }
        self.control_depth -= 1;
        let next_step = self.lowered.steps.len();
        for end in ends {
            self.lowered.steps[end].action = Action::Jump(next_step);
        }
        self.lowered.steps[switch].action = Action::Switch(targets);
        Ok(result)
    }
}
