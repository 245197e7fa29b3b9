//! The program of a run: a module, with its bindings cached on first use.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::regions::Regions;
use super::values::{RUN, run_error};
use crate::module::{Computation, Instruction, InstructionId, Module};
use crate::order::{effect, effects};
use xla_array::literal::{LiteralError, LiteralTemplate};
use xla_array::{ArrayShape, Edition};
use xla_messages::i18n::Message;
use xla_ops::{ComputationId, Effect, OpError, Semantics};

/// The error of a computation that does not exist.
pub(super) fn missing_computation() -> OpError {
    run_error("region-missing", Message::ops("op-region-missing"))
}

/// A module in an edition, and its cached bindings.
pub(super) struct Program<'r> {
    pub module: &'r Module,
    pub edition: Edition,
    regions: Regions<'r>,
    /// The semantics of each instruction, by computation.
    semantics: Vec<Vec<Option<Arc<Semantics>>>>,
    /// Per instruction, the prepared memory layout of its last result shape.
    templates: BTreeMap<(ComputationId, InstructionId), LiteralTemplate>,
    /// The side effect of each computation.
    effects: Vec<Effect>,
    /// Per computation, whether each instruction has to run.
    needed: Vec<Option<Rc<[bool]>>>,
}

impl<'r> Program<'r> {
    pub fn new(module: &'r Module, edition: Edition) -> Self {
        Self {
            module,
            edition,
            regions: Regions::new(module),
            semantics: vec![Vec::new(); module.computations.len()],
            templates: BTreeMap::new(),
            effects: effects(module),
            needed: vec![None; module.computations.len()],
        }
    }

    /// The side effect of an instruction.
    pub fn effect(&self, instruction: &Instruction) -> Effect {
        effect(instruction, &self.effects)
    }

    /// Whether each instruction has to run: the result needs its value, or it has an effect on the host.
    pub fn needed(&mut self, id: ComputationId, computation: &Computation) -> Rc<[bool]> {
        let cached = self.needed.get(id.0 as usize).cloned().flatten();
        cached.unwrap_or_else(|| {
            let mut needed = vec![false; computation.instructions.len()];
            if let Some(root) = computation.root {
                needed[root.index()] = true;
            }
            for (position, instruction) in computation.instructions.iter().enumerate().rev() {
                needed[position] |= effect(instruction, &self.effects) > Effect::Rendezvous;
                if needed[position] {
                    for operand in &instruction.operands {
                        needed[operand.index()] = true;
                    }
                }
            }
            let needed: Rc<[bool]> = needed.into();
            if let Some(slot) = self.needed.get_mut(id.0 as usize) {
                *slot = Some(needed.clone());
            }
            needed
        })
    }

    /// The semantics of an instruction, and whether it was bound by this call.
    pub fn semantics(
        &mut self,
        computation: ComputationId,
        id: InstructionId,
        instruction: &Instruction,
    ) -> Result<(Arc<Semantics>, bool), OpError> {
        let module = self.module;
        let parent = module.get(computation).ok_or_else(missing_computation)?;
        let cached = self.semantics.get_mut(computation.0 as usize).ok_or_else(missing_computation)?;
        cached.resize(parent.instructions.len(), None);
        if let Some(semantics) = cached.get(id.index()).and_then(Option::as_ref) {
            return Ok((semantics.clone(), false));
        }
        let op = instruction.op.ok_or_else(|| {
            let message = Message::ops("hlo-opcode").with("opcode", instruction.opcode.as_str());
            run_error("hlo-opcode", message)
        })?;
        let shapes = Module::operand_shapes(parent, instruction);
        let cx = self.regions.infer(instruction, &shapes, Some(&instruction.shape), self.edition);
        Ok((Arc::new(xla_ops::bind(op, &cx.ok_or_else(missing_computation)?)?), true))
    }

    /// Caches the semantics of an instruction.
    pub fn cache_semantics(
        &mut self,
        computation: ComputationId,
        id: InstructionId,
        semantics: &Arc<Semantics>,
    ) {
        let cached = self.semantics.get_mut(computation.0 as usize);
        if let Some(slot) = cached.and_then(|cached| cached.get_mut(id.index())) {
            *slot = Some(semantics.clone());
        }
    }

    /// The prepared memory layout of a result shape, cached if the instruction has run with this shape before.
    pub fn template(
        &mut self,
        at: (ComputationId, InstructionId),
        shape: &ArrayShape,
    ) -> Result<LiteralTemplate, LiteralError> {
        if let Some(template) = self.templates.get(&at).filter(|template| template.shape() == shape) {
            return Ok(template.clone());
        }
        let template = LiteralTemplate::new(shape.clone())?;
        self.templates.insert(at, template.clone());
        Ok(template)
    }

    /// The opcode of an instruction; [`RUN`] if it is unknown.
    pub fn opcode(&self, (computation, id): (ComputationId, InstructionId)) -> &'static str {
        let instruction = self.module.get(computation).and_then(|computation| computation.get(id));
        instruction.and_then(|instruction| instruction.op).map_or(RUN, |op| op.meta().opcode)
    }
}
