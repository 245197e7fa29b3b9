//! Calls, loops and conditionals: computations inlined, with jumps between their steps.

use std::collections::BTreeSet;

use super::Lowering;
use super::unsupported::{Reason, Unsupported};
use crate::array::{Array, Location, Node};
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

    /// The steps of a computation that an instruction calls.
    fn inlined(&mut self, id: ComputationId, arguments: &[Node]) -> Result<Node, Unsupported> {
        self.calls += 1;
        let result = self.computation(id, arguments);
        self.calls -= 1;
        result
    }

    /// An instruction that calls computations. Rejects ops that need the host or other devices.
    pub(super) fn control(
        &mut self,
        instruction: &Instruction,
        operands: &[Node],
    ) -> Result<Node, Unsupported> {
        match instruction.opcode.as_str() {
            "call" => self.inlined(self.computation_of(instruction, "to_apply")?, operands),
            "fusion" => self.inlined(self.computation_of(instruction, "calls")?, operands),
            "while" => self.while_loop(instruction, operands),
            "conditional" => self.conditional(instruction, operands),
            _ => Err(self.unsupported(Reason::Effect)),
        }
    }

    /// New values in the layouts of a shape.
    fn allocate(&mut self, shape: &Shape) -> Result<Node, Unsupported> {
        Ok(match shape {
            Shape::Array(shape) => Node::Array(self.value(shape, Location::Allocated, false)?),
            Shape::Tuple(elements) => {
                Node::Tuple(elements.iter().map(|element| self.allocate(element)).collect::<Result<_, _>>()?)
            }
            Shape::Token => Node::Token,
            Shape::Opaque | Shape::Buffer(_) => return Err(self.unsupported(Reason::Shape)),
        })
    }

    /// Moves the results of a loop body or branch into `to`, by swapping buffers where the source is a local value (id ≥
    /// `first_local`), else by copying.
    fn assign_results(&mut self, from: &Node, to: &Node, first_local: usize) -> Result<(), Unsupported> {
        let (from, to) = (from.arrays(), to.arrays());
        if from.len() != to.len() {
            return Err(self.unsupported(Reason::Invalid));
        }
        let mut taken = BTreeSet::new();
        let mut swaps = Vec::new();
        for (from, to) in from.iter().zip(&to) {
            let from = &Array { shape: to.shape.clone(), ..from.clone() };
            let storage = self.storage(from.value);
            let is_whole = from.is_whole(&storage);
            if from.value == to.value && is_whole {
                continue;
            }
            let is_local = storage.location == Location::Allocated && from.value.0 >= first_local;
            let from = if is_local && is_whole && taken.insert(from.value) {
                from.value
            } else {
                self.copied(from)?.value
            };
            swaps.push(Action::Swap(from, to.value));
        }
        for swap in swaps {
            self.add_step(swap, Vec::new(), Vec::new())?;
        }
        Ok(())
    }

    fn while_loop(&mut self, instruction: &Instruction, operands: &[Node]) -> Result<Node, Unsupported> {
        let condition = self.computation_of(instruction, "condition")?;
        let body = self.computation_of(instruction, "body")?;
        let [init] = operands else { return Err(self.unsupported(Reason::Invalid)) };
        let state = self.allocate(&instruction.shape)?;
        for (from, to) in init.arrays().iter().zip(state.arrays()) {
            self.initialize(from, &to)?;
        }
        let (start, first_local) = (self.lowered.steps.len(), self.lowered.storages.len());
        self.depth += 1;
        let holds = self.inlined(condition, std::slice::from_ref(&state))?;
        let holds = holds.as_array().cloned().ok_or_else(|| self.unsupported(Reason::Invalid))?;
        let exit = self.add_step(Action::JumpUnless(usize::MAX), vec![holds], Vec::new())?;
        let next = self.inlined(body, std::slice::from_ref(&state))?;
        self.assign_results(&next, &state, first_local)?;
        let end = self.add_step(Action::Jump(start), Vec::new(), Vec::new())?;
        self.depth -= 1;
        self.lowered.steps[exit].action = Action::JumpUnless(end + 1);
        self.lowered.loops.push(Loop { start, exit, end });
        Ok(state)
    }

    fn conditional(&mut self, instruction: &Instruction, operands: &[Node]) -> Result<Node, Unsupported> {
        let branches = match instruction.attrs.get("branch_computations") {
            Some(AttrValue::Computations(ids)) => ids.clone(),
            _ => vec![
                self.computation_of(instruction, "true_computation")?,
                self.computation_of(instruction, "false_computation")?,
            ],
        };
        let Some((Node::Array(choice), arguments)) = operands.split_first() else {
            return Err(self.unsupported(Reason::Invalid));
        };
        let result = self.allocate(&instruction.shape)?;
        let switch = self.add_step(Action::Switch(Vec::new()), vec![choice.clone()], result.arrays())?;
        let (mut targets, mut ends) = (Vec::new(), Vec::new());
        self.depth += 1;
        for (id, argument) in branches.iter().zip(arguments) {
            targets.push(self.lowered.steps.len());
            let first_local = self.lowered.storages.len();
            let value = self.inlined(*id, std::slice::from_ref(argument))?;
            self.assign_results(&value, &result, first_local)?;
            ends.push(self.add_step(Action::Jump(usize::MAX), Vec::new(), Vec::new())?);
        }
        self.depth -= 1;
        let after = self.lowered.steps.len();
        for end in ends {
            self.lowered.steps[end].action = Action::Jump(after);
        }
        self.lowered.steps[switch].action = Action::Switch(targets);
        Ok(result)
    }
}
