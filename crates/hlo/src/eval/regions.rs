//! The computations of a module for the ops: signatures, and scalar computations compiled to a [`Region`].
//!
//! A region contains calls of other regions, so code that binds several instructions uses [`Regions`], which compiles each
//! computation once.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::values::run_error;
use crate::module::{Instruction, InstructionId, Module};
use xla_array::{Edition, Shape};
use xla_messages::bug::OrBug as _;
use xla_messages::i18n::Message;
use xla_ops::{
    ComputationId, Computations, OpContext, OpError, Region, Semantics, Signature, SingleBinaryOp,
};

/// Maximum number of steps of one application of a region: the computation of a cell cannot be interrupted.
const MAX_REGION_STEPS: u64 = 4096;

/// The instructions executed by one application of a scalar computation, including called computations, each as often
/// as it is called. Saturates at [`MAX_REGION_STEPS`] + 1, so that counting takes bounded time.
pub(super) fn step_count(module: &Module, id: ComputationId) -> u64 {
    let callees = |id: ComputationId| {
        let instructions = module.get(id).map_or(&[][..], |computation| &computation.instructions);
        (instructions.len() as u64, instructions.iter().flat_map(|i| i.attrs.computations()))
    };
    let mut step_counts: BTreeMap<ComputationId, u64> = BTreeMap::new();
    let mut worklist = vec![(id, false)];
    let mut visited_instructions = 0;
    while let Some((id, are_callees_known)) = worklist.pop() {
        if step_counts.contains_key(&id) {
            continue;
        }
        let (instructions, called) = callees(id);
        if are_callees_known {
            let callee_steps = called.filter_map(|callee| step_counts.get(&callee));
            step_counts.insert(id, callee_steps.fold(instructions, |sum, steps| sum.saturating_add(*steps)));
            continue;
        }
        visited_instructions += instructions;
        if visited_instructions > MAX_REGION_STEPS {
            return MAX_REGION_STEPS + 1;
        }
        worklist.push((id, true));
        worklist.extend(called.map(|callee| (callee, false)));
    }
    step_counts
        .get(&id)
        .copied()
        .or_bug(0, "a computation whose steps were not counted")
        .min(MAX_REGION_STEPS + 1)
}

/// A compiled region, or the error of its compilation.
type Compiled = Result<Arc<Region>, OpError>;

/// The computations of a module, with each region cached from its first use.
pub struct Regions<'m> {
    module: &'m Module,
    compiled: RefCell<BTreeMap<(ComputationId, Edition), Compiled>>,
}

impl<'m> Regions<'m> {
    /// The computations of a module; no region is compiled yet.
    pub fn new(module: &'m Module) -> Self {
        Self { module, compiled: RefCell::default() }
    }

    /// [`Module::infer`] on these computations.
    pub fn infer<'a>(
        &'a self,
        instruction: &'a Instruction,
        operands: &'a [&'a Shape],
        written: Option<&'a Shape>,
        edition: Edition,
    ) -> Option<OpContext<'a>> {
        let cx = self.module.infer(instruction, operands, written, edition)?;
        Some(OpContext { computations: self, ..cx })
    }
}

impl Computations for Regions<'_> {
    fn signature(&self, id: ComputationId) -> Option<(&str, &Signature)> {
        self.module.signature(id)
    }

    fn region(&self, id: ComputationId, edition: Edition) -> Result<Arc<Region>, OpError> {
        if let Some(known) = self.compiled.borrow().get(&(id, edition)) {
            return known.clone();
        }
        let region = compile(self, id, edition);
        self.compiled.borrow_mut().insert((id, edition), region.clone());
        region
    }

    fn single_binary_op(&self, id: ComputationId) -> Option<SingleBinaryOp<'_>> {
        self.module.single_binary_op(id)
    }
}

/// Compiles a scalar computation, and those that it calls.
///
/// # Errors
///
/// `region-scalar` if an instruction other than a root tuple is not a scalar, `region-size` if an application takes
/// more than [`MAX_REGION_STEPS`] steps, and the errors of binding.
fn compile(regions: &Regions, id: ComputationId, edition: Edition) -> Result<Arc<Region>, OpError> {
    let module = regions.module;
    let missing = || run_error("region-missing", Message::ops("op-region-missing"));
    let computation = module.get(id).ok_or_else(missing)?;
    let root = computation.root.ok_or_else(missing)?;
    let step_count = step_count(module, id);
    if step_count > MAX_REGION_STEPS {
        let message = Message::ops("op-region-size").with("limit", MAX_REGION_STEPS);
        return Err(run_error("region-size", message));
    }
    let mut region = Region::new(id, step_count);
    // The region's step of each instruction; `None` for a root tuple.
    let mut steps: Vec<Option<u32>> = Vec::new();
    for (id, instruction) in computation.iter() {
        let operands: Option<Vec<u32>> = instruction
            .operands
            .iter()
            .map(|operand| steps.get(operand.index()).copied().flatten())
            .collect();
        let is_scalar = instruction.shape.as_array().is_some_and(|array| array.rank() == 0);
        let op = instruction.op.ok_or_else(missing)?;
        let not_scalar = || {
            let message = Message::ops("op-region-scalar")
                .with("name", computation.name.as_str())
                .with("instruction", instruction.name.as_str())
                .with("shape", instruction.shape.human_string());
            OpError::new(op.meta().opcode, "region-scalar", message)
        };
        if !is_scalar {
            let is_root_tuple = id == root && instruction.opcode == "tuple";
            let Some(results) = operands.filter(|_| is_root_tuple) else { return Err(not_scalar()) };
            region.set_results(results);
            steps.push(None);
            continue;
        }
        let shapes = Module::operand_shapes(computation, instruction);
        let cx =
            regions.infer(instruction, &shapes, Some(&instruction.shape), edition).ok_or_else(missing)?;
        let step = match xla_ops::bind(op, &cx)? {
            Semantics::Parameter(number) => region.push_parameter(number),
            Semantics::Constant(data) => {
                let value = data.as_array().and_then(|array| array.get(&[])).ok_or_else(not_scalar)?;
                region.push_constant(value)
            }
            Semantics::PerElement(body) => region.push_op(body, operands.ok_or_else(not_scalar)?),
            Semantics::PerElementTuple(_) | Semantics::Eager(_) | Semantics::Suspending(_) => {
                return Err(not_scalar());
            }
        };
        steps.push(Some(step));
    }
    if let Some(step) = steps.get(root.index()).copied().flatten() {
        region.set_results([step]);
    }
    Ok(Arc::new(region))
}

impl Computations for Module {
    fn signature(&self, id: ComputationId) -> Option<(&str, &Signature)> {
        let computation = self.get(id)?;
        Some((&computation.name, computation.signature()?))
    }

    fn region(&self, id: ComputationId, edition: Edition) -> Result<Arc<Region>, OpError> {
        Regions::new(self).region(id, edition)
    }

    fn single_binary_op(&self, id: ComputationId) -> Option<SingleBinaryOp<'_>> {
        let computation = self.get(id)?;
        let root = computation.get(computation.root?)?;
        let [a, b] = root.operands.as_slice() else { return None };
        let parameter = |id: &InstructionId| computation.parameters.iter().position(|other| other == id);
        let parameters = [parameter(a)?, parameter(b)?];
        Some(SingleBinaryOp { opcode: root.op?.meta().opcode, attrs: &root.attrs, parameters })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests may panic")]

    use super::*;

    #[test]
    fn each_region_is_compiled_once() {
        let mut text = "HloModule m g0 { p = f32[] parameter(0) ROOT n = negate(p) }\n".to_owned();
        for level in 1..=9 {
            let below = level - 1;
            text.extend([format!(
                "g{level} {{ p = f32[] parameter(0) a = f32[] call(p), to_apply=g{below}
                ROOT b = f32[] call(a), to_apply=g{below} }}\n"
            )]);
        }
        let module = crate::parse(&(text + "ENTRY e { ROOT p = f32[] parameter(0) }")).into_module().unwrap();
        let regions = Regions::new(&module);
        let top = module.find("g9").unwrap();
        let region = regions.region(top, Edition::Current).unwrap();
        assert_eq!(regions.compiled.borrow().len(), 10);
        assert!(Arc::ptr_eq(&region, &regions.region(top, Edition::Current).unwrap()));
    }
}
