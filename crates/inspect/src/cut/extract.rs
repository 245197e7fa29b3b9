//! Cuts a selection out: determines its closure and its results, and builds its program.

use std::collections::BTreeSet;

use super::closure::{Selection, closure};
use super::program::Builder;
use super::types::{Cut, CutError, CutOptions, Results};
use xla_hlo::{Computation, InstructionId, Module};
use xla_ops::{ComputationId, Data};

/// Cuts a selection of instructions of a computation out of a module.
///
/// Instructions that only make sense together with selected ones are included: the first half of an asynchronous pair, and
/// instructions that produce tokens. `value` returns the recorded value of an instruction, if it is known. A single result is the
/// root, several are a tuple in the order of the instructions.
///
/// ```
/// use std::collections::BTreeSet;
/// use xla_inspect::cut::{CutOptions, Results, cut};
///
/// let text = "HloModule m ENTRY e { x = f32[2] parameter(0) y = negate(x) z = exponential(y) ROOT w = add(z, y) }";
/// let module = xla_hlo::parse(text).into_module().unwrap();
/// let entry = module.entry.unwrap();
/// let selection = BTreeSet::from([xla_hlo::InstructionId(2)]);
/// let options = CutOptions::default();
/// let found = cut(&module, entry, &selection, &Results::Used, &options, |_| None).unwrap();
/// assert!(found.program.module.to_string().contains("ROOT z = f32[2]{0} exponential(y)"));
/// ```
pub fn cut(
    module: &Module,
    computation: ComputationId,
    selection: &BTreeSet<InstructionId>,
    results: &Results,
    options: &CutOptions,
    value: impl FnMut(InstructionId) -> Option<Data>,
) -> Result<Cut, CutError> {
    let body = module.get(computation).ok_or(CutError::Nothing)?;
    let selected = closure(body, selection);
    let results = result_instructions(body, &selected, results);
    if results.is_empty() {
        return Err(CutError::Nothing);
    }
    Builder::new(module, body, options, value).build(&selected, &results)
}

/// The results in the order of the instructions.
fn result_instructions(
    computation: &Computation,
    selected: &Selection,
    results: &Results,
) -> Vec<InstructionId> {
    let count = computation.instructions.len();
    let (mut is_used_inside, mut is_used_outside) = (vec![false; count], vec![false; count]);
    for (id, instruction) in computation.iter() {
        let users = if selected.contains(id) { &mut is_used_inside } else { &mut is_used_outside };
        for operand in &instruction.operands {
            if let Some(is_used) = users.get_mut(operand.index()) {
                *is_used = true;
            }
        }
    }
    let is_result = |id: &InstructionId| {
        let is_used = |users: &[bool]| users.get(id.index()) == Some(&true);
        let is_wanted = match results {
            Results::Used => is_used(&is_used_outside) || computation.root == Some(*id),
            Results::Selected(ids) => ids.contains(id),
        };
        is_wanted || !is_used(&is_used_inside)
    };
    selected.iter().filter(is_result).collect()
}
