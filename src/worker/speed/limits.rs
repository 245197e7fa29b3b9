//! Measures the ceilings of the machine.

use super::clock::now;
use super::plan::Modules;
use crate::state::speed::measurement::{Limit, Way};
use crate::state::speed::ops::Unit;
use crate::state::speed::{Setup, View};
use crate::worker::kernels::KernelModule;

/// The most work per call, in the unit of the export, whose counter has 32 bits.
const MAX_WORK: f64 = 4e9;

/// The approximate time budget for one ceiling, in milliseconds.
const MAX_MS: f64 = 400.0;

/// The most calls for one ceiling: each either lengthens the next one or yields a value.
const MAX_CALLS: u32 = 40;

/// The best rate of an export in billions of operations or bytes per second. The export takes an amount of work and
/// returns the work done.
fn fastest(module: &KernelModule, export: &str, target_ms: f64) -> Option<f64> {
    let (mut work, mut best) = (1.0, 0.0_f64);
    for _ in 0..MAX_CALLS {
        let start = now();
        let done = module.call(export, work)?;
        let ms = now() - start;
        if ms < target_ms {
            // Too short for the clock's resolution.
            work = (work * (target_ms * 1.2 / ms.max(target_ms / 100.0))).ceil().min(MAX_WORK);
        } else {
            best = best.max(done / ms / 1e6);
        }
        if work >= MAX_WORK || (best > 0.0 && ms * 8.0 > MAX_MS) {
            break;
        }
    }
    (best > 0.0).then_some(best)
}

/// The ceilings of the machine that apply to the setup, in the unit of its op.
pub fn limits(setup: &Setup, modules: &Modules, target_ms: f64) -> Vec<(Limit, f64)> {
    let peak = |way| modules.get(way).ok().and_then(|module| fastest(&module, "peak", target_ms));
    let mut limits = Vec::new();
    match setup.op.unit {
        Unit::Flops => {
            limits.extend(peak(Way::Strict).map(|value| (Limit::MulAdd, value)));
            if setup.view != View::Layouts {
                limits.extend(peak(Way::Fast).map(|value| (Limit::Fused, value)));
            }
        }
        Unit::Bytes => {
            let Ok(module) = modules.get(Way::Strict) else { return limits };
            #[allow(clippy::cast_precision_loss, reason = "far below 2^53")]
            let half = (setup.bytes() / 2).max(64) as f64;
            if module.call("copy_room", half).is_some_and(|room| room > 0.0) {
                limits.extend(fastest(&module, "copy", target_ms).map(|value| (Limit::Copy, value)));
            }
            module.call("copy_room", 0.0);
        }
    }
    limits
}
