//! Computations as the ops see them: their signatures, and those on scalars compiled into a [`Region`].

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::module::{InstructionId, Module};
use xla_array::Edition;
use xla_messages::i18n::Message;
use xla_ops::Simple;
use xla_ops::{Body, ComputationId, Computations, OpError, Region, Signature};

/// The most steps that one run of a region takes: a cell cannot be interrupted.
const MAX_COST: u64 = 4096;

/// The instructions that a run of a computation on scalars takes, those of the computations it calls included, each as
/// often as it is called; more than [`MAX_COST`] counts as one more. Takes no more time than compiling the largest.
pub(super) fn cost(module: &Module, id: ComputationId) -> u64 {
    let callees = |id: ComputationId| {
        let instructions = module.get(id).map_or(&[][..], |computation| &computation.instructions);
        (instructions.len() as u64, instructions.iter().flat_map(|i| i.attrs.computations()))
    };
    let mut known: BTreeMap<ComputationId, u64> = BTreeMap::new();
    let mut open = vec![(id, false)];
    let mut seen = 0;
    while let Some((id, is_ready)) = open.pop() {
        if known.contains_key(&id) {
            continue;
        }
        let (own, called) = callees(id);
        if is_ready {
            let inner = called.filter_map(|callee| known.get(&callee));
            known.insert(id, inner.fold(own, |sum, cost| sum.saturating_add(*cost)));
            continue;
        }
        seen += own;
        if seen > MAX_COST {
            return MAX_COST + 1;
        }
        open.push((id, true));
        open.extend(called.map(|callee| (callee, false)));
    }
    known.get(&id).copied().unwrap_or(0).min(MAX_COST + 1)
}

/// Compiles a computation. Errors: `region-scalar` where a value other than a tuple that is the result is no
/// scalar, `region-size` where a run
/// takes too many steps, and those of binding.
pub(super) fn compile(module: &Module, id: ComputationId, edition: Edition) -> Result<Arc<Region>, OpError> {
    let missing = || OpError::new("call", "region-missing", Message::engine("op-region-missing"));
    let computation = module.get(id).ok_or_else(missing)?;
    let root = computation.root.ok_or_else(missing)?;
    let cost = cost(module, id);
    if cost > MAX_COST {
        let limit = i64::try_from(MAX_COST).unwrap_or(i64::MAX);
        return Err(OpError::new(
            "call",
            "region-size",
            Message::engine("op-region-size").with("limit", limit),
        ));
    }
    let mut region = Region::new(id, cost);
    // The step of each instruction; none for the tuple that is the result.
    let mut steps: Vec<Option<u32>> = Vec::new();
    for (number, instruction) in computation.iter() {
        let operands: Option<Vec<u32>> = instruction
            .operands
            .iter()
            .map(|operand| steps.get(operand.index()).copied().flatten())
            .collect();
        let scalar = instruction.shape.as_array().is_some_and(|array| array.rank() == 0);
        let op = instruction.op.ok_or_else(missing)?;
        let not_scalar = || {
            let message = Message::engine("op-region-scalar")
                .with("name", computation.name.as_str())
                .with("instruction", instruction.name.as_str())
                .with("shape", instruction.shape.human_string());
            OpError::new(op.meta().opcode, "region-scalar", message)
        };
        if !scalar {
            let is_result_tuple = number == root && instruction.opcode == "tuple";
            let Some(results) = operands.filter(|_| is_result_tuple) else { return Err(not_scalar()) };
            region.returns(results);
            steps.push(None);
            continue;
        }
        let shapes = Module::operand_shapes(computation, instruction);
        let cx = module.infer(instruction, &shapes, Some(&instruction.shape), edition).ok_or_else(missing)?;
        let step = match op.bind(&cx)? {
            Body::Parameter(number) => region.parameter(number),
            Body::Constant(data) => {
                let value = data.as_array().and_then(|array| array.get(&[])).ok_or_else(not_scalar)?;
                region.constant(value)
            }
            Body::Cell(body) => region.cell(body, operands.ok_or_else(not_scalar)?),
            Body::Cells(_) | Body::Whole(_) | Body::Calls(_) => return Err(not_scalar()),
        };
        steps.push(Some(step));
    }
    if let Some(step) = steps.get(root.index()).copied().flatten() {
        region.returns([step]);
    }
    Ok(Arc::new(region))
}

impl Computations for Module {
    fn signature(&self, id: ComputationId) -> Option<(&str, &Signature)> {
        let computation = self.get(id)?;
        Some((&computation.name, computation.signature()?))
    }

    fn region(&self, id: ComputationId, edition: Edition) -> Result<Arc<Region>, OpError> {
        compile(self, id, edition)
    }

    fn simple(&self, id: ComputationId) -> Option<Simple<'_>> {
        let computation = self.get(id)?;
        let root = computation.get(computation.root?)?;
        let [a, b] = root.operands.as_slice() else { return None };
        let number = |id: &InstructionId| computation.parameters.iter().position(|parameter| parameter == id);
        let parameters = [number(a)?, number(b)?];
        Some(Simple { opcode: root.op?.meta().opcode, attrs: &root.attrs, parameters })
    }
}
