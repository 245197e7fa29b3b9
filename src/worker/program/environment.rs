//! The environment of a run: the facilities of its worker.

use std::rc::Rc;

use super::planned::LoadPlans;
use super::wire::RunProgress;
use crate::hlo::eval::kernel::Kernels;

/// The environment of a run.
pub struct Environment<'a> {
    /// The kernels that may compute large ops.
    pub kernels: Option<Rc<dyn Kernels>>,
    /// Returns the time in milliseconds.
    pub clock: fn() -> f64,
    /// Receives progress about ten times a second.
    pub report: Rc<dyn Fn(RunProgress)>,
    /// Loads the module that runs large programs.
    pub plans: LoadPlans<'a>,
}
