//! A selection of instructions as a program of its own: a reproducer that computes the same values.
//!
//! The values that the selection captures become parameters, with their recorded values as arguments, or constants if they
//! are small. The result is printed and parsed again, so that it has passed every check.
//!
//! [`shrink`] reduces a program step by step by cutting.

mod assemble;
mod closure;
mod program;
pub mod shrink;

use std::collections::{BTreeMap, BTreeSet};

use self::closure::{Selection, close};
use self::program::Builder;
use xla_hlo::{Computation, InstructionId, Module};
use xla_messages::diagnostic::Diagnostic;
use xla_ops::{ComputationId, Data};

/// What a cut-out consists of.
#[derive(Clone, Debug, PartialEq)]
pub struct CutOptions {
    /// Captured values with at most this many elements become constants; 0 makes all of them parameters. Captured
    /// constants of any size stay constants.
    pub max_constant_elements: i64,
    /// Whether annotations and the tables of source locations are kept.
    pub keeps_annotations: bool,
}

impl Default for CutOptions {
    fn default() -> Self {
        Self { max_constant_elements: 16, keeps_annotations: true }
    }
}

/// A program with its arguments.
#[derive(Clone, Debug)]
pub struct Program {
    /// The module, without errors.
    pub module: Module,
    /// The argument of each parameter of the entry computation; `None` if its value is not known.
    pub arguments: Vec<Option<Data>>,
}

impl Program {
    /// The arguments, if all of them are known.
    pub fn known_arguments(&self) -> Option<Vec<Data>> {
        self.arguments.iter().cloned().collect()
    }
}

/// A program that was cut out, and where its instructions come from.
#[derive(Clone, Debug)]
pub struct Cut {
    /// The program.
    pub program: Program,
    /// For each instruction of the entry computation, the one that it was cut from or whose value it captures; `None` for
    /// the tuple of the results.
    pub origins: Vec<Option<InstructionId>>,
}

impl Cut {
    /// The instructions of the entry computation by what they were cut from.
    pub fn by_origin(&self) -> BTreeMap<InstructionId, InstructionId> {
        let pairs = (0..).map(InstructionId).zip(&self.origins);
        pairs.filter_map(|(id, origin)| Some(((*origin)?, id))).collect()
    }
}

/// Why nothing can be cut out.
#[derive(Clone, Debug, PartialEq)]
pub enum CutError {
    /// There is no such computation, or nothing of it is selected.
    Nothing,
    /// The program is not valid: an instruction needs others that are not selected. With its text.
    Invalid(Box<Diagnostic>, String),
}

/// The results of a cut-out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Results {
    /// The selected instructions that others use, and those that nothing uses.
    Used,
    /// These, as far as they are selected, and those that nothing selected uses.
    Of(BTreeSet<InstructionId>),
}

/// Cuts a selection of instructions of a computation out of a module.
///
/// Instructions that only make sense together with selected ones are included: the first half of an asynchronous pair, and
/// what makes a token. `value` returns the recorded value of an instruction, if it is known. A single result is the root,
/// several are a tuple in the order of the instructions.
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
    let selected = close(body, selection);
    let results = results_of(body, &selected, results);
    if results.is_empty() {
        return Err(CutError::Nothing);
    }
    Builder::new(module, body, options, value).build(&selected, &results)
}

/// The results in the order of the instructions.
fn results_of(computation: &Computation, selected: &Selection, results: &Results) -> Vec<InstructionId> {
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
            Results::Of(ids) => ids.contains(id),
        };
        is_wanted || !is_used(&is_used_inside)
    };
    selected.iter().filter(is_result).collect()
}

#[cfg(test)]
mod tests;
