//! The rows of a measurement: which ways, at which sizes and layouts, and which of them are sampled in turn.

use std::cell::RefCell;
use std::rc::Rc;

use super::timing::worker_counts;
use crate::cause::Cause;
use crate::hlo::eval::kernel::Build;
use crate::state::speed::measurement::Way;
use crate::state::speed::ops::Kind;
use crate::state::speed::{Setup, View};
use crate::worker::kernels::KernelModule;

/// Bytes of memory of layouts that are sampled in turn.
const MAX_GROUP_BYTES: u64 = 256 << 20;

/// A row to be measured: a way, at a size or in a layout.
pub struct Candidate {
    pub way: Way,
    /// The size or the layout, by its number.
    pub point: u32,
    pub setup: Setup,
    /// The layouts of the setup's arrays, where layouts are compared.
    pub orders: Option<Vec<Vec<usize>>>,
}

/// The rows of a job, in groups that are sampled in turn.
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
            sweep.map(|(i, (_, at))| ways.iter().map(|way| candidate(*way, i, &at, None)).collect()).collect()
        }
        View::Layouts => {
            let at_once =
                usize::try_from(MAX_GROUP_BYTES / setup.bytes().max(1)).unwrap_or(usize::MAX).max(2);
            let numbered: Vec<_> = (0..).zip(setup.orders()).collect();
            let group = |part: &[(u32, Vec<Vec<usize>>)]| {
                let rows = part.iter();
                rows.map(|(i, orders)| candidate(Way::Strict, *i, setup, Some(orders.clone()))).collect()
            };
            numbered.chunks(at_once).map(group).collect()
        }
    }
}

/// A module, or why there is none.
type Loaded = RefCell<Result<Rc<KernelModule>, Cause>>;

/// The kernel modules of a measurement.
pub struct Modules {
    /// Whether this worker must not start others.
    pub is_alone: bool,
    scalar: Option<Loaded>,
    strict: Loaded,
    fast: Loaded,
}

impl Modules {
    /// Loads those that a view needs.
    pub async fn load(view: View, is_alone: bool) -> Self {
        let only_strict = view == View::Layouts;
        let load = async |build| RefCell::new(KernelModule::load(build).await.map(Rc::new));
        Self {
            is_alone,
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

    /// The module of a way. Errors: why there is none.
    pub fn of(&self, way: Way) -> Result<Rc<KernelModule>, Cause> {
        self.slot(way).borrow().clone()
    }

    /// Takes a new instance for the rows that follow, after a crash.
    pub fn renew(&self, way: Way) {
        let restarted = self.of(way).and_then(|module| module.restarted());
        drop(self.slot(way).replace(restarted.map(Rc::new)));
    }
}
