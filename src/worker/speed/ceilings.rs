//! Measures the ceilings of the machine, in the same passes as the cases.

use std::rc::Rc;

use super::clock::now;
use super::plan::{Case, Modules};
use super::row_pool::RowPool;
use crate::state::speed::measurement::{CeilingKind, Implementation};
use crate::state::speed::{Setup, View};
use crate::worker::kernels::KernelModule;

/// Maximum work per call, in the unit of the export, whose counter has 32 bits.
const MAX_WORK: f64 = 4e9;

/// Maximum calls until one is long enough to be a sample.
const MAX_CALLS: u32 = 40;

/// The length of a sample in several workers relative to one worker's, so that messages take a small part of it.
const POOL_SAMPLE_FACTOR: f64 = 4.0;

/// A ceiling to sample.
pub struct Ceiling {
    pub kind: CeilingKind,
    /// The index of the size.
    pub point: u32,
    module: Rc<KernelModule>,
    /// The name of the export: a function from an amount of work to the number of operations or bytes.
    export: &'static str,
    /// The work of a sample.
    work: f64,
    /// The time of the last sample, in milliseconds.
    pub ms: f64,
}

impl Ceiling {
    /// Finds the work of a sample of about `target_ms`.
    fn new(
        kind: CeilingKind,
        point: u32,
        module: Rc<KernelModule>,
        export: &'static str,
        target_ms: f64,
    ) -> Option<Self> {
        let mut ceiling = Self { kind, point, module, export, work: 1.0, ms: 0.0 };
        for _ in 0..MAX_CALLS {
            ceiling.run()?;
            if ceiling.ms >= target_ms || ceiling.work >= MAX_WORK {
                break;
            }
            // Too short for the clock's resolution.
            let factor = target_ms * 1.2 / ceiling.ms.max(target_ms / 100.0);
            ceiling.work = (ceiling.work * factor).ceil().min(MAX_WORK);
        }
        (ceiling.ms > 0.0).then_some(ceiling)
    }

    /// The work done by a sample.
    fn run(&mut self) -> Option<f64> {
        let start = now();
        let done = self.module.call(self.export, self.work)?;
        self.ms = now() - start;
        Some(done)
    }

    /// The rate of a sample, in billions of operations or bytes per second.
    pub fn sample(&mut self) -> Option<f64> {
        let done = self.run()?;
        (self.ms > 0.0).then(|| done / self.ms / 1e6)
    }

    /// The rate of a sample in all workers of a pool at the same time; `self` is the ceiling of one worker.
    pub async fn sample_pool(&self, pool: &RowPool) -> Option<f64> {
        let work_per_iteration = self.module.call(self.export, 1.0)?;
        let iterations = (self.work * POOL_SAMPLE_FACTOR).min(MAX_WORK);
        let start = now();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most MAX_WORK")]
        let workers = pool.run_peak_loop(iterations as u32).await?;
        let ms = now() - start;
        (ms > 0.0).then(|| work_per_iteration * iterations * f64::from(workers) / ms / 1e6)
    }
}

impl Drop for Ceiling {
    fn drop(&mut self) {
        if self.kind == CeilingKind::Copy {
            // Frees the buffers; the return value has no meaning.
            let _ = self.module.call("copy_room", 0.0);
        }
    }
}

/// The ceilings of a group of cases, except those of several workers, which [`Ceiling::sample_pool`] measures.
pub fn ceilings(group: &[Case], view: View, modules: &Modules, target_ms: f64) -> Vec<Ceiling> {
    let mut ceilings: Vec<Ceiling> = Vec::new();
    for case in group {
        let (setup, implementation) = (&case.setup, case.implementation);
        let kind = CeilingKind::new(setup.op.unit, implementation);
        if matches!(kind, CeilingKind::Workers(_)) || ceilings.iter().any(|known| known.kind == kind) {
            continue;
        }
        let point = if view == View::Sizes { case.point } else { 0 };
        let source = if kind == CeilingKind::Fused { Implementation::Fast } else { Implementation::Strict };
        let Ok(module) = modules.get(source) else { continue };
        let export = if kind == CeilingKind::Copy { "copy" } else { "peak" };
        if kind != CeilingKind::Copy || allocate(setup, &module).is_some() {
            ceilings.extend(Ceiling::new(kind, point, module, export, target_ms));
        }
    }
    ceilings
}

/// Allocates buffers from which as many bytes are read as from the operands, and written as to the result.
fn allocate(setup: &Setup, module: &KernelModule) -> Option<()> {
    #[allow(clippy::cast_precision_loss, reason = "far below 2^53")]
    let bytes = |bytes: u64| (bytes / 8 * 8) as f64;
    let written = setup.written_bytes();
    let read = setup.bytes().saturating_sub(written);
    // A multiple of eight bytes, and not empty.
    let copied = bytes(written.min(read).max(64));
    (module.call("copy_room", copied)? > 0.0).then_some(())?;
    let rest = bytes(read.saturating_sub(written));
    (rest <= 0.0 || module.call("read_room", rest)? > 0.0).then_some(())
}
