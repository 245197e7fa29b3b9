//! The cases of a measurement: implementations, sizes and layouts, in groups that are sampled interleaved.

use std::cell::RefCell;
use std::rc::Rc;

use super::timing::worker_counts;
use crate::cause::Cause;
use crate::hlo::eval::kernel::Build;
use crate::state::speed::measurement::Implementation;
use crate::state::speed::ops::Kind;
use crate::state::speed::{Setup, View};
use crate::worker::kernels::KernelModule;

/// Maximum number of bytes of all layouts that are sampled interleaved.
const MAX_GROUP_BYTES: u64 = 256 << 20;

/// A case to measure: an implementation at a size or in a layout.
pub struct Case {
    pub implementation: Implementation,
    /// The index of the size or layout.
    pub point: u32,
    pub setup: Setup,
    /// The layouts of the setup's arrays, if layouts are compared.
    pub orders: Option<Vec<Vec<usize>>>,
}

/// The cases of a job, in groups that are sampled interleaved.
pub fn groups(setup: &Setup, cores: u32) -> Vec<Vec<Case>> {
    let case = |implementation, point, setup: &Setup, orders| Case {
        implementation,
        point,
        setup: setup.clone(),
        orders,
    };
    match setup.view {
        View::Implementations => {
            let mut implementations = vec![
                Implementation::Reference,
                Implementation::Scalar,
                Implementation::Strict,
                Implementation::Fast,
            ];
            if setup.op.kind == Kind::Dot {
                implementations.extend(worker_counts(cores).into_iter().map(Implementation::Workers));
            }
            vec![
                implementations
                    .into_iter()
                    .map(|implementation| case(implementation, 0, setup, None))
                    .collect(),
            ]
        }
        View::Sizes => {
            let implementations = [Implementation::Scalar, Implementation::Strict, Implementation::Fast];
            let sweep = (0..).zip(setup.sweep());
            sweep
                .map(|(i, (_, setup))| {
                    implementations
                        .iter()
                        .map(|implementation| case(*implementation, i, &setup, None))
                        .collect()
                })
                .collect()
        }
        View::Layouts => {
            // Tiny setups are not divided.
            let layouts_per_group =
                usize::try_from(MAX_GROUP_BYTES / setup.bytes().max(1)).unwrap_or(usize::MAX).max(2);
            let numbered: Vec<_> = (0..).zip(setup.orders()).collect();
            let group = |part: &[(u32, Vec<Vec<usize>>)]| {
                let layouts = part.iter();
                layouts
                    .map(|(i, orders)| case(Implementation::Strict, *i, setup, Some(orders.clone())))
                    .collect()
            };
            numbered.chunks(layouts_per_group).map(group).collect()
        }
    }
}

/// A module, or why it is not available.
type LoadResult = RefCell<Result<Rc<KernelModule>, Cause>>;

/// The kernel modules of a measurement.
pub struct Modules {
    /// Whether this worker must not start others.
    pub spawn_disabled: bool,
    scalar: Option<LoadResult>,
    strict: LoadResult,
    fast: LoadResult,
}

impl Modules {
    /// Loads the modules that a view needs.
    pub async fn load(view: View, spawn_disabled: bool) -> Self {
        let needs_only_strict = view == View::Layouts;
        let load = async |build| RefCell::new(KernelModule::load(build).await.map(Rc::new));
        Self {
            spawn_disabled,
            strict: load(Build::Simd).await,
            scalar: if needs_only_strict { None } else { Some(load(Build::Scalar).await) },
            fast: load(Build::RelaxedSimd).await,
        }
    }

    fn slot(&self, implementation: Implementation) -> &LoadResult {
        match (implementation, &self.scalar) {
            (Implementation::Scalar, Some(scalar)) => scalar,
            (Implementation::Fast, _) => &self.fast,
            _ => &self.strict,
        }
    }

    /// The module of an implementation.
    ///
    /// # Errors
    /// Why it is not available.
    pub fn get(&self, implementation: Implementation) -> Result<Rc<KernelModule>, Cause> {
        self.slot(implementation).borrow().clone()
    }

    /// Replaces a crashed instance for the cases that follow.
    pub fn restart(&self, implementation: Implementation) {
        let restarted = self.get(implementation).and_then(|module| module.new_instance());
        drop(self.slot(implementation).replace(restarted.map(Rc::new)));
    }
}
