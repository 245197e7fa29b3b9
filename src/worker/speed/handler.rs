//! The worker's side of measuring: prepares every case of a setup, then samples the cases and their ceilings interleaved
//! (A B C A B C), so that other load on the machine affects all of them alike.

use super::ceilings::{Ceiling, ceilings};
use super::clock::{now, resolution};
use super::plan::{Case, Modules, groups};
use super::runner::Runner;
use super::timing::{is_slow, more_runs, passes, slow_sampling_stride, target_sample_ms};
use super::wire::{Done, Measurement};
use crate::cause::Cause;
use crate::state::speed::measurement::{CeilingKind, Implementation, Observation, Omission};
use crate::state::speed::{View, link};
use crate::worker::channel::Buffers;
use crate::worker::channel::server::{self, Call, Reporter, Response};

/// The approximate time budgets for sampling: for all implementations, per size, and for all layouts together.
const IMPLEMENTATIONS_BUDGET_MS: f64 = 4_000.0;
const SIZE_BUDGET_MS: f64 = 700.0;
const LAYOUTS_BUDGET_MS: f64 = 4_000.0;

/// A prepared case.
struct PreparedCase {
    implementation: Implementation,
    point: u32,
    runner: Runner,
    /// The time of one run in the last sample, in milliseconds.
    run_ms: f64,
    /// Runs per sample.
    runs: u32,
}

/// Handles measuring requests, if this worker was started for them.
pub fn serve() {
    server::serve(handle);
}

async fn handle(call: Call<Measurement>) -> Response<Measurement> {
    let Call { request: job, spawn_disabled, reporter, .. } = call;
    let setup = link::read(&job.setup).setup;
    if setup.problem().is_some() {
        return None;
    }
    let modules = Modules::load(setup.view, spawn_disabled).await;
    let sample_ms = target_sample_ms(resolution());
    let groups = groups(&setup, job.cores);
    let report = |observation: Observation| reporter.report(&observation.into());
    report(Observation::CaseCount(u32::try_from(groups.iter().map(Vec::len).sum::<usize>()).ok()?));
    let group_ms = match setup.view {
        View::Implementations => IMPLEMENTATIONS_BUDGET_MS,
        View::Sizes => SIZE_BUDGET_MS,
        View::Layouts => LAYOUTS_BUDGET_MS / f64::from(u32::try_from(groups.len().max(1)).ok()?),
    };
    for group in groups {
        let ceilings = ceilings(&group, setup.view, &modules, sample_ms);
        sample_interleaved(group, ceilings, &modules, TimeBudget { sample_ms, group_ms }, &reporter).await;
    }
    Some((Done, Buffers::default()))
}

/// The target length of a sample, and the approximate time for all samples of a group, in milliseconds.
#[derive(Clone, Copy)]
struct TimeBudget {
    sample_ms: f64,
    group_ms: f64,
}

/// Measures a group: prepares each case, then samples cases and ceilings interleaved.
async fn sample_interleaved(
    group: Vec<Case>,
    mut ceilings: Vec<Ceiling>,
    modules: &Modules,
    budget: TimeBudget,
    reporter: &Reporter<Measurement>,
) {
    let group_ms = budget.group_ms;
    let mut cases: Vec<PreparedCase> = Vec::new();
    for case in group {
        cases.extend(prepare(&case, modules, budget, reporter).await);
    }
    let fast_cases = cases.iter().filter(|case| !is_slow(case.run_ms, group_ms));
    let pass_ms: f64 = fast_cases.map(|case| case.run_ms * f64::from(case.runs)).sum::<f64>()
        + ceilings.iter().map(|ceiling| ceiling.ms).sum::<f64>();
    let (count, start) = (passes(pass_ms, group_ms), now());
    let strides: Vec<u32> = cases
        .iter()
        .map(|case| {
            if is_slow(case.run_ms, group_ms) {
                slow_sampling_stride(case.run_ms, group_ms, count)
            } else {
                1
            }
        })
        .collect();
    // Slow cases do not count against the budget of the others.
    let mut slow_ms = 0.0;
    for pass in 0..count {
        for (case, stride) in cases.iter_mut().zip(&strides).filter(|(_, stride)| pass % **stride == 0) {
            let before = now();
            sample(case, &ceilings, reporter).await;
            slow_ms += if *stride > 1 { now() - before } else { 0.0 };
        }
        for ceiling in &mut ceilings {
            let rate = ceiling.sample();
            report_ceiling(ceiling.kind, ceiling.point, rate, reporter);
        }
        if now() - start - slow_ms > 2.0 * group_ms {
            break;
        }
    }
}

/// Prepares a case and finds how many runs make a sample; `None` if the case is omitted.
async fn prepare(
    case: &Case,
    modules: &Modules,
    TimeBudget { sample_ms, group_ms }: TimeBudget,
    reporter: &Reporter<Measurement>,
) -> Option<PreparedCase> {
    let report = |observation: Observation| reporter.report(&observation.into());
    let (implementation, point) = (case.implementation, case.point);
    let prepared = Runner::new(case, modules).await;
    // Failing to allocate the operands leaves the instance usable; a trap does not.
    if matches!(&prepared, Err(Omission::Unavailable(Cause::Crashed(_)))) {
        modules.restart(implementation);
    }
    let kernel = prepared.as_ref().map(|(_, kernel)| kernel.clone()).map_err(Clone::clone);
    report(Observation::Case { implementation, point, kernel });
    let (mut runner, _) = prepared.ok()?;
    // The first run includes compilation and cold caches.
    let first = match runner.sample(1).await {
        Ok(first) => first,
        Err(why) => {
            if matches!(why, Omission::Unavailable(_)) {
                modules.restart(implementation);
            }
            report(Observation::Case { implementation, point, kernel: Err(why) });
            return None;
        }
    };
    let (mut runs, mut run_ms) = (1, first);
    while run_ms <= group_ms / 4.0 {
        let Ok(ms) = runner.sample(runs).await else { break };
        run_ms = ms;
        let Some(more) = more_runs(runs, ms * f64::from(runs), sample_ms) else { break };
        runs = more;
    }
    // Reported already, so that a bar appears before all cases are prepared.
    if run_ms > 0.0 {
        report(Observation::Sample { implementation, point, ms: run_ms });
    }
    Some(PreparedCase { implementation, point, runner, run_ms, runs })
}

/// Samples a case and reports the result; of several workers, also their ceiling.
async fn sample(case: &mut PreparedCase, ceilings: &[Ceiling], reporter: &Reporter<Measurement>) {
    let (implementation, point) = (case.implementation, case.point);
    if let Ok(ms) = case.runner.sample(case.runs).await {
        reporter.report(&Observation::Sample { implementation, point, ms }.into());
    }
    if let (Runner::Pool(pool), Implementation::Workers(count)) = (&case.runner, implementation)
        && let Some(of_one_worker) = ceilings.iter().find(|ceiling| ceiling.kind == CeilingKind::MulAdd)
    {
        report_ceiling(CeilingKind::Workers(count), point, of_one_worker.sample_pool(pool).await, reporter);
    }
}

fn report_ceiling(kind: CeilingKind, point: u32, rate: Option<f64>, reporter: &Reporter<Measurement>) {
    if let Some(rate) = rate {
        reporter.report(&Observation::Ceiling { kind, point, rate }.into());
    }
}
