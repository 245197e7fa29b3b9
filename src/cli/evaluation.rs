//! Runs a whole module: as a plan if plans support it and only the result is needed, else by the evaluator. Both run large
//! instructions by kernels, with bit-identical results.

use std::rc::Rc;

use crate::array::{Edition, Literal};
use crate::hlo::eval::kernel::{InProcess, MIN_KERNEL_WORK};
use crate::hlo::{EvalError, Evaluator, Host, Limits, Module, Observer};
use crate::plan::{Options, Plan, RunError, Runner};

/// The result of a module.
pub(super) fn evaluate_module(
    module: &Module,
    edition: Edition,
    limits: Limits,
    host: &Host,
    observer: &mut dyn Observer,
    arguments: Vec<Literal>,
) -> Result<Literal, EvalError> {
    if edition == Edition::Current
        && !observer.wants_all()
        && let Ok(plan) = Plan::compile(module, Options::default())
    {
        let arguments: Vec<&Literal> = arguments.iter().collect();
        match Runner::new(Rc::new(plan)).run(&arguments, limits, Some(&mut *observer)) {
            Ok(literal) => return Ok(literal),
            // Within little memory the evaluator may do without the copy of the result.
            Err(RunError::Failed(error)) if error.error.rule != "budget-bytes" => return Err(error),
            Err(_) => {}
        }
    }
    let kernels = Rc::new(InProcess::default());
    let evaluator = Evaluator::new(module).edition(edition).limits(limits).host(host);
    evaluator.kernels(kernels, MIN_KERNEL_WORK).observer(observer).run_owned(arguments)
}
