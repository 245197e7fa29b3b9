//! What a run uses of the worker that it is in.

use std::rc::Rc;

use super::planned::LoadPlans;
use super::wire::RunProgress;
use crate::hlo::eval::kernel::Kernels;

/// The surroundings of a run.
pub struct Surroundings<'a> {
    /// The kernels that may compute large ops.
    pub kernels: Option<Rc<dyn Kernels>>,
    /// Milliseconds.
    pub clock: fn() -> f64,
    /// Called about ten times a second.
    pub report: Rc<dyn Fn(RunProgress)>,
    /// Loads the module that runs large programs.
    pub plans: LoadPlans<'a>,
}
