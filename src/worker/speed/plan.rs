//! The rows of a measurement: variants, sizes and layouts, grouped by what is sampled interleaved.

use std::cell::RefCell;
use std::rc::Rc;

use super::timing::worker_counts;
use crate::cause::Cause;
use crate::hlo::eval::kernel::Build;
use crate::state::speed::measurement::Way;
use crate::state::speed::ops::Kind;
use crate::state::speed::{Setup, View};
use crate::worker::kernels::KernelModule;

/// The most bytes of all layouts that are sampled interleaved.
const MAX_GROUP_BYTES: u64 = 256 << 20;

/// A row to measure: a variant at a size or in a layout.
pub struct Candidate {
    pub way: Way,
    /// The index of the size or layout.
    pub point: u32,
    pub setup: Setup,
    /// The layouts of the setup's arrays, if layouts are compared.
    pub orders: Option<Vec<Vec<usize>>>,
}

/// The rows of a job, in groups that are sampled interleaved.
pub fn groups(setup: &Setup, cores: u32) -> Vec<Vec<Candidate>> {
    let candidate =
        |way, point, setup: &Setup, orders| Candidate { way, point, setup: setup.clone(), orders };
    match setup.view {
        View::Ways => {
            let mut ways = vec![Way::Reference, Way::Scalar, Way::Strict, Way::Fast];
            if setup.op.kind == Kind::Dot {
                ways.extend(worker_counts(cores).into_iter().map(Way::Workers));
            }
            vec![ways.into_iter().map(|way| candidate(way, 0, setup, None)).collect()]
        }
        View::Sizes => {
            let ways = [Way::Scalar, Way::Strict, Way::Fast];
            let sweep = (0..).zip(setup.sweep());
            sweep
                .map(|(i, (_, setup))| ways.iter().map(|way| candidate(*way, i, &setup, None)).collect())
                .collect()
        }
        View::Layouts => {
            let layouts_per_group =
                usize::try_from(MAX_GROUP_BYTES / setup.bytes().max(1)).unwrap_or(usize::MAX).max(2);
            let numbered: Vec<_> = (0..).zip(setup.orders()).collect();
            let group = |part: &[(u32, Vec<Vec<usize>>)]| {
                let rows = part.iter();
                rows.map(|(i, orders)| candidate(Way::Strict, *i, setup, Some(orders.clone()))).collect()
            };
            numbered.chunks(layouts_per_group).map(group).collect()
        }
    }
}

/// A module, or why it is not available.
type Loaded = RefCell<Result<Rc<KernelModule>, Cause>>;

/// The kernel modules of a measurement.
pub struct Modules {
    /// Whether this worker must not start others.
    pub spawn_disabled: bool,
    scalar: Option<Loaded>,
    strict: Loaded,
    fast: Loaded,
}

impl Modules {
    /// Loads the modules that a view needs.
    pub async fn load(view: View, spawn_disabled: bool) -> Self {
        let only_strict = view == View::Layouts;
        let load = async |build| RefCell::new(KernelModule::load(build).await.map(Rc::new));
        Self {
            spawn_disabled,
            strict: load(Build::Strict).await,
            scalar: if only_strict { None } else { Some(load(Build::Scalar).await) },
            fast: load(Build::Fast).await,
        }
    }

    fn slot(&self, way: Way) -> &Loaded {
        match (way, &self.scalar) {
            (Way::Scalar, Some(scalar)) => scalar,
            (Way::Fast, _) => &self.fast,
            _ => &self.strict,
        }
    }

    /// The module of a variant.
    ///
    /// # Errors
    /// Why it is not available.
    pub fn get(&self, way: Way) -> Result<Rc<KernelModule>, Cause> {
        self.slot(way).borrow().clone()
    }

    /// Replaces a crashed instance for the rows that follow.
    pub fn restart(&self, way: Way) {
        let restarted = self.get(way).and_then(|module| module.restarted());
        drop(self.slot(way).replace(restarted.map(Rc::new)));
    }
}
