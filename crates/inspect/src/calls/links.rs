//! The values on both sides of a call: the operands that each parameter of the callee takes, and the use of its result.

use xla_hlo::{Computation, Instruction, InstructionId, Module};

use super::{Call, CallGraph, InstructionRef, Role};
use xla_ops::{AttrValue, ComputationId};

/// How the value of a parameter derives from the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// The whole operand.
    Whole,
    /// One element or slice of the operand per application.
    Element,
    /// The operand in the first iteration or application, afterwards a result of the callee.
    Carried,
}

/// The operands that a parameter of a called computation takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterLink {
    /// The number of the parameter.
    pub number: u32,
    /// The parameter in the callee.
    pub parameter: InstructionId,
    /// The indices of the operands, mostly one.
    pub operands: Vec<u32>,
    /// How the parameter derives from them.
    pub passing: Passing,
}

/// The use of the result of a called computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultUse {
    /// It is the result of the calling instruction.
    Result,
    /// It is the result after the last iteration or application, and the next one's input before.
    Carried,
    /// It is an element or slice of the result.
    Element,
    /// It only controls the calling instruction: a condition, comparator or predicate.
    Control,
}

/// The links of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallLinks {
    /// The call.
    pub call: Call,
    /// The parameters with known operands, by number.
    pub parameters: Vec<ParameterLink>,
    /// The root of the callee.
    pub root: Option<InstructionId>,
    /// The use of its value.
    pub result: ResultUse,
}

/// The links of a call; `None` if it is not one of the module.
pub fn links(module: &Module, call: &Call) -> Option<CallLinks> {
    let instruction = module.get(call.site.caller)?.get(call.site.instruction)?;
    let callee = module.get(call.callee)?;
    let result = match call.role {
        Role::Fused | Role::Called | Role::Branch | Role::Other => ResultUse::Result,
        Role::Body | Role::Step | Role::Reducer => ResultUse::Carried,
        Role::Mapped => ResultUse::Element,
        Role::Condition | Role::Comparator | Role::Selector => ResultUse::Control,
    };
    let parameters = (0..).zip(&callee.parameters).filter_map(|(number, parameter)| {
        let (operands, passing) = parameter_operands(call, instruction, callee, number)?;
        let has_all = operands.iter().all(|operand| (*operand as usize) < instruction.operands.len());
        has_all.then_some(ParameterLink { number, parameter: *parameter, operands, passing })
    });
    Some(CallLinks { call: *call, parameters: parameters.collect(), root: callee.root, result })
}

/// The operands that parameter `number` of a call takes; `None` if they are unknown.
fn parameter_operands(
    call: &Call,
    instruction: &Instruction,
    callee: &Computation,
    number: u32,
) -> Option<(Vec<u32>, Passing)> {
    let operand_count = u32::try_from(instruction.operands.len()).ok()?;
    let parameter_count = u32::try_from(callee.parameters.len()).ok()?;
    let opcode = instruction.opcode.as_str();
    Some(match call.role {
        Role::Fused | Role::Called => (vec![number], Passing::Whole),
        Role::Mapped => (vec![number], Passing::Element),
        Role::Condition | Role::Body => (vec![0], Passing::Carried),
        // The first operand selects the branch.
        Role::Branch => (vec![call.site.callee_index.checked_add(1)?], Passing::Whole),
        Role::Step => {
            let Some(AttrValue::Int(carries)) = instruction.attrs.get("num_carries") else { return None };
            let inputs = i64::from(operand_count).checked_sub(*carries)?;
            (vec![number], if i64::from(number) < inputs { Passing::Element } else { Passing::Carried })
        }
        // Two elements of each operand.
        Role::Comparator => (vec![number / 2], Passing::Element),
        Role::Selector => (vec![0], Passing::Element),
        Role::Reducer => {
            let half = parameter_count / 2;
            let (is_accumulator, pair) = (number < half, number.checked_rem(half)?);
            match opcode {
                // Inputs, then initial values; the accumulators are the first parameters.
                "reduce" | "reduce-window" if is_accumulator => (vec![half + pair], Passing::Carried),
                // Arrays, indices, updates.
                "scatter" if is_accumulator => (vec![pair], Passing::Carried),
                "scatter" => (vec![half + 1 + pair], Passing::Element),
                // The array, the source, the initial value.
                "select-and-scatter" if is_accumulator => (vec![1], Passing::Element),
                "select-and-scatter" => (vec![2], Passing::Carried),
                // The elements of a reduction, or of a collective's replicas.
                _ => (vec![pair], Passing::Element),
            }
        }
        Role::Other => return None,
    })
}

/// The values that a parameter takes: for each call of its computation, the operands of the calling instruction.
pub fn arguments_of(
    module: &Module,
    calls: &CallGraph,
    (computation, parameter): InstructionRef,
    max_calls: usize,
) -> Vec<(Call, Vec<InstructionRef>)> {
    let arguments = |call: &Call| {
        let link = links(module, call)?.parameters.into_iter().find(|link| link.parameter == parameter)?;
        let instruction = module.get(call.site.caller)?.get(call.site.instruction)?;
        let operands = link.operands.iter().filter_map(|number| instruction.operands.get(*number as usize));
        Some((*call, operands.map(|operand| (call.site.caller, *operand)).collect()))
    };
    calls.callers(computation).filter_map(arguments).take(max_calls).collect()
}

/// The instructions that call a computation, whose results derive from its root.
pub fn calling_instructions(
    calls: &CallGraph,
    computation: ComputationId,
    max_calls: usize,
) -> Vec<InstructionRef> {
    calls.callers(computation).map(|call| call.site.instruction_ref()).take(max_calls).collect()
}
