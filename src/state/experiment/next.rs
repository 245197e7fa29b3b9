//! The ops that can be applied to the result of an experiment.

use super::super::document::ValueRule;
use super::append::append;
use super::arguments::{Field, invalid_fields};
use super::{Experiment, adapt, edit};
use crate::diagnostic::Diagnostic;
use crate::hlo::Module;
use crate::i18n::Message;
use crate::ops::{self, Category, OpDef, OpMeta};

/// An op, and the experiment with it applied to the result, or the reason why it cannot be.
#[derive(Clone, Debug)]
pub struct NextOp {
    /// The metadata of the op.
    pub meta: &'static OpMeta,
    /// The extended experiment, or the reason.
    pub outcome: Result<Experiment, Message>,
}

/// Every op with an operand, in the order of titles and opcodes.
pub fn next_ops(experiment: &Experiment, module: &Module) -> Vec<NextOp> {
    let mut found: Vec<NextOp> = ops::all()
        .filter(|op| can_follow(op.meta()))
        .map(|op| NextOp { meta: op.meta(), outcome: apply_op(experiment, module, op) })
        .collect();
    found.sort_by_key(|next| (next.meta.title.to_lowercase(), next.meta.opcode.len()));
    found
}

fn can_follow(meta: &OpMeta) -> bool {
    let has_operand = !meta.operands.fixed.is_empty() || meta.operands.rest.is_some();
    has_operand && !meta.examples.is_empty() && !matches!(meta.category, Category::Source | Category::Tuple)
}

/// The experiment with an op applied to its result: the first adapted example without an error. The reason is the
/// error of the first one.
pub fn apply_op(
    experiment: &Experiment,
    module: &Module,
    op: &'static dyn OpDef,
) -> Result<Experiment, Message> {
    let root = module.entry_computation().and_then(|entry| entry.root_instruction());
    let mut reason = None;
    for candidate in root.map(|root| adapt::candidates(op, &root.shape)).unwrap_or_default() {
        let Some(next) = append(experiment, module, (&candidate.experiment, candidate.operand)) else {
            continue;
        };
        let (text, parsed) = edit::reinfer_shapes(&next.text, next.edition);
        match parsed.error() {
            None => return Ok(with_readable_values(Experiment { text, ..next }, &parsed.module)),
            Some(error) => drop(reason.get_or_insert_with(|| reason_of(error))),
        }
    }
    Err(reason.unwrap_or_else(|| Message::ops("chain-no-operand")))
}

/// The error of an adapted example as a reason. Errors in instructions that the example adds around the op are replaced:
/// the user has not seen their names and values.
fn reason_of(error: &Diagnostic) -> Message {
    match error.rule {
        "hlo-async-operand" | "hlo-single-user" => Message::ops("chain-pair"),
        rule if rule.starts_with("literal-") => Message::ops("chain-constant"),
        _ => error.message.clone(),
    }
}

/// Replaces values of the example that the parameter's type cannot represent, such as -inf for integers, by 0, 1, 2 …
fn with_readable_values(mut experiment: Experiment, module: &Module) -> Experiment {
    for field in invalid_fields(&experiment, module) {
        if let Field::Parameter { replica: 0, number } = field.field {
            experiment.set_values(number, ValueRule::Iota);
        }
    }
    experiment
}
