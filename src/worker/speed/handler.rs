//! The worker's side of measuring: prepares every row of a setup, then samples the rows interleaved (A B C A B C), so
//! that other load on the machine affects all of them alike.

use super::clock::{now, resolution};
use super::limits::limits;
use super::plan::{Candidate, Modules, groups};
use super::runner::Runner;
use super::timing::{more_runs, passes, sample_ms};
use super::wire::{Done, Measurement};
use crate::cause::Cause;
use crate::state::speed::measurement::{Observation, Omission, Way};
use crate::state::speed::{View, link};
use crate::worker::channel::Parts;
use crate::worker::channel::server::{self, Call, Reporter, Response};

/// The approximate time budgets for sampling: for all variants, per size, and for all layouts together.
const WAYS_MS: f64 = 4_000.0;
const SIZE_MS: f64 = 700.0;
const LAYOUTS_MS: f64 = 4_000.0;

/// A prepared row.
struct Row {
    way: Way,
    point: u32,
    runner: Runner,
    /// The time of one run in the last sample, in milliseconds.
    once: f64,
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
    let target = sample_ms(resolution());
    let groups = groups(&setup, job.cores);
    let report = |observation: Observation| reporter.report(&observation.into());
    report(Observation::Rows(u32::try_from(groups.iter().map(Vec::len).sum::<usize>()).ok()?));
    for (limit, value) in limits(&setup, &modules, target) {
        report(Observation::Limit(limit, value));
    }
    let patience = match setup.view {
        View::Ways => WAYS_MS,
        View::Sizes => SIZE_MS,
        View::Layouts => LAYOUTS_MS / f64::from(u32::try_from(groups.len().max(1)).ok()?),
    };
    for group in groups {
        sample_interleaved(group, &modules, target, patience, &reporter).await;
    }
    Some((Done, Parts::default()))
}

/// Measures a group: prepares each row, then samples them interleaved.
async fn sample_interleaved(
    group: Vec<Candidate>,
    modules: &Modules,
    target: f64,
    patience: f64,
    reporter: &Reporter<Measurement>,
) {
    let mut rows: Vec<Row> = Vec::new();
    for candidate in group {
        rows.extend(prepare(&candidate, modules, target, patience, reporter).await);
    }
    // Slow rows get one more sample, the others as many as the budget allows.
    let (slow, mut quick): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.once > patience / 4.0);
    let pass_ms: f64 = quick.iter().map(|row| row.once * f64::from(row.runs)).sum();
    let (count, start) = (passes(pass_ms, patience), now());
    for _ in 0..count {
        for row in &mut quick {
            sample(row, reporter).await;
        }
        if now() - start > 2.0 * patience {
            break;
        }
    }
    for mut row in slow {
        sample(&mut row, reporter).await;
    }
}

/// Prepares a row and finds how many runs make a sample; `None` if the row is omitted.
async fn prepare(
    candidate: &Candidate,
    modules: &Modules,
    target: f64,
    patience: f64,
    reporter: &Reporter<Measurement>,
) -> Option<Row> {
    let report = |observation: Observation| reporter.report(&observation.into());
    let (way, point) = (candidate.way, candidate.point);
    let by = Runner::new(candidate, modules).await;
    // Failing to allocate the operands leaves the instance usable; a trap does not.
    if matches!(&by, Err(Omission::Unavailable(Cause::Trapped(_)))) {
        modules.restart(way);
    }
    let kernel = by.as_ref().map(|(_, kernel)| kernel.clone()).map_err(Clone::clone);
    report(Observation::Row { way, point, by: kernel });
    let (mut runner, _) = by.ok()?;
    // The first run includes compilation and cold caches.
    let first = match runner.sample(1).await {
        Ok(first) => first,
        Err(why) => {
            if matches!(why, Omission::Unavailable(_)) {
                modules.restart(way);
            }
            report(Observation::Row { way, point, by: Err(why) });
            return None;
        }
    };
    let (mut runs, mut once) = (1, first);
    while once <= patience / 4.0 {
        let Ok(ms) = runner.sample(runs).await else { break };
        once = ms;
        let Some(more) = more_runs(runs, ms * f64::from(runs), target) else { break };
        runs = more;
    }
    // Reported already, so that a bar appears before all rows are prepared.
    if once > 0.0 {
        report(Observation::Sample { way, point, ms: once });
    }
    Some(Row { way, point, runner, once, runs })
}

/// Samples a row and reports the result.
async fn sample(row: &mut Row, reporter: &Reporter<Measurement>) {
    if let Ok(ms) = row.runner.sample(row.runs).await {
        reporter.report(&Observation::Sample { way: row.way, point: row.point, ms }.into());
    }
}
